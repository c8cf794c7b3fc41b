package dev.cassidy.table;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.sequence.store.ChangeLog;

/** A table's name; both parts are internal ones (case-exact, unquoted). */
record TableName(String keyspace, String table) {

    /** Returns the table of an announcement. */
    static TableName announced(String name) {
        int dot = name.indexOf('.');
        return new TableName(name.substring(0, dot), name.substring(dot + 1));
    }

    /** Returns the name as CQL writes it. */
    String asCql() {
        return CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                + CqlIdentifier.fromInternal(table).asCql(true);
    }

    ChangeLog.Change change() {
        return new ChangeLog.Change(ChangeLog.Kind.TABLE, keyspace + "." + table);
    }
}
