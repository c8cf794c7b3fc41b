package dev.cassidy.service;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.cassandra.core.mapping.Table;

@Table("account")
record Account(
        @Id @Nullable Integer id,
        String owner,
        @Version @Nullable Long version) {}
