package dev.cassidy.tsql;

import dev.cassidy.insert.UnsupportedSqlException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A target for Jazzer. Any text is served, or refused by name, and every parameter belongs to the script. */
public final class TsqlScriptFuzz {

    private TsqlScriptFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        try {
            TsqlScript script = TsqlScript.parse(new String(data, StandardCharsets.UTF_8));
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Insert insert) {
                    insert.rows()
                            .forEach(row -> check(row.parameters(), row.insert().markerCount(), script));
                } else if (step instanceof TsqlStep.Cql cql) {
                    check(cql.parameters(), cql.parameters().size(), script);
                }
            }
        } catch (UnsupportedSqlException refused) {
            if (refused.number() == 0 && !refused.getMessage().contains(" is not supported: ")) {
                throw refused;
            }
        }
    }

    private static void check(List<Integer> parameters, int markers, TsqlScript script) {
        boolean known = parameters.stream().allMatch(index -> index >= 0 && index < script.parameterCount());
        if (!known || parameters.size() != markers) {
            throw new IllegalStateException(parameters + " of " + script.parameterCount() + " for " + markers);
        }
    }
}
