package dev.cassidy.service;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.cassandra.core.mapping.Table;

@Table("customer")
record Customer(@Id @Nullable Integer id, String name) {}
