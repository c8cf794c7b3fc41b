package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.DeclaredTable;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.JdbcType;
import dev.cassidy.jdbc.value.LikePattern;
import dev.cassidy.jdbc.value.MetaRows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of the cluster behind a connection. A keyspace is JDBC's schema, and there are no catalogs. A null
 * schema, and SQL Server's {@code dbo}, mean the connection's keyspace. The product is named Apache Cassandra, so that
 * Spring and others use their generic ways, unless the option presentAs says otherwise.
 */
final class CassidyDatabaseMetaData extends PlainDatabaseMetaData implements WrapsNothing {

    private static final String TABLE = "TABLE";
    private static final String VIEW = "VIEW";
    private static final int LONGEST_NAME = 48;
    private static final String PRODUCT = "Apache Cassandra";

    private final CassidyConnection connection;
    private final SharedSession session;

    CassidyDatabaseMetaData(CassidyConnection connection) throws SQLException {
        this.connection = connection;
        this.session = connection.state().session();
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public String getURL() {
        return connection.state().settings().url();
    }

    @Override
    public String getUserName() {
        return connection.state().settings().user().orElse("");
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getDatabaseProductName() {
        return presentsAsSqlServer() ? "Microsoft SQL Server" : PRODUCT;
    }

    @Override
    public String getDatabaseProductVersion() {
        String version = version().map(Version::toString).orElse("");
        return presentsAsSqlServer()
                ? ConnectionSettings.SQL_SERVER_MAJOR + ".0 (" + PRODUCT + " " + version + ")"
                : version;
    }

    @Override
    public int getDatabaseMajorVersion() {
        return presentsAsSqlServer()
                ? ConnectionSettings.SQL_SERVER_MAJOR
                : version().map(Version::getMajor).orElse(0);
    }

    @Override
    public int getDatabaseMinorVersion() {
        return presentsAsSqlServer() ? 0 : version().map(Version::getMinor).orElse(0);
    }

    /** Tools that check a schema compare the names of types with those of their dialect. */
    private String typeName(JdbcType type) {
        return presentsAsSqlServer() ? type.sqlServerName() : type.name();
    }

    private boolean presentsAsSqlServer() {
        return connection.state().settings().presentsAsSqlServer();
    }

    /** Returns the lowest one while the cluster is being upgraded. */
    private Optional<Version> version() {
        return session.plain().getMetadata().getNodes().values().stream()
                .map(Node::getCassandraVersion)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder());
    }

    @Override
    public String getDriverName() {
        return "Cassidy JDBC driver";
    }

    @Override
    public String getDriverVersion() {
        return DriverVersion.MAJOR + "." + DriverVersion.MINOR;
    }

    @Override
    public int getDriverMajorVersion() {
        return DriverVersion.MAJOR;
    }

    @Override
    public int getDriverMinorVersion() {
        return DriverVersion.MINOR;
    }

    @Override
    public int getJDBCMajorVersion() {
        return 4;
    }

    @Override
    public int getJDBCMinorVersion() {
        return 3;
    }

    @Override
    public int getSQLStateType() {
        return sqlStateSQL;
    }

    @Override
    public RowIdLifetime getRowIdLifetime() {
        return RowIdLifetime.ROWID_UNSUPPORTED;
    }

    @Override
    public boolean allTablesAreSelectable() {
        return true;
    }

    @Override
    public boolean storesLowerCaseIdentifiers() {
        return true;
    }

    @Override
    public boolean supportsMixedCaseQuotedIdentifiers() {
        return true;
    }

    @Override
    public String getIdentifierQuoteString() {
        return "\"";
    }

    @Override
    public String getSearchStringEscape() {
        return "\\";
    }

    @Override
    public String getSchemaTerm() {
        return "keyspace";
    }

    @Override
    public String getCatalogTerm() {
        return "catalog";
    }

    @Override
    public String getCatalogSeparator() {
        return ".";
    }

    @Override
    public String getProcedureTerm() {
        return "procedure";
    }

    @Override
    public String getSQLKeywords() {
        return "ALLOW,BATCH,FILTERING,KEYSPACE,TOKEN,TRUNCATE,TTL,USE,USING,WRITETIME";
    }

    @Override
    public boolean supportsAlterTableWithAddColumn() {
        return true;
    }

    @Override
    public boolean supportsAlterTableWithDropColumn() {
        return true;
    }

    @Override
    public boolean supportsColumnAliasing() {
        return true;
    }

    @Override
    public boolean supportsNonNullableColumns() {
        return true;
    }

    @Override
    public boolean supportsMultipleResultSets() {
        return true;
    }

    @Override
    public boolean supportsMultipleOpenResults() {
        return true;
    }

    @Override
    public boolean supportsMultipleTransactions() {
        return true;
    }

    @Override
    public boolean supportsMinimumSQLGrammar() {
        return false;
    }

    @Override
    public boolean supportsBatchUpdates() {
        return true;
    }

    @Override
    public boolean supportsGetGeneratedKeys() {
        return true;
    }

    @Override
    public boolean generatedKeyAlwaysReturned() {
        return false;
    }

    @Override
    public boolean supportsSchemasInDataManipulation() {
        return true;
    }

    @Override
    public boolean supportsSchemasInTableDefinitions() {
        return true;
    }

    @Override
    public boolean supportsSchemasInIndexDefinitions() {
        return true;
    }

    @Override
    public boolean supportsSchemasInPrivilegeDefinitions() {
        return true;
    }

    @Override
    public boolean supportsSchemasInProcedureCalls() {
        return false;
    }

    @Override
    public boolean supportsTransactions() {
        return connection.state().settings().buffersTransactions();
    }

    @Override
    public boolean supportsSavepoints() {
        return supportsTransactions();
    }

    @Override
    public boolean supportsDataManipulationTransactionsOnly() {
        return supportsTransactions();
    }

    /** Every level can be set, and none has an effect. */
    @Override
    public boolean supportsTransactionIsolationLevel(int level) {
        return level == Connection.TRANSACTION_READ_UNCOMMITTED
                || level == Connection.TRANSACTION_READ_COMMITTED
                || level == Connection.TRANSACTION_REPEATABLE_READ
                || level == Connection.TRANSACTION_SERIALIZABLE;
    }

    @Override
    public int getDefaultTransactionIsolation() {
        return Connection.TRANSACTION_READ_COMMITTED;
    }

    @Override
    public boolean supportsOpenCursorsAcrossCommit() {
        return true;
    }

    @Override
    public boolean supportsOpenCursorsAcrossRollback() {
        return true;
    }

    @Override
    public boolean supportsOpenStatementsAcrossCommit() {
        return true;
    }

    @Override
    public boolean supportsOpenStatementsAcrossRollback() {
        return true;
    }

    @Override
    public boolean supportsResultSetType(int type) {
        return type == ResultSet.TYPE_FORWARD_ONLY || type == ResultSet.TYPE_SCROLL_INSENSITIVE;
    }

    @Override
    public boolean supportsResultSetConcurrency(int type, int concurrency) {
        return supportsResultSetType(type) && concurrency == ResultSet.CONCUR_READ_ONLY;
    }

    @Override
    public boolean supportsResultSetHoldability(int holdability) {
        return holdability == ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public int getResultSetHoldability() {
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public boolean supportsStatementPooling() {
        return false;
    }

    @Override
    public int getMaxStatements() {
        return 0;
    }

    @Override
    public int getMaxTableNameLength() {
        return LONGEST_NAME;
    }

    @Override
    public int getMaxSchemaNameLength() {
        return LONGEST_NAME;
    }

    @Override
    public int getMaxColumnNameLength() {
        return 0;
    }

    @Override
    public ResultSet getCatalogs() {
        return CassidyResultSet.of(new MetaRows("TABLE_CAT"));
    }

    @Override
    public ResultSet getSchemas() {
        return getSchemas(null, "%");
    }

    @Override
    public ResultSet getSchemas(@Nullable String catalog, @Nullable String schemaPattern) {
        MetaRows rows = new MetaRows("TABLE_SCHEM", "TABLE_CATALOG");
        keyspaces(schemaPattern == null ? "%" : schemaPattern)
                .forEach(keyspace -> rows.add(keyspace.getName().asInternal(), null));
        return CassidyResultSet.of(rows);
    }

    @Override
    public ResultSet getTableTypes() {
        return CassidyResultSet.of(new MetaRows("TABLE_TYPE").add(TABLE).add(VIEW));
    }

    @Override
    public ResultSet getTables(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String tablePattern,
            String @Nullable [] types) {
        MetaRows rows = new MetaRows(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "TABLE_TYPE",
                "REMARKS",
                "TYPE_CAT",
                "TYPE_SCHEM",
                "TYPE_NAME",
                "SELF_REFERENCING_COL_NAME",
                "REF_GENERATION");
        List<RelationMetadata> found = relations(schemaPattern, tablePattern);
        found.sort(Comparator.comparing(CassidyDatabaseMetaData::type));
        for (RelationMetadata relation : found) {
            if (types == null || Arrays.asList(types).contains(type(relation))) {
                rows.add(
                        null,
                        schema(schemaPattern, relation),
                        relation.getName().asInternal(),
                        type(relation),
                        comment(relation),
                        null,
                        null,
                        null,
                        null,
                        null);
            }
        }
        return CassidyResultSet.of(rows);
    }

    private static String type(RelationMetadata relation) {
        return relation instanceof TableMetadata ? TABLE : VIEW;
    }

    private static String comment(RelationMetadata relation) {
        Object comment = relation.getOptions().get(CqlIdentifier.fromInternal("comment"));
        return comment == null ? "" : comment.toString();
    }

    /**
     * Of a table that T-SQL has defined, as it was declared, but for the names: they are those of Cassandra, not as CREATE TABLE
     * wrote them. Tools write the names that they read in double quotes, which find a column by its exact name alone, and unquoted
     * names are stored in lower case, as this class says. {@code sp_columns} and INFORMATION_SCHEMA show them as they were
     * written.
     */
    @Override
    public ResultSet getColumns(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String tablePattern,
            @Nullable String columnPattern)
            throws SQLException {
        MetaRows rows = new MetaRows(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "COLUMN_NAME",
                "DATA_TYPE int",
                "TYPE_NAME",
                "COLUMN_SIZE int",
                "BUFFER_LENGTH int",
                "DECIMAL_DIGITS int",
                "NUM_PREC_RADIX int",
                "NULLABLE int",
                "REMARKS",
                "COLUMN_DEF",
                "SQL_DATA_TYPE int",
                "SQL_DATETIME_SUB int",
                "CHAR_OCTET_LENGTH int",
                "ORDINAL_POSITION int",
                "IS_NULLABLE",
                "SCOPE_CATALOG",
                "SCOPE_SCHEMA",
                "SCOPE_TABLE",
                "SOURCE_DATA_TYPE smallint",
                "IS_AUTOINCREMENT",
                "IS_GENERATEDCOLUMN");
        for (RelationMetadata relation : relations(schemaPattern, tablePattern)) {
            Optional<String> identity = identity(relation);
            Map<String, String> defaults = session.columnDefaults(
                    relation.getKeyspace().asInternal(), relation.getName().asInternal());
            Optional<DeclaredTable> declared = declared(relation);
            List<ColumnMetadata> columns = columns(relation, declared);
            List<ColumnMetadata> wanted = LikePattern.matching(
                    columns, columnPattern, column -> column.getName().asInternal());
            for (ColumnMetadata column : wanted) {
                String name = column.getName().asInternal();
                JdbcType type = JdbcType.of(column.getType());
                DeclaredType given = declared.flatMap(table -> table.column(name))
                        .map(ColumnDefinition::type)
                        .map(DeclaredType::new)
                        .orElse(null);
                boolean required = declared.map(table -> table.isRequired(name))
                        .orElseGet(() -> relation.getPrimaryKey().contains(column));
                rows.add(
                        null,
                        schema(schemaPattern, relation),
                        relation.getName().asInternal(),
                        name,
                        type.read(given).sqlType(),
                        given == null ? typeName(type) : given.name(),
                        given == null ? type.columnSize() : Integer.valueOf(given.size()),
                        null,
                        given == null ? type.decimalDigits() : given.digits(),
                        type.isNumber() ? 10 : null,
                        required ? columnNoNulls : columnNullable,
                        "",
                        defaults.get(name),
                        null,
                        null,
                        given == null ? (type.isText() ? type.columnSize() : null) : given.octets(),
                        columns.indexOf(column) + 1,
                        required ? "NO" : "YES",
                        null,
                        null,
                        null,
                        null,
                        identity.filter(name::equals).isPresent() ? "YES" : "NO",
                        "NO");
            }
        }
        return CassidyResultSet.of(rows);
    }

    private Optional<DeclaredTable> declared(RelationMetadata relation) {
        return relation instanceof TableMetadata table ? session.tables().declaredTable(table) : Optional.empty();
    }

    private static List<ColumnMetadata> columns(RelationMetadata relation, Optional<DeclaredTable> declared) {
        return declared.map(table -> table.columns().stream()
                        .map(name -> relation.getColumns().get(CqlIdentifier.fromInternal(name)))
                        .toList())
                .orElseGet(() -> List.copyOf(relation.getColumns().values()));
    }

    private Optional<String> identity(RelationMetadata relation) throws SQLException {
        return relation instanceof TableMetadata
                ? session.identityColumn(
                        relation.getKeyspace().asInternal(), relation.getName().asInternal())
                : Optional.empty();
    }

    private static String required(@Nullable String table) throws SQLException {
        if (table == null) {
            throw new SQLException("must be the name of a table: table=null", SqlStates.BAD_ARGUMENT);
        }
        return table;
    }

    /** Returns the columns of the primary key, as statements name them. */
    private static List<ColumnMetadata> key(RelationMetadata relation) {
        return relation.getPrimaryKey().stream()
                .map(column -> relation.getColumn(CqlIdentifier.fromInternal(
                                Twin.original(column.getName().asInternal())))
                        .orElse(column))
                .toList();
    }

    @Override
    public ResultSet getPrimaryKeys(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        MetaRows rows =
                new MetaRows("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ smallint", "PK_NAME");
        for (RelationMetadata relation : relations(schema, LikePattern.escaped(required(table)))) {
            List<ColumnMetadata> key = key(relation);
            key.stream()
                    .sorted(Comparator.comparing(column -> column.getName().asInternal()))
                    .forEach(column -> rows.add(
                            null,
                            schema(schema, relation),
                            relation.getName().asInternal(),
                            column.getName().asInternal(),
                            (short) (key.indexOf(column) + 1),
                            "PK_" + relation.getName().asInternal()));
        }
        return CassidyResultSet.of(rows);
    }

    @Override
    public ResultSet getBestRowIdentifier(
            @Nullable String catalog, @Nullable String schema, @Nullable String table, int scope, boolean nullable)
            throws SQLException {
        MetaRows rows = new MetaRows(
                "SCOPE smallint",
                "COLUMN_NAME",
                "DATA_TYPE int",
                "TYPE_NAME",
                "COLUMN_SIZE int",
                "BUFFER_LENGTH int",
                "DECIMAL_DIGITS smallint",
                "PSEUDO_COLUMN smallint");
        for (RelationMetadata relation : relations(schema, LikePattern.escaped(required(table)))) {
            for (ColumnMetadata column : key(relation)) {
                JdbcType type = JdbcType.of(column.getType());
                rows.add(
                        (short) bestRowSession,
                        column.getName().asInternal(),
                        type.sqlType(),
                        type.name(),
                        type.columnSize(),
                        null,
                        null,
                        (short) bestRowNotPseudo);
            }
        }
        return CassidyResultSet.of(rows);
    }

    @Override
    public ResultSet getIndexInfo(
            @Nullable String catalog,
            @Nullable String schema,
            @Nullable String table,
            boolean unique,
            boolean approximate)
            throws SQLException {
        MetaRows rows = new MetaRows(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "NON_UNIQUE boolean",
                "INDEX_QUALIFIER",
                "INDEX_NAME",
                "TYPE smallint",
                "ORDINAL_POSITION smallint",
                "COLUMN_NAME",
                "ASC_OR_DESC",
                "CARDINALITY bigint",
                "PAGES bigint",
                "FILTER_CONDITION");
        for (RelationMetadata relation : relations(schema, LikePattern.escaped(required(table)))) {
            if (!(relation instanceof TableMetadata indexed)) {
                continue;
            }
            List<UniqueKey> keys = declared(relation)
                    .map(known -> known.definition().uniqueKeys())
                    .orElse(List.of());
            for (UniqueKey key : keys) {
                for (int i = 0; i < key.columns().size(); i++) {
                    rows.add(
                            null,
                            schema(schema, relation),
                            relation.getName().asInternal(),
                            false,
                            null,
                            key.shown(relation.getName().asInternal()),
                            tableIndexOther,
                            (short) (i + 1),
                            key.columns().get(i),
                            null,
                            0L,
                            0L,
                            key.nullsApart() ? filter(key) : null);
                }
            }
            if (unique) {
                // None of Cassandra's indexes is.
                continue;
            }
            for (IndexMetadata index : indexed.getIndexes().values()) {
                rows.add(
                        null,
                        schema(schema, relation),
                        relation.getName().asInternal(),
                        true,
                        null,
                        index.getName().asInternal(),
                        tableIndexOther,
                        (short) 1,
                        Twin.shown(index.getTarget()),
                        null,
                        0L,
                        0L,
                        null);
            }
        }
        return CassidyResultSet.of(rows);
    }

    private static String filter(UniqueKey key) {
        return key.columns().stream()
                .map(column -> "[" + column + "] IS NOT NULL")
                .collect(Collectors.joining(" AND ", "(", ")"));
    }

    @Override
    public ResultSet getTypeInfo() {
        MetaRows rows = new MetaRows(
                "TYPE_NAME",
                "DATA_TYPE int",
                "PRECISION int",
                "LITERAL_PREFIX",
                "LITERAL_SUFFIX",
                "CREATE_PARAMS",
                "NULLABLE smallint",
                "CASE_SENSITIVE boolean",
                "SEARCHABLE smallint",
                "UNSIGNED_ATTRIBUTE boolean",
                "FIXED_PREC_SCALE boolean",
                "AUTO_INCREMENT boolean",
                "LOCAL_TYPE_NAME",
                "MINIMUM_SCALE smallint",
                "MAXIMUM_SCALE smallint",
                "SQL_DATA_TYPE int",
                "SQL_DATETIME_SUB int",
                "NUM_PREC_RADIX int");
        JdbcType.BUILT_IN.stream()
                .sorted(Comparator.comparing(JdbcType::sqlType))
                .forEach(type -> rows.add(
                        type.name(),
                        type.sqlType(),
                        type.columnSize(),
                        type.isQuoted() ? "'" : null,
                        type.isQuoted() ? "'" : null,
                        null,
                        (short) typeNullable,
                        type.isText(),
                        (short) typePredBasic,
                        !type.signed(),
                        false,
                        false,
                        null,
                        scale(type),
                        scale(type),
                        null,
                        null,
                        type.isNumber() ? 10 : null));
        return CassidyResultSet.of(rows);
    }

    private static @Nullable Short scale(JdbcType type) {
        Integer digits = type.decimalDigits();
        return digits == null ? null : digits.shortValue();
    }

    private TypesAndFunctions typesAndFunctions(@Nullable String schemaPattern) {
        return new TypesAndFunctions(keyspaces(schemaPattern));
    }

    @Override
    public ResultSet getUDTs(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String typePattern,
            int @Nullable [] types) {
        return typesAndFunctions(schemaPattern).types(typePattern, types);
    }

    @Override
    public ResultSet getAttributes(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String typePattern,
            @Nullable String attributePattern) {
        return typesAndFunctions(schemaPattern).attributes(typePattern, attributePattern);
    }

    @Override
    public ResultSet getFunctions(
            @Nullable String catalog, @Nullable String schemaPattern, @Nullable String functionPattern) {
        return typesAndFunctions(schemaPattern).functionRows(functionPattern);
    }

    @Override
    public ResultSet getFunctionColumns(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String functionPattern,
            @Nullable String columnPattern) {
        return typesAndFunctions(schemaPattern).functionColumns(functionPattern, columnPattern);
    }

    private List<KeyspaceMetadata> keyspaces(@Nullable String schemaPattern) {
        List<KeyspaceMetadata> all =
                new ArrayList<>(session.plain().getMetadata().getKeyspaces().values());
        all.sort(Comparator.comparing(keyspace -> keyspace.getName().asInternal()));
        Optional<CqlIdentifier> own = connection.state().settings().keyspace();
        if (own.isPresent() && (schemaPattern == null || isAlias(schemaPattern))) {
            return all.stream()
                    .filter(keyspace -> keyspace.getName().equals(own.get()))
                    .toList();
        }
        return LikePattern.matching(
                all, schemaPattern, keyspace -> keyspace.getName().asInternal());
    }

    private boolean isAlias(@Nullable String schemaPattern) {
        return "dbo".equalsIgnoreCase(schemaPattern)
                && session.plain()
                        .getMetadata()
                        .getKeyspace(CqlIdentifier.fromInternal("dbo"))
                        .isEmpty();
    }

    /** Returns the alias if the query used it: SimpleJdbcInsert looks for the schema that it gave. */
    private String schema(@Nullable String schemaPattern, RelationMetadata relation) {
        return schemaPattern != null && isAlias(schemaPattern)
                ? schemaPattern
                : relation.getKeyspace().asInternal();
    }

    private List<RelationMetadata> relations(@Nullable String schemaPattern, @Nullable String tablePattern) {
        List<RelationMetadata> found = new ArrayList<>();
        for (KeyspaceMetadata keyspace : keyspaces(schemaPattern)) {
            List<RelationMetadata> all = new ArrayList<>(keyspace.getTables().values());
            // As SQL Server shows no index as a table.
            all.removeIf(table -> Reservations.isOne(table.getName().asInternal())
                    || CountMark.isTable(table.getName().asInternal()));
            all.addAll(keyspace.getViews().values());
            all.sort(Comparator.comparing(relation -> relation.getName().asInternal()));
            found.addAll(LikePattern.matching(
                    all, tablePattern, relation -> relation.getName().asInternal()));
        }
        return found;
    }
}
