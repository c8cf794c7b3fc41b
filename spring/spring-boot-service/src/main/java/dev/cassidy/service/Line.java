package dev.cassidy.service;

import org.springframework.data.cassandra.core.mapping.PrimaryKey;
import org.springframework.data.cassandra.core.mapping.Table;

@Table("line")
record Line(@PrimaryKey LineKey key, String item) {}
