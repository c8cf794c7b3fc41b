package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.jdbc.session.DeclaredTable;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.JdbcType;
import dev.cassidy.table.ColumnDefault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table or view as SQL Server's catalogue shows it. */
final class CatalogTable {

    private final RelationMetadata relation;
    private final @Nullable DeclaredTable declared;
    private final Map<String, ColumnDefault> defaults = new HashMap<>();
    private final @Nullable String identity;

    CatalogTable(RelationMetadata relation, SharedSession session) throws SQLException {
        this.relation = relation;
        this.declared = relation instanceof TableMetadata table
                ? session.tables().declaredTable(table).orElse(null)
                : null;
        session.defaults(keyspace(), name()).forEach(each -> defaults.put(each.column(), each));
        this.identity =
                isView() ? null : session.identityColumn(keyspace(), name()).orElse(null);
    }

    /**
     * A column.
     *
     * @param label the name as CREATE TABLE wrote it
     * @param type null if SQL Server has nothing like it
     * @param typeName also of a type that SQL Server does not have
     * @param identity whether it takes its values from the table's sequence
     * @param columnDefault null for none
     * @param collation null if none was declared
     */
    record Shown(
            String name,
            String label,
            int position,
            @Nullable DeclaredType type,
            String typeName,
            boolean required,
            boolean identity,
            @Nullable ColumnDefault columnDefault,
            @Nullable String collation) {

        /** Returns the default as it was declared; null for none. */
        @Nullable
        String defaultValue() {
            return columnDefault == null ? null : columnDefault.expression();
        }
    }

    /**
     * A constraint.
     *
     * @param kind as SQL Server's catalogue has it: PRIMARY KEY, UNIQUE, CHECK, FOREIGN KEY
     * @param columns their labels; none of a CHECK of the table
     * @param text as it was declared; empty for the primary key
     * @param enforced whether no row may break it
     */
    record Constraint(String kind, String name, List<String> columns, String text, boolean enforced) {}

    RelationMetadata relation() {
        return relation;
    }

    String keyspace() {
        return relation.getKeyspace().asInternal();
    }

    String name() {
        return relation.getName().asInternal();
    }

    boolean isView() {
        return !(relation instanceof TableMetadata);
    }

    private String label(String column) {
        return declared == null ? column : declared.label(column);
    }

    List<Shown> columns() {
        List<String> names = declared == null
                ? relation.getColumns().keySet().stream()
                        .map(CqlIdentifier::asInternal)
                        .toList()
                : declared.columns();
        List<Shown> columns = new ArrayList<>();
        for (String name : names) {
            ColumnMetadata column =
                    relation.getColumn(CqlIdentifier.fromInternal(name)).orElseThrow();
            Optional<ColumnDefinition> definition = declared == null ? Optional.empty() : declared.column(name);
            SqlType sqlType = definition.map(ColumnDefinition::type).orElse(null);
            DeclaredType type =
                    sqlType == null ? DeclaredType.of(column.getType()).orElse(null) : new DeclaredType(sqlType);
            columns.add(new Shown(
                    name,
                    label(name),
                    columns.size() + 1,
                    type,
                    type == null ? JdbcType.of(column.getType()).sqlServerName() : type.name(),
                    declared == null ? relation.getPrimaryKey().contains(column) : declared.isRequired(name),
                    name.equals(identity),
                    defaults.get(name),
                    definition
                            .map(ColumnDefinition::collation)
                            .filter(collation -> !collation.isEmpty())
                            .orElse(null)));
        }
        return columns;
    }

    /** Returns the UNIQUE constraints and indexes that are kept. */
    List<UniqueKey> uniqueKeys() {
        return declared == null ? List.of() : declared.definition().uniqueKeys();
    }

    /** Returns the constraints, the primary key first. A constraint that was given no name has one that is made of the table's. */
    List<Constraint> constraints() {
        List<Constraint> constraints = new ArrayList<>();
        constraints.add(new Constraint(
                "PRIMARY KEY",
                "PK_" + name(),
                relation.getPrimaryKey().stream()
                        .map(column -> label(Twin.original(column.getName().asInternal())))
                        .toList(),
                "",
                true));
        List<ConstraintDefinition> others =
                declared == null ? List.of() : declared.definition().constraints();
        List<ColumnDefinition> columns =
                declared == null ? List.of() : declared.definition().columns();
        for (ConstraintDefinition each : others) {
            if (each.kind().isUniqueIndex()) {
                // In SQL Server an index is no constraint either.
                continue;
            }
            String prefix =
                    switch (each.kind()) {
                        case UNIQUE, UNIQUE_INDEX, UNIQUE_INDEX_NOT_NULL -> "UQ_";
                        case CHECK -> "CK_";
                        case FOREIGN_KEY -> "FK_";
                    };
            constraints.add(new Constraint(
                    each.kind().name().replace('_', ' '),
                    each.name().isEmpty() ? prefix + name() + "_" + constraints.size() : each.name(),
                    each.columns().stream().map(this::label).toList(),
                    each.text(),
                    each.reserved() != null
                            || (each.kind() == ConstraintDefinition.Kind.CHECK
                                    && CheckExpression.parse(each.text(), columns)
                                            .isPresent())));
        }
        return constraints;
    }
}
