package dev.cassidy.service;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.springframework.data.cassandra.core.cql.PrimaryKeyType;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyClass;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyColumn;

/** The identity is the clustering column. */
@PrimaryKeyClass
record LineKey(
        @PrimaryKeyColumn(type = PrimaryKeyType.PARTITIONED) long basket,

        @PrimaryKeyColumn(type = PrimaryKeyType.CLUSTERED) @Nullable
        Integer id)
        implements Serializable {}
