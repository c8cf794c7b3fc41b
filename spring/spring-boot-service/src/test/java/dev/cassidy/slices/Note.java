package dev.cassidy.slices;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** By Spring Data JDBC. */
@Table("note")
record Note(@Id @Nullable Integer id, String text) {}
