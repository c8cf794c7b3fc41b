package dev.cassidy.migration.assess;

import dev.cassidy.recorder.KnownNames;
import dev.cassidy.recorder.Scanned;
import dev.cassidy.recorder.StatementScanner;

/** A statement with its values, as logs have it: it becomes what a recorder would have written, so that no value is kept. */
final class Sent {

    private Sent() {}

    static void add(String sql, long executions, KnownNames names, Observation seen) {
        Scanned scanned = StatementScanner.scan(sql, names);
        String shape = scanned.sql();
        String unread = scanned.unread();
        seen.statement(scanned.kind(), shape == null ? "" : shape, unread == null ? "" : unread).executions +=
                executions;
    }
}
