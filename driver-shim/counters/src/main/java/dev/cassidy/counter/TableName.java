package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlIdentifier;

/** The name of a table of counters. */
record TableName(CqlIdentifier keyspace, CqlIdentifier table) {

    /** @param text {@code keyspace.table}, as CQL writes it */
    static TableName of(String text) {
        int dot = text.indexOf('.');
        if (dot < 1 || dot == text.length() - 1) {
            throw new IllegalArgumentException("must be keyspace.table: table='" + text + "'");
        }
        return new TableName(
                CqlIdentifier.fromCql(text.substring(0, dot)), CqlIdentifier.fromCql(text.substring(dot + 1)));
    }

    String asCql() {
        return keyspace.asCql(true) + "." + table.asCql(true);
    }
}
