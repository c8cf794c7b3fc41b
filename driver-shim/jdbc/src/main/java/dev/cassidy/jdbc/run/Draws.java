package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The values that an INSERT draws itself, by NEXT VALUE FOR. */
record Draws(SharedSession session, Tables tables, Consumer<SQLWarning> warnings) {

    private SequenceStatements statements() {
        return new SequenceStatements(session.identity(), warnings);
    }

    /**
     * Returns the parameters, followed by the drawn values; null for one that is drawn when the row is sent.
     *
     * @param key the table's generated key; null if it has none
     */
    List<@Nullable Parameter> drawn(TsqlStep.Insert step, @Nullable Identity key, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (step.draws().isEmpty()) {
            return parameters;
        }
        SequenceStatements statements = statements();
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        for (int i = 0; i < step.draws().size(); i++) {
            CqlInsert.Table sequence = step.draws().get(i);
            // The key's own sequence: its id is drawn where every generated key is. Drawn here, it would be explicit.
            boolean own = key != null && key.sequence().equals(statements.name(sequence)) && gives(step, i, key);
            if (key != null && own) {
                requireOnce(step, all.size(), key);
            }
            all.add(new Parameter(own ? null : statements.next(sequence), null));
        }
        return all;
    }

    private static boolean gives(TsqlStep.Insert step, int draw, Identity key) {
        return step.rows().stream().anyMatch(row -> step.draw(row, key.column()) == draw);
    }

    private static void requireOnce(TsqlStep.Insert step, int parameter, Identity key) throws SQLException {
        if (step.rows().stream().anyMatch(row -> Collections.frequency(row.parameters(), parameter) > 1)) {
            throw Unserved.feature("NEXT VALUE FOR the table's own sequence in another column too is not served: the"
                    + " generated key is drawn when the row is sent; draw it first, by SELECT NEXT VALUE FOR"
                    + (key.byDefault() ? ", and give it as a parameter" : ", from a sequence of its own"));
        }
    }

    /** Returns the column of the table's key whose value each row draws; empty if there is none. */
    Optional<String> key(TsqlStep.Insert step) {
        return step.draws().isEmpty()
                ? Optional.empty()
                : tables.key(step.rows().get(0).insert()).stream()
                        .filter(column -> step.rows().stream().allMatch(row -> step.draw(row, column) >= 0))
                        .findFirst();
    }

    /**
     * Returns the result with the keys that the insert has drawn, if the table itself has no generated key.
     *
     * @param drawn as {@link #drawn} returned them
     */
    StepResult withKeys(TsqlStep.Insert step, StepResult result, List<@Nullable Parameter> drawn) throws SQLException {
        if (step.draws().isEmpty() || result.count() <= 0 || !result.keys().isEmpty()) {
            return result;
        }
        Optional<String> key = key(step);
        return key.isEmpty() ? result : result.withKeys(keys(step, key.get(), drawn));
    }

    private List<GeneratedKeys.Key> keys(TsqlStep.Insert step, String column, List<@Nullable Parameter> drawn)
            throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        CqlInsert.Table table = new CqlInsert.Table(first.keyspace().orElse(null), first.table());
        String keyspace = SequenceStatements.keyspace(session.plain(), table.keyspace());
        IdentityType type = type(tables.types(table).get(column));
        int firstDraw = drawn.size() - step.draws().size();
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (TsqlStep.Row row : step.rows()) {
            int draw = step.draw(row, column);
            Parameter value = Objects.requireNonNull(drawn.get(firstDraw + draw));
            keys.add(new GeneratedKeys.Key(
                    keyspace,
                    table.name(),
                    column,
                    type,
                    statements().name(step.draws().get(draw)),
                    (Long) Objects.requireNonNull(value.value()),
                    true));
        }
        return keys;
    }

    private static IdentityType type(@Nullable DataType type) {
        if (DataTypes.SMALLINT.equals(type)) {
            return IdentityType.SMALLINT;
        }
        return DataTypes.INT.equals(type) ? IdentityType.INT : IdentityType.BIGINT;
    }
}
