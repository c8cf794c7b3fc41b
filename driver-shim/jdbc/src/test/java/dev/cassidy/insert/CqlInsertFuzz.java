package dev.cassidy.insert;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A target for Jazzer. For any text: an insert with an added id is the same insert with one more value. */
public final class CqlInsertFuzz {

    private static final List<String> IDENTITIES = List.of("id", "x\"); DROP TABLE t; --");

    private CqlInsertFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        CqlInsert.tablesOfBatch(text);
        CqlInsert.recognise(text).ifPresent(CqlInsertFuzz::rewrite);
    }

    private static void rewrite(CqlInsert insert) {
        insert.columns().forEach(insert::value);
        if (insert.isJson()) {
            return;
        }
        for (String identity : IDENTITIES) {
            if (!insert.columns().contains(identity)) {
                Rewrite rewrite = insert.rewrite(identity);
                CqlInsert bound = CqlInsert.recognise(rewrite.withMarker()).orElseThrow();
                CqlInsert literal = CqlInsert.recognise(rewrite.withLiteral(-5)).orElseThrow();
                List<String> columns = new ArrayList<>(insert.columns());
                columns.add(identity);
                requireEqual(bound.columns(), columns);
                requireEqual(literal.columns(), columns);
                requireEqual(bound.markerCount(), insert.markerCount() + 1);
                requireEqual(
                        bound.value(identity).orElseThrow(), new CqlInsert.Value.Marker(rewrite.markerIndex(), null));
                requireEqual(bound.isConditional(), insert.isConditional());
                requireEqual(bound.table(), insert.table());
            }
        }
    }

    private static void requireEqual(Object actual, Object expected) {
        if (!Objects.equals(actual, expected)) {
            throw new IllegalStateException(actual + " for " + expected);
        }
    }
}
