package dev.cassidy.service;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** By Spring Data JDBC. */
@Table("product")
record Product(@Id @Nullable Integer id, String name, BigDecimal price) {}
