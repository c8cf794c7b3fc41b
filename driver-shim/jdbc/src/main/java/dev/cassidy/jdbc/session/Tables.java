package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.ViewMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables that statements name, as the session knows them without asking; one that it does not know is looked up in the
 * cluster, because another session may have made it a moment ago.
 *
 * @param declared what T-SQL has said of them, which may have to be read
 */
public record Tables(CqlSession session, DeclaredTables declared, SchemaLag lag, SeenTwins twins) implements Schema {

    private Optional<CqlIdentifier> keyspace(Optional<String> named) {
        return named.map(CqlIdentifier::fromInternal).or(session::getKeyspace);
    }

    private Optional<TableMetadata> find(Optional<String> named, String table) {
        CqlIdentifier keyspace = keyspace(named).orElse(null);
        if (keyspace == null) {
            return Optional.empty();
        }
        Optional<TableMetadata> known = known(keyspace, table);
        if (known.isPresent() || view(keyspace, table).isPresent()) {
            return known;
        }
        lag.catchUp(keyspace.asInternal(), table);
        return known(keyspace, table);
    }

    private Optional<TableMetadata> known(CqlIdentifier keyspace, String table) {
        return session.getMetadata()
                .getKeyspace(keyspace)
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)));
    }

    private Optional<ViewMetadata> view(CqlIdentifier keyspace, String view) {
        return session.getMetadata()
                .getKeyspace(keyspace)
                .flatMap(found -> found.getView(CqlIdentifier.fromInternal(view)));
    }

    Optional<? extends RelationMetadata> tableOrView(CqlInsert.Table named) {
        Optional<String> keyspace = Optional.ofNullable(named.keyspace());
        Optional<TableMetadata> table = find(keyspace, named.name());
        return table.isPresent() ? table : keyspace(keyspace).flatMap(in -> view(in, named.name()));
    }

    @Override
    public void readAgain(CqlInsert.Table table) {
        keyspace(Optional.ofNullable(table.keyspace()))
                .map(CqlIdentifier::asInternal)
                .ifPresent(keyspace -> {
                    lag.catchUp(keyspace, table.name());
                    declared.readAgain(keyspace, table.name());
                });
    }

    /** Returns whether no table has values that must be unique; false also if that is not known without a read. */
    public boolean areNoneUnique() {
        return declared.areNoneUnique();
    }

    /**
     * Returns the UNIQUE constraints and indexes of a table that are kept, for a statement that writes.
     *
     * @throws UnreadDeclarations if they are not known; also if they are those of another table of the name, and this one is marked
     */
    public List<UniqueKey> uniqueKeys(CqlInsert.Table named) {
        if (areNoneUnique()) {
            return List.of();
        }
        CqlIdentifier keyspace = keyspace(Optional.ofNullable(named.keyspace())).orElse(null);
        TableMetadata table =
                find(Optional.ofNullable(named.keyspace()), named.name()).orElse(null);
        if (keyspace == null || table == null) {
            return List.of();
        }
        Optional<TableDefinition> found = definitionOf(table);
        if (found.isEmpty() && isMarked(table) && isUniqueByName(keyspace.asInternal(), named.name())) {
            // It was made again a moment ago, and the driver sees the one before.
            lag.catchUp(keyspace.asInternal(), named.name());
            table = known(keyspace, named.name()).orElse(table);
            found = definitionOf(table);
            if (found.isEmpty()) {
                throw new UnreadDeclarations(new SQLTransientException(
                        "Table " + qualified(named)
                                + " was made again, and this client does not see it yet: nothing was"
                                + " written. Run it again",
                        SqlStates.CONFLICT));
            }
        }
        return ofColumns(found, table);
    }

    /** As {@link #uniqueKeys}, for a statement that reads: none are known where Cassidy's keyspaces cannot be used at all. */
    public List<UniqueKey> uniqueKeysForReads(CqlInsert.Table named) {
        TableMetadata table = areNoneUnique()
                ? null
                : find(Optional.ofNullable(named.keyspace()), named.name()).orElse(null);
        return table == null
                ? List.of()
                : ofColumns(
                        table.getId()
                                .flatMap(id -> declared.definitionForReads(
                                        table.getKeyspace().asInternal(), named.name(), id)),
                        table);
    }

    /**
     * Returns the columns of an exact table whose strings are equal by a collation, and that; none of any other table.
     *
     * @throws UnreadDeclarations if they are not known
     */
    public Map<String, Collation> collations(CqlInsert.Table named) {
        return marked(named)
                .map(table -> collations(definitionOf(table), table))
                .orElse(Map.of());
    }

    /** As {@link #collations}, for a statement that reads: none are known where Cassidy's keyspaces cannot be used at all. */
    public Map<String, Collation> collationsForReads(CqlInsert.Table named) {
        return marked(named)
                .map(table -> collations(
                        table.getId()
                                .flatMap(id -> declared.definitionForReads(
                                        table.getKeyspace().asInternal(), named.name(), id)),
                        table))
                .orElse(Map.of());
    }

    private Optional<TableMetadata> marked(CqlInsert.Table named) {
        return find(Optional.ofNullable(named.keyspace()), named.name()).filter(Tables::isMarked);
    }

    private static Map<String, Collation> collations(Optional<TableDefinition> definition, TableMetadata table) {
        Map<String, Collation> collations = new HashMap<>();
        for (ColumnDefinition column : definition.map(TableDefinition::columns).orElse(List.of())) {
            table.getColumn(CqlIdentifier.fromInternal(column.name()))
                    .filter(Tables::isText)
                    .flatMap(found -> column.equality())
                    .ifPresent(collation -> collations.put(column.name(), collation));
        }
        return collations;
    }

    private static boolean isText(ColumnMetadata column) {
        return column.getType().equals(DataTypes.TEXT) || column.getType().equals(DataTypes.ASCII);
    }

    /** A column that the table does not have counts for nothing. */
    private static List<UniqueKey> ofColumns(Optional<TableDefinition> definition, TableMetadata table) {
        return definition.map(TableDefinition::uniqueKeys).orElse(List.of()).stream()
                .filter(key -> key.columns().stream()
                        .allMatch(column -> table.getColumn(CqlIdentifier.fromInternal(column))
                                .isPresent()))
                .toList();
    }

    private Optional<TableDefinition> definitionOf(TableMetadata table) {
        return table.getId()
                .flatMap(id -> declared.definition(
                        table.getKeyspace().asInternal(), table.getName().asInternal(), id));
    }

    private boolean isUniqueByName(String keyspace, String table) {
        return declared.cachedDefinition(keyspace, table)
                .filter(definition -> !definition.uniqueKeys().isEmpty())
                .isPresent();
    }

    private static boolean isMarked(TableMetadata table) {
        return table.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isPresent();
    }

    /** Returns the types of the columns of a table or view, by their internal names; none if it is not known. */
    public Map<String, DataType> types(CqlInsert.Table named) {
        Map<String, DataType> types = new HashMap<>();
        tableOrView(named).ifPresent(relation -> relation.getColumns()
                .forEach((column, metadata) -> types.put(column.asInternal(), metadata.getType())));
        return types;
    }

    @Override
    public boolean isType(@Nullable String keyspace, String type) {
        return keyspace(Optional.ofNullable(keyspace))
                .flatMap(name -> session.getMetadata().getKeyspace(name))
                .flatMap(known -> known.getUserDefinedType(CqlIdentifier.fromInternal(type)))
                .isPresent();
    }

    @Override
    public boolean isField(CqlInsert.Table table, String column, String field) {
        return tableOrView(table)
                .flatMap(relation -> relation.getColumn(CqlIdentifier.fromInternal(column)))
                .filter(found -> found.getType() instanceof UserDefinedType type
                        && type.firstIndexOf(CqlIdentifier.fromInternal(field)) >= 0)
                .isPresent();
    }

    @Override
    public boolean hasAll(CqlInsert.Table table, List<String> columns) {
        TableMetadata found =
                find(Optional.ofNullable(table.keyspace()), table.name()).orElse(null);
        if (found == null) {
            return false;
        }
        for (String column : columns) {
            if (found.getColumn(CqlIdentifier.fromInternal(column)).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean isColumn(CqlInsert.Table table, String column) {
        return tableOrView(table)
                .flatMap(relation -> relation.getColumn(CqlIdentifier.fromInternal(column)))
                .isPresent();
    }

    @Override
    public boolean isText(CqlInsert.Table table, String column) {
        return tableOrView(table)
                .flatMap(relation -> relation.getColumn(CqlIdentifier.fromInternal(column)))
                .filter(Tables::isText)
                .isPresent();
    }

    /** Returns the columns of the primary key as Cassandra has it, with twins; none if the table is not known. */
    public List<String> key(CqlInsert.Table table) {
        return tableOrView(table).stream()
                .flatMap(relation -> relation.getPrimaryKey().stream())
                .map(column -> column.getName().asInternal())
                .toList();
    }

    @Override
    public List<String> namedKey(CqlInsert.Table table) {
        return key(table).stream().map(Twin::original).toList();
    }

    // ---- twins

    /**
     * Returns whether no table has a twin, as the driver sees the schema and as far as contracts are known without a read: the schema that
     * the driver sees may lack one that is kept already.
     */
    public boolean areNoneTwinned() {
        return twins.areNone() && declared.areNoneTwinned();
    }

    /**
     * Returns which of some columns of an exact table have twins beside them, complete or not, which a write of these columns keeps.
     *
     * @throws UnreadDeclarations if they are not known, or if the table lacks one
     */
    public Set<String> twinsToKeep(CqlInsert.Table named, Set<String> columns) {
        TableMetadata table = marked(named).orElse(null);
        if (table == null) {
            return Set.of();
        }
        Map<String, Twin> declaredNow = twinsBeside(definitionOf(table));
        if (!declaredNow.keySet().containsAll(twinsSeen(table))) {
            // It was declared a moment ago, or the table was made again.
            readAgain(named);
            table = marked(named).orElse(table);
            declaredNow = twinsBeside(definitionOf(table));
        }
        if (!twinsSeen(table).containsAll(declaredNow.keySet())) {
            // A transaction writes the columns that the driver sees.
            lag.catchUp(table.getKeyspace().asInternal(), named.name());
            table = marked(named).orElse(table);
        }
        Set<String> kept = new TreeSet<>(declaredNow.keySet());
        kept.retainAll(columns);
        for (String column : kept) {
            if (!twinsSeen(table).contains(column)) {
                throw unseen(named, column, Objects.requireNonNull(declaredNow.get(column)));
            }
        }
        return kept;
    }

    /** Its column is there before a twin is declared, and long before that is complete. */
    private UnreadDeclarations unseen(CqlInsert.Table named, String column, Twin twin) {
        String what = "column " + column + " of table " + qualified(named);
        return new UnreadDeclarations(
                twin.isComplete()
                        ? new SQLNonTransientException(
                                "What stands beside " + what
                                        + ", by which rows are compared by its collation, was dropped by CQL. Nothing was"
                                        + " written: cassidy tables rebuild makes it again",
                                SqlStates.GENERAL)
                        : new SQLTransientException(
                                "An index by which rows are compared by their collation is made of " + what
                                        + ", and this client does not see what stands beside it yet: nothing was written."
                                        + " Run it again",
                                SqlStates.CONFLICT));
    }

    /** Returns the columns that have twins beside them, as the driver sees the schema. */
    private static Set<String> twinsSeen(TableMetadata table) {
        return table.getColumns().values().stream()
                .filter(column -> Twin.isOne(column.getName().asInternal()))
                .filter(column -> !table.getPrimaryKey().contains(column))
                .map(column -> Twin.original(column.getName().asInternal()))
                .collect(Collectors.toSet());
    }

    private static Map<String, Twin> twinsBeside(Optional<TableDefinition> definition) {
        return definition.map(TableDefinition::twinsBeside).orElse(Map.of());
    }

    /**
     * Returns the columns of an exact table by whose twins beside them a SELECT finds rows: each row has them, and there is an index on
     * them. None are known where Cassidy's keyspaces cannot be used at all.
     */
    public Set<String> twinsToReadBy(CqlInsert.Table named) {
        TableMetadata table = marked(named).orElse(null);
        if (table == null || table.getIndexes().isEmpty()) {
            return Set.of();
        }
        Set<String> indexed = IndexedColumns.of(table);
        if (indexed.stream().noneMatch(Twin::isOne)) {
            return Set.of();
        }
        Map<String, Twin> beside = twinsBeside(table.getId()
                .flatMap(id -> declared.definitionForReads(table.getKeyspace().asInternal(), named.name(), id)));
        return beside.entrySet().stream()
                .filter(each -> each.getValue().isComplete() && indexed.contains(Twin.nameOf(each.getKey())))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Returns the columns of a table or view that are in its primary key by a twin. */
    public Set<String> twinned(CqlInsert.Table table) {
        return tableOrView(table).stream()
                .flatMap(relation -> relation.getPrimaryKey().stream())
                .map(column -> column.getName().asInternal())
                .filter(Twin::isOne)
                .map(Twin::original)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean hasTwin(CqlInsert.Table table, String column) {
        return !areNoneTwinned() && twinned(table).contains(column);
    }

    /**
     * Returns the twin of a column that has one, in the primary key or beside it.
     *
     * @throws UnreadDeclarations if it is not known how the column is compared, or if this release does not know it
     */
    public Twin twin(CqlInsert.Table named, String column) {
        Optional<Twin> twin = declaredTwin(named, column);
        if (twin.isEmpty()) {
            // It was made a moment ago.
            readAgain(named);
            twin = declaredTwin(named, column);
        }
        twin.ifPresent(known -> requireKnown(known, named, column));
        return twin.orElseThrow(() -> new UnreadDeclarations(new SQLTransientException(
                "Column " + column + " of table " + qualified(named)
                        + " is compared by its collation, and nothing is declared of it here. If the table was made a moment ago, run it again;"
                        + " otherwise connect with the globalKeyspace of the installation that made it",
                SqlStates.CONFLICT)));
    }

    private void requireKnown(Twin twin, CqlInsert.Table named, String column) {
        try {
            var unused = twin.fold("");
        } catch (IllegalArgumentException e) {
            throw new UnreadDeclarations(new SQLNonTransientException(
                    "Column " + column + " of table " + qualified(named)
                            + " is compared by its collation, and this version of Cassidy does not know how: "
                            + e.getMessage()
                            + ". Use the version that has made the table",
                    SqlStates.GENERAL,
                    e));
        }
    }

    private Optional<Twin> declaredTwin(CqlInsert.Table named, String column) {
        return base(named)
                .flatMap(this::definitionOf)
                .flatMap(definition -> definition.column(column))
                .map(ColumnDefinition::twin);
    }

    /** Returns a table, or that of a view. */
    private Optional<TableMetadata> base(CqlInsert.Table named) {
        return tableOrView(named)
                .flatMap(relation -> relation instanceof ViewMetadata view
                        ? known(view.getKeyspace(), view.getBaseTable().asInternal())
                        : Optional.of((TableMetadata) relation));
    }

    // ---- columns that count

    /**
     * Returns the columns of a table to which statements add, by internal name.
     *
     * @throws UnreadDeclarations if that is not known
     */
    @Override
    public Set<String> countedColumns(CqlInsert.Table named) {
        if (areNoneCounted() && isKnown(named)) {
            return Set.of();
        }
        TableMetadata table =
                find(Optional.ofNullable(named.keyspace()), named.name()).orElse(null);
        if (table == null || (!isCounting(table) && !isMarked(table))) {
            return Set.of();
        }
        if (!isCounting(table)) {
            Set<String> unseen = declaredAsCounting(table);
            if (unseen.isEmpty()) {
                return Set.of();
            }
            // It is declared once the column is there.
            lag.catchUp(table.getKeyspace().asInternal(), named.name());
            table = marked(named).orElse(table);
            if (!isCounting(table)) {
                throw new UnreadDeclarations(new SQLTransientException(
                        "Columns of table " + qualified(named) + " count since a moment ago, " + unseen
                                + ", and this client does not see yet by what: run it again",
                        SqlStates.CONFLICT));
            }
        }
        Optional<TableDefinition> definition = definitionOf(table);
        if (definition.isEmpty()) {
            // It was made a moment ago.
            readAgain(named);
            definition = marked(named).flatMap(this::definitionOf);
        }
        return definition
                .map(TableDefinition::counted)
                .orElseThrow(() -> new UnreadDeclarations(new SQLTransientException(
                        "Table " + qualified(named)
                                + " has columns that count, and nothing is declared of it here. If the table was made a moment"
                                + " ago, run it again; otherwise connect with the globalKeyspace of the installation that made it",
                        SqlStates.CONFLICT)));
    }

    /** Where nobody can be asked, what Cassandra's schema says is all that is known: a SELECT is served there, and writes are refused. */
    private Set<String> declaredAsCounting(TableMetadata table) {
        try {
            return definitionOf(table).map(TableDefinition::counted).orElse(Set.of());
        } catch (UnreadDeclarations e) {
            return Set.of();
        }
    }

    private static boolean isCounting(TableMetadata table) {
        return table.getColumn(CqlIdentifier.fromInternal(CountMark.COLUMN)).isPresent();
    }

    /** Returns whether the driver sees no table with columns that count, and none is declared; false also if that is not known. */
    public boolean areNoneCounted() {
        return twins.areNoneCounted() && declared.areNoneCounted();
    }

    /** Returns whether the driver sees a table or view of a name. */
    public boolean isKnown(CqlInsert.Table named) {
        return keyspace(Optional.ofNullable(named.keyspace()))
                .filter(keyspace -> known(keyspace, named.name()).isPresent()
                        || view(keyspace, named.name()).isPresent())
                .isPresent();
    }

    // ---- columns

    /** Returns how many columns of the primary key are the partition key. */
    public int partition(CqlInsert.Table table) {
        return tableOrView(table)
                .map(relation -> relation.getPartitionKey().size())
                .orElse(0);
    }

    @Override
    public List<String> insertedColumns(CqlInsert.Table table) {
        TableMetadata found =
                find(Optional.ofNullable(table.keyspace()), table.name()).orElse(null);
        if (found == null) {
            return List.of();
        }
        String keyspace = found.getKeyspace().asInternal();
        return found.getId()
                .flatMap(id -> declared.definition(keyspace, table.name(), id))
                .map(definition -> definition.inserted(
                        found.getColumns().keySet().stream()
                                .map(CqlIdentifier::asInternal)
                                .toList(),
                        key(table),
                        declared.identity(keyspace, table.name()).orElse(null)))
                .orElse(List.of());
    }

    @Override
    public String defaultOf(CqlInsert.Table table, String column) {
        ColumnDefault found = find(Optional.ofNullable(table.keyspace()), table.name()).stream()
                .flatMap(known -> declared.defaults(known.getKeyspace().asInternal(), table.name()).stream())
                .filter(each -> each.column().equals(column))
                .findFirst()
                .orElse(null);
        if (found == null) {
            return "NULL";
        }
        return switch (found.kind()) {
            case CONSTANT -> found.value();
            case NOW -> CurrentTimes.NOW;
            case NEW_ID ->
                found.value().equals("uuid") ? "uuid()" : valueOfEachRow(found, "make it with UUID.randomUUID()");
            case NEXT_VALUE -> valueOfEachRow(found, "draw it with SELECT NEXT VALUE FOR " + found.value());
            case TWIN -> throw new IllegalStateException("is not registered: " + found);
        };
    }

    private static String valueOfEachRow(ColumnDefault given, String how) {
        throw new UnsupportedSqlException(
                "SET " + given.column() + " = DEFAULT, which is " + given.expression(),
                how + ", and give it as a parameter");
    }

    @Override
    public List<Selected> selectedColumns(CqlInsert.Table table) {
        TableMetadata found =
                find(Optional.ofNullable(table.keyspace()), table.name()).orElse(null);
        if (found == null) {
            return List.of();
        }
        return found.getId()
                .flatMap(id -> declared.definitionForReads(found.getKeyspace().asInternal(), table.name(), id))
                .or(() -> ofMarked(found))
                .map(definition -> new DeclaredTable(found, definition))
                .map(known -> known.columns().stream()
                        .map(column -> new Selected(column, known.label(column)))
                        .toList())
                .orElse(List.of());
    }

    /** Returns a table with what T-SQL has said of it, for metadata; empty if that is nothing, or cannot be read. */
    public Optional<DeclaredTable> declaredTable(CqlInsert.Table named) {
        return find(Optional.ofNullable(named.keyspace()), named.name()).flatMap(this::declaredTable);
    }

    /** As {@link #declaredTable(CqlInsert.Table)}. */
    public Optional<DeclaredTable> declaredTable(TableMetadata table) {
        return table.getId()
                .flatMap(id -> declared.knownDefinition(
                        table.getKeyspace().asInternal(), table.getName().asInternal(), id))
                .or(() -> ofMarked(table))
                .map(definition -> new DeclaredTable(table, definition));
    }

    /**
     * As {@link #declaredTable(CqlInsert.Table)}, for a statement whose rows depend on it: it may have to be read.
     *
     * @throws UnreadDeclarations if that is not answered now
     */
    public Optional<DeclaredTable> declaredTableForReads(CqlInsert.Table named) {
        return find(Optional.ofNullable(named.keyspace()), named.name()).flatMap(table -> table.getId()
                .flatMap(id -> declared.definitionForReads(
                        table.getKeyspace().asInternal(), table.getName().asInternal(), id))
                .or(() -> ofMarked(table))
                .map(definition -> new DeclaredTable(table, definition)));
    }

    /** Of an exact table of which T-SQL has said nothing, the mark is not shown either. */
    private static Optional<TableDefinition> ofMarked(TableMetadata table) {
        return table.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN))
                .flatMap(mark -> table.getId())
                .map(id -> new TableDefinition(id, List.of(), List.of()));
    }

    /** Returns whether a table is declared small, as far as that is known without a read. */
    boolean isSmall(RelationMetadata table) {
        return table.getId()
                .filter(id -> declared.isSmall(
                        table.getKeyspace().asInternal(), table.getName().asInternal(), id))
                .isPresent();
    }

    /** Returns whether the table of a name is declared small, as {@link #isSmall(RelationMetadata)}. */
    public boolean isSmall(TableModel table) {
        return tableOrView(new CqlInsert.Table(table.keyspace(), table.name()))
                .filter(this::isSmall)
                .isPresent();
    }

    /** Returns whether T-SQL has declared a column; it may have to be read. */
    public boolean declares(CqlInsert.Table named, String column) {
        return find(Optional.ofNullable(named.keyspace()), named.name())
                .flatMap(table -> table.getId()
                        .flatMap(id -> declared.definition(table.getKeyspace().asInternal(), named.name(), id)))
                .flatMap(definition -> definition.column(column))
                .isPresent();
    }

    /** The cluster is asked for the table, because the driver's view of the schema lags. */
    @Override
    public boolean isTsql(CqlInsert.Table table) {
        CqlIdentifier keyspace = keyspace(Optional.ofNullable(table.keyspace())).orElse(null);
        if (keyspace == null) {
            return false;
        }
        Row found;
        try {
            found = session.execute(SimpleStatement.newInstance(
                            "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                            keyspace.asInternal(),
                            table.name()))
                    .one();
        } catch (DriverException e) {
            throw new UnreadDeclarations(SqlErrors.of(e));
        }
        UUID id = found == null ? null : found.getUuid("id");
        return id != null
                && declared.definition(keyspace.asInternal(), table.name(), id).isPresent();
    }

    @Override
    public boolean servesLike(CqlInsert.Table table, String column) {
        return find(Optional.ofNullable(table.keyspace()), table.name()).stream()
                .flatMap(found -> found.getIndexes().values().stream())
                .filter(index -> CqlIdentifier.fromInternal(column).asCql(true).equals(index.getTarget())
                        || column.equals(index.getTarget()))
                .anyMatch(index -> index.getClassName()
                        .filter(name -> name.endsWith("SASIIndex"))
                        .isPresent());
    }

    @Override
    public boolean mayAssist(String select) {
        return Assistants.find().filter(found -> found.reads(select)).isPresent();
    }

    @Override
    public boolean mayAssistChange(String change) {
        return Assistants.find().filter(found -> found.readsChange(change)).isPresent();
    }

    @Override
    public String tableLike(@Nullable String keyspace, String name) {
        return keyspace(Optional.ofNullable(keyspace))
                .flatMap(in -> session.getMetadata().getKeyspace(in))
                .map(in -> like(name, in.getTables().keySet()))
                .orElse(name);
    }

    @Override
    public String columnLike(CqlInsert.Table table, String name) {
        return tableOrView(table)
                .map(relation -> like(name, relation.getColumns().keySet()))
                .orElse(name);
    }

    /** Returns the exact name if it is there, otherwise the only one that differs in case alone. */
    private static String like(String name, Set<CqlIdentifier> names) {
        if (names.contains(CqlIdentifier.fromInternal(name))) {
            return name;
        }
        List<String> found = names.stream()
                .map(CqlIdentifier::asInternal)
                .filter(name::equalsIgnoreCase)
                .toList();
        return found.size() == 1 ? found.get(0) : name;
    }

    public TableMetadata require(CqlInsert insert) throws SQLException {
        return find(insert.keyspace(), insert.table())
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "Table " + qualified(insert) + " does not exist", SqlStates.NO_TABLE));
    }

    public List<String> columns(CqlInsert insert) {
        return find(insert.keyspace(), insert.table())
                .map(table -> table.getColumns().keySet().stream()
                        .map(CqlIdentifier::asInternal)
                        .toList())
                .orElse(List.of());
    }

    /** Returns the insert's table with its keyspace, for messages. */
    public String qualified(CqlInsert insert) {
        return qualified(new CqlInsert.Table(insert.keyspace().orElse(null), insert.table()));
    }

    public String qualified(CqlInsert.Table named) {
        String table = CqlIdentifier.fromInternal(named.name()).asCql(true);
        return keyspace(Optional.ofNullable(named.keyspace()))
                .map(keyspace -> keyspace.asCql(true) + "." + table)
                .orElse(table);
    }

    /** Returns the one column of the primary key; empty if it has more. */
    public Optional<String> soleKey(CqlInsert insert) {
        return find(insert.keyspace(), insert.table())
                .filter(table -> table.getPrimaryKey().size() == 1)
                .map(table -> table.getPrimaryKey().get(0).getName().asInternal());
    }

    /** Returns the columns of the primary key, as statements name them; none if the table is not known. */
    public List<String> namedKey(CqlInsert insert) {
        return key(insert).stream().map(Twin::original).toList();
    }

    /** Returns the columns of the primary key as Cassandra has it, with twins; none if the table is not known. */
    public List<String> key(CqlInsert insert) {
        return find(insert.keyspace(), insert.table()).stream()
                .flatMap(table -> table.getPrimaryKey().stream())
                .map(column -> column.getName().asInternal())
                .toList();
    }

    public boolean leavesKeyOut(CqlInsert insert) {
        return !insert.isJson()
                && find(insert.keyspace(), insert.table())
                        .filter(table -> !table.getPrimaryKey().stream().allMatch(key -> insert.columns()
                                .contains(key.getName().asInternal())))
                        .isPresent();
    }

    /** Returns whether neither the row nor a static column can exist yet if the insert's {@code column} is new. */
    public boolean isNewWithANew(String column, CqlInsert insert) {
        return find(insert.keyspace(), insert.table())
                .filter(table -> table.getPrimaryKey().stream()
                        .anyMatch(key -> key.getName().asInternal().equals(column)))
                .filter(table -> table.getColumns().values().stream().noneMatch(ColumnMetadata::isStatic))
                .isPresent();
    }

    /** Returns the columns that are the partition's, and not a row's. */
    public Set<String> statics(CqlInsert.Table table) {
        return find(Optional.ofNullable(table.keyspace()), table.name()).stream()
                .flatMap(found -> found.getColumns().values().stream())
                .filter(ColumnMetadata::isStatic)
                .map(column -> column.getName().asInternal())
                .collect(Collectors.toSet());
    }

    public boolean hasCounters(CqlWrite write) {
        return find(write.keyspace(), write.table())
                .filter(table -> table.getColumns().values().stream()
                        .anyMatch(column -> column.getType().equals(DataTypes.COUNTER)))
                .isPresent();
    }
}
