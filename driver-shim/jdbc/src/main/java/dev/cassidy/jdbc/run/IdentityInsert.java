package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert.Value;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a connection treats ids that inserts give themselves: SET IDENTITY_INSERT and the option identityInsert. That
 * such an id does not lie where the sequence issues is checked elsewhere. Used by one thread at a time.
 */
final class IdentityInsert {

    private final boolean strict;
    private @Nullable Identity on;

    IdentityInsert(boolean strict) {
        this.strict = strict;
    }

    /** Returns whether explicit ids may overwrite rows that the sequence's ids did not make. */
    boolean isLenient() {
        return !strict;
    }

    /**
     * SET IDENTITY_INSERT; without any effect but in strict mode.
     *
     * @param identity that of the table
     * @param table its name, for messages
     */
    void set(TsqlStep.SetIdentityInsert step, Optional<Identity> identity, String table) throws SQLException {
        if (!strict) {
            return;
        }
        if (identity.isEmpty()) {
            throw SqlServerErrors.rule(
                    SqlServerErrors.NO_IDENTITY,
                    "Table '" + table + "' does not have the identity property. Cannot perform SET operation: no"
                            + " identity column is registered for it");
        }
        Identity known = on;
        if (!step.on()) {
            on = identity.get().equals(known) ? null : known;
            return;
        }
        if (known != null && !known.equals(identity.get())) {
            throw SqlServerErrors.rule(
                    SqlServerErrors.IDENTITY_INSERT_IS_ON,
                    "IDENTITY_INSERT is already ON for table '" + name(known) + "'. Cannot perform SET operation for"
                            + " table '" + table + "': set it OFF there first");
        }
        on = identity.get();
    }

    /**
     * Refuses, before anything is sent, what SQL Server refuses; in strict mode only. A key that draws from a sequence by its
     * default takes explicit values without SET IDENTITY_INSERT, and DEFAULT.
     */
    void check(TsqlStep.Row row, Identity identity, List<@Nullable Parameter> parameters) throws SQLException {
        if (!strict) {
            return;
        }
        String table = name(identity);
        Value value = row.insert().value(identity.column()).orElse(null);
        if (identity.byDefault()) {
            if (value != null && given(row, identity, parameters).isEmpty()) {
                throw nullAsKey(identity, "leave the column out");
            }
            return;
        }
        if (value instanceof Value.Null || row.defaulted().contains(identity.column())) {
            throw SqlServerErrors.constraint(
                    SqlServerErrors.DEFAULT_AS_IDENTITY,
                    "DEFAULT or NULL are not allowed as explicit identity values: leave column " + identity.column()
                            + " of table '" + table + "' out, or connect without identityInsert=strict");
        }
        boolean isOn = identity.equals(on);
        if (value == null && isOn) {
            throw SqlServerErrors.constraint(
                    SqlServerErrors.IDENTITY_MISSING,
                    "Explicit value must be specified for identity column in table '" + table
                            + "' when IDENTITY_INSERT is set to ON: give " + identity.column() + ", or set it OFF");
        }
        if (value != null && !isOn) {
            throw SqlServerErrors.constraint(
                    SqlServerErrors.EXPLICIT_IDENTITY,
                    "Cannot insert explicit value for identity column in table '" + table
                            + "' when IDENTITY_INSERT is set to OFF: leave " + identity.column()
                            + " out, or SET IDENTITY_INSERT " + table + " ON");
        }
        if (value instanceof Value.Marker && given(row, identity, parameters).isEmpty()) {
            throw nullAsKey(identity, "SET IDENTITY_INSERT OFF and leave it out");
        }
    }

    private static SQLException nullAsKey(Identity identity, String otherwise) {
        return SqlServerErrors.constraint(
                SqlServerErrors.NULL_VALUE,
                "Cannot insert the value NULL into column '" + identity.column() + "', table '" + name(identity)
                        + "'; column does not allow nulls: give the id, or " + otherwise);
    }

    /** Returns the explicit id of a row, as it will be shown; empty if the row gets one. */
    static Optional<Object> given(TsqlStep.Row row, Identity identity, List<@Nullable Parameter> parameters) {
        Value value = row.insert().value(identity.column()).orElse(null);
        if (value instanceof Value.Marker marker) {
            Parameter parameter = parameters.get(row.parameters().get(marker.index()));
            return Optional.ofNullable(parameter).map(Parameter::value);
        }
        if (value instanceof Value.IntegerLiteral literal) {
            return Optional.of(literal.value());
        }
        return value instanceof Value.Term term ? Optional.of(term.text()) : Optional.empty();
    }

    private static String name(Identity identity) {
        return identity.keyspace() + "." + identity.table();
    }
}
