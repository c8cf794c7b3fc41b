package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.cql.ColumnRule;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of OUTPUT INSERTED.x: generated keys that were filled in, and values that the insert itself gave. */
final class OutputClause {

    private final TsqlStep.Insert step;
    private final DateOrder dateOrder;
    private final List<Column> columns = new ArrayList<>();
    private final List<ColumnDefault> defaults;

    /** Null where nothing is declared of the table's columns. */
    private final @Nullable TableDefinition definition;

    /**
     * Refuses, before anything is sent, values that only the server knows, or that only the row gets.
     *
     * @param defaults those of the table's columns, besides its generated key
     */
    OutputClause(TsqlStep.Insert step, Tables tables, DateOrder dateOrder, List<ColumnDefault> defaults)
            throws SQLException {
        this.step = step;
        this.dateOrder = dateOrder;
        this.defaults = defaults;
        CqlInsert first = step.rows().get(0).insert();
        if (first.isConditional()) {
            throw Unserved.feature("OUTPUT with IF NOT EXISTS is not served: it would show a row that may not have"
                    + " been inserted: leave OUTPUT out and read the column [applied] and the generated keys");
        }
        TableMetadata table = table(step, first, tables);
        definition = definition(tables, table);
        for (TsqlStep.Output output : step.output()) {
            if (output.constant() != null) {
                columns.add(Column.of(output.label(), type(output.constant())));
                continue;
            }
            ColumnMetadata column = table.getColumn(CqlIdentifier.fromInternal(output.column()))
                    .orElseThrow(() -> new SQLSyntaxErrorException(
                            "OUTPUT names column '" + output.column() + "', which table " + tables.qualified(first)
                                    + " does not have",
                            SqlStates.NO_COLUMN));
            columns.add(new Column(
                    output.label(), column.getType(), table.getKeyspace().asInternal(), first.table()));
            for (TsqlStep.Row row : step.rows()) {
                requireKnownDefault(row, output.column());
                CqlInsert.Value value = row.insert().value(output.column()).orElse(null);
                if (value instanceof CqlInsert.Value.Term term && CqlLiteral.read(term.text()) == null) {
                    throw Unserved.feature("OUTPUT INSERTED." + output.column() + " is not served where the value is an"
                            + " expression (" + term.text() + "): give it as a parameter");
                }
                // Of what is sent, a parameter is converted before, a literal is not.
                if (value != null && !(value instanceof CqlInsert.Value.Marker)) {
                    converted(sent(row, output.column(), List.of()), columns.get(columns.size() - 1));
                }
            }
        }
    }

    /** A column that is missing may have been added a moment ago. */
    private static TableMetadata table(TsqlStep.Insert step, CqlInsert insert, Tables tables) throws SQLException {
        TableMetadata known = tables.require(insert);
        boolean complete = step.output().stream()
                .allMatch(each -> each.constant() != null
                        || known.getColumn(CqlIdentifier.fromInternal(each.column()))
                                .isPresent());
        if (complete) {
            return known;
        }
        tables.readAgain(new CqlInsert.Table(insert.keyspace().orElse(null), insert.table()));
        return tables.require(insert);
    }

    private static @Nullable TableDefinition definition(Tables tables, TableMetadata table) throws SQLException {
        try {
            return table.getId()
                    .flatMap(id -> tables.declared()
                            .definition(
                                    table.getKeyspace().asInternal(),
                                    table.getName().asInternal(),
                                    id))
                    .orElse(null);
        } catch (UnreadDeclarations e) {
            throw e.error();
        }
    }

    private Optional<ColumnDefault> defaultOf(TsqlStep.Row row, String column) {
        return row.insert().columns().contains(column)
                ? Optional.empty()
                : defaults.stream().filter(each -> each.column().equals(column)).findFirst();
    }

    private void requireKnownDefault(TsqlStep.Row row, String column) throws SQLException {
        ColumnDefault given = defaultOf(row, column).orElse(null);
        if (given != null && given.kind() != ColumnDefault.Kind.CONSTANT) {
            throw Unserved.feature("OUTPUT INSERTED." + column + " is not served where the column gets its default, "
                    + given.expression() + ": give the value as a parameter, or SELECT it by the row's key");
        }
    }

    private static DataType type(TsqlStep.Constant constant) {
        return switch (constant.type()) {
            case "int" -> DataTypes.INT;
            case "decimal" -> DataTypes.DECIMAL;
            case "double" -> DataTypes.DOUBLE;
            default -> DataTypes.TEXT;
        };
    }

    List<Column> columns() {
        return columns;
    }

    Cursor rows(List<GeneratedKeys.Key> keys, List<@Nullable Parameter> parameters) throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < step.rows().size(); i++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int j = 0; j < columns.size(); j++) {
                TsqlStep.Constant constant = step.output().get(j).constant();
                if (constant != null) {
                    values.add(constant.value());
                    continue;
                }
                String name = step.output().get(j).column();
                ColumnDefault filled = defaultOf(step.rows().get(i), name).orElse(null);
                if (filled != null) {
                    values.add(stored(
                            columns.get(j),
                            name,
                            CodecRegistry.DEFAULT
                                    .codecFor(columns.get(j).type())
                                    .parse(filled.value())));
                    continue;
                }
                boolean generated = i < keys.size() && keys.get(i).column().equals(name);
                Parameter value = generated
                        ? new Parameter(keys.get(i).id(), ZoneId.systemDefault())
                        : sent(step.rows().get(i), name, parameters);
                values.add(stored(columns.get(j), name, converted(value, columns.get(j))));
            }
            rows.add(values);
        }
        return new Cursor.Listed(columns, rows);
    }

    /** Returns what the row has of a value: filled up, and rounded. */
    private @Nullable Object stored(Column of, String column, @Nullable Object value) {
        return definition == null || value == null
                ? value
                : definition
                        .column(column)
                        .map(declared -> new ColumnRule(of.toString(), declared).stored(value))
                        .orElse(value);
    }

    private static @Nullable Parameter sent(TsqlStep.Row row, String column, List<@Nullable Parameter> parameters) {
        CqlInsert.Value value = row.insert().value(column).orElse(null);
        if (value instanceof CqlInsert.Value.Marker marker) {
            return parameters.get(row.parameters().get(marker.index()));
        }
        if (value instanceof CqlInsert.Value.Term term) {
            return new Parameter(CqlLiteral.read(term.text()), null);
        }
        return value instanceof CqlInsert.Value.IntegerLiteral literal
                ? new Parameter(new CqlLiteral.Numeral(literal.value().toString()), null)
                : null;
    }

    private @Nullable Object converted(@Nullable Parameter parameter, Column column) throws SQLException {
        if (parameter == null || parameter.value() == null) {
            return null;
        }
        try {
            return new ToCql(parameter.zone(), dateOrder, ignored -> {}).convert(parameter.value(), column.type());
        } catch (ConversionException e) {
            throw e.in("column " + column);
        }
    }
}
