package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.JdbcType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of a session as statements see them that are evaluated in the client. */
public record AssistedTables(Tables tables) implements TableModels {

    /** Of a column that is not read. */
    private static final SqlType ANY = new SqlType(SqlType.Name.NVARCHAR, SqlType.MAX, 0, 0);

    @Override
    public Optional<TableModel> find(@Nullable String qualifier, String name) {
        String keyspace = keyspace(qualifier);
        String exact = tables.tableLike(keyspace, name.toLowerCase(Locale.ROOT));
        CqlInsert.Table named = new CqlInsert.Table(keyspace, exact);
        return tables.tableOrView(named).map(relation -> model(named, relation));
    }

    /** As T-SQL writes it: {@code dbo} is no keyspace, and {@code db..t} has an empty schema. */
    private static @Nullable String keyspace(@Nullable String qualifier) {
        return qualifier == null
                ? null
                : Stream.of(qualifier.split("\\.", -1))
                        .filter(part -> !part.isEmpty() && !part.equalsIgnoreCase("dbo"))
                        .map(part -> part.toLowerCase(Locale.ROOT))
                        .reduce((first, last) -> last)
                        .orElse(null);
    }

    private TableModel model(CqlInsert.Table named, RelationMetadata relation) {
        // The types decide about what is equal: they are read, if another session has made the table a moment ago.
        DeclaredTable declared = tables.declaredTableForReads(named).orElse(null);
        Map<String, Collation> collations = tables.collationsForReads(named);
        Set<String> served = served(named, relation, collations);
        List<String> names = declared != null
                ? declared.columns()
                : relation.getColumns().keySet().stream()
                        .map(CqlIdentifier::asInternal)
                        .toList();
        refuseNamesOfOneForm(names, relation);
        List<ColumnModel> columns = new ArrayList<>();
        for (String column : names) {
            ColumnMetadata metadata = relation.getColumn(CqlIdentifier.fromInternal(column))
                    .or(() -> relation.getColumn(CqlIdentifier.fromInternal(Twin.nameOf(column))))
                    .orElseThrow();
            ColumnModel.Place place = place(relation, column);
            // A key without a twin is its bytes.
            Collation collation =
                    place == ColumnModel.Place.REGULAR || tables.hasTwin(named, column) ? collations.get(column) : null;
            Optional<SqlType> type = type(declared, column, metadata, relation);
            if (type.isEmpty() && place != ColumnModel.Place.REGULAR) {
                throw withoutType(column, metadata, relation);
            }
            columns.add(new ColumnModel(
                    column,
                    declared == null ? column : declared.label(column),
                    type.orElse(ANY),
                    collation,
                    place,
                    served.contains(column),
                    type.isPresent()));
        }
        return new TableModel(
                relation.getKeyspace().asInternal(),
                relation.getName().asInternal(),
                columns,
                names(relation.getPartitionKey()),
                names(List.copyOf(relation.getClusteringColumns().keySet())),
                tables.isSmall(relation));
    }

    private static List<String> names(List<ColumnMetadata> columns) {
        return columns.stream()
                .map(column -> Twin.original(column.getName().asInternal()))
                .toList();
    }

    private static ColumnModel.Place place(RelationMetadata relation, String column) {
        if (names(relation.getPartitionKey()).contains(column)) {
            return ColumnModel.Place.PARTITION_KEY;
        }
        return names(List.copyOf(relation.getClusteringColumns().keySet())).contains(column)
                ? ColumnModel.Place.CLUSTERING
                : ColumnModel.Place.REGULAR;
    }

    /** Returns the columns by which a SELECT finds rows apart from the key. An index of bytes does not find what a collation takes for equal. */
    private Set<String> served(CqlInsert.Table named, RelationMetadata relation, Map<String, Collation> collations) {
        Set<String> served = new HashSet<>(IndexedColumns.of(relation));
        served.removeAll(collations.keySet());
        served.addAll(tables.twinsToReadBy(named));
        for (UniqueKey key : tables.uniqueKeysForReads(named)) {
            if (key.columns().size() == 1) {
                served.add(key.columns().get(0));
            }
        }
        return served;
    }

    /** T-SQL's names ignore case. */
    private static void refuseNamesOfOneForm(List<String> names, RelationMetadata relation) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (!seen.add(name.toLowerCase(Locale.ROOT))) {
                throw new NotAssistedException("Table " + relation.getName().asInternal() + " has several columns "
                        + name + ", whose names differ in case alone. Read the table in a statement of its own");
            }
        }
    }

    /** Returns the type of a column in T-SQL; empty if it has none. */
    private static Optional<SqlType> type(
            @Nullable DeclaredTable declared, String column, ColumnMetadata metadata, RelationMetadata relation) {
        if (metadata.isStatic()) {
            throw new NotAssistedException("Table " + relation.getName().asInternal() + " has the static column "
                    + column + ", which is no part of a row. Read the table in a statement of its own");
        }
        return Optional.ofNullable(declared)
                .flatMap(table -> table.column(column))
                .map(ColumnDefinition::type)
                .or(() -> DeclaredType.of(metadata.getType()).map(DeclaredType::type));
    }

    private static NotAssistedException withoutType(String column, ColumnMetadata metadata, RelationMetadata relation) {
        return new NotAssistedException("Column " + column + " of the key of table "
                + relation.getName().asInternal() + " has the type "
                + JdbcType.of(metadata.getType()).name()
                + ", for which T-SQL has none. Read the table in a statement of its own");
    }
}
