package dev.cassidy.jdbc;

import dev.cassidy.jdbc.value.MetaRows;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import org.jspecify.annotations.Nullable;

/** The answers of JDBC's metadata for what Cassandra does not have: no, none, no limit. */
abstract class PlainDatabaseMetaData implements DatabaseMetaData {

    private static final String[] FOREIGN_KEY_COLUMNS = {
        "PKTABLE_CAT",
        "PKTABLE_SCHEM",
        "PKTABLE_NAME",
        "PKCOLUMN_NAME",
        "FKTABLE_CAT",
        "FKTABLE_SCHEM",
        "FKTABLE_NAME",
        "FKCOLUMN_NAME",
        "KEY_SEQ smallint",
        "UPDATE_RULE smallint",
        "DELETE_RULE smallint",
        "FK_NAME",
        "PK_NAME",
        "DEFERRABILITY smallint"
    };

    @Override
    public boolean allProceduresAreCallable() {
        return false;
    }

    @Override
    public boolean autoCommitFailureClosesAllResultSets() {
        return false;
    }

    @Override
    public boolean dataDefinitionCausesTransactionCommit() {
        return false;
    }

    @Override
    public boolean dataDefinitionIgnoredInTransactions() {
        return false;
    }

    @Override
    public boolean deletesAreDetected(int number) {
        return false;
    }

    @Override
    public boolean doesMaxRowSizeIncludeBlobs() {
        return false;
    }

    @Override
    public String getExtraNameCharacters() {
        return "";
    }

    @Override
    public int getMaxBinaryLiteralLength() {
        return 0;
    }

    @Override
    public int getMaxCatalogNameLength() {
        return 0;
    }

    @Override
    public int getMaxCharLiteralLength() {
        return 0;
    }

    @Override
    public int getMaxColumnsInGroupBy() {
        return 0;
    }

    @Override
    public int getMaxColumnsInIndex() {
        return 0;
    }

    @Override
    public int getMaxColumnsInOrderBy() {
        return 0;
    }

    @Override
    public int getMaxColumnsInSelect() {
        return 0;
    }

    @Override
    public int getMaxColumnsInTable() {
        return 0;
    }

    @Override
    public int getMaxConnections() {
        return 0;
    }

    @Override
    public int getMaxCursorNameLength() {
        return 0;
    }

    @Override
    public int getMaxIndexLength() {
        return 0;
    }

    @Override
    public long getMaxLogicalLobSize() {
        return 0;
    }

    @Override
    public int getMaxProcedureNameLength() {
        return 0;
    }

    @Override
    public int getMaxRowSize() {
        return 0;
    }

    @Override
    public int getMaxStatementLength() {
        return 0;
    }

    @Override
    public int getMaxTablesInSelect() {
        return 0;
    }

    @Override
    public int getMaxUserNameLength() {
        return 0;
    }

    @Override
    public String getNumericFunctions() {
        return "";
    }

    @Override
    public String getStringFunctions() {
        return "";
    }

    @Override
    public String getSystemFunctions() {
        return "";
    }

    @Override
    public String getTimeDateFunctions() {
        return "";
    }

    @Override
    public boolean insertsAreDetected(int number) {
        return false;
    }

    @Override
    public boolean isCatalogAtStart() {
        return false;
    }

    @Override
    public boolean locatorsUpdateCopy() {
        return false;
    }

    @Override
    public boolean nullPlusNonNullIsNull() {
        return false;
    }

    @Override
    public boolean nullsAreSortedAtEnd() {
        return false;
    }

    @Override
    public boolean nullsAreSortedAtStart() {
        return false;
    }

    @Override
    public boolean nullsAreSortedHigh() {
        return false;
    }

    @Override
    public boolean nullsAreSortedLow() {
        return false;
    }

    @Override
    public boolean othersDeletesAreVisible(int number) {
        return false;
    }

    @Override
    public boolean othersInsertsAreVisible(int number) {
        return false;
    }

    @Override
    public boolean othersUpdatesAreVisible(int number) {
        return false;
    }

    @Override
    public boolean ownDeletesAreVisible(int number) {
        return false;
    }

    @Override
    public boolean ownInsertsAreVisible(int number) {
        return false;
    }

    @Override
    public boolean ownUpdatesAreVisible(int number) {
        return false;
    }

    @Override
    public boolean storesLowerCaseQuotedIdentifiers() {
        return false;
    }

    @Override
    public boolean storesMixedCaseIdentifiers() {
        return false;
    }

    @Override
    public boolean storesMixedCaseQuotedIdentifiers() {
        return false;
    }

    @Override
    public boolean storesUpperCaseIdentifiers() {
        return false;
    }

    @Override
    public boolean storesUpperCaseQuotedIdentifiers() {
        return false;
    }

    @Override
    public boolean supportsANSI92EntryLevelSQL() {
        return false;
    }

    @Override
    public boolean supportsANSI92FullSQL() {
        return false;
    }

    @Override
    public boolean supportsANSI92IntermediateSQL() {
        return false;
    }

    @Override
    public boolean supportsCatalogsInDataManipulation() {
        return false;
    }

    @Override
    public boolean supportsCatalogsInIndexDefinitions() {
        return false;
    }

    @Override
    public boolean supportsCatalogsInPrivilegeDefinitions() {
        return false;
    }

    @Override
    public boolean supportsCatalogsInProcedureCalls() {
        return false;
    }

    @Override
    public boolean supportsCatalogsInTableDefinitions() {
        return false;
    }

    @Override
    public boolean supportsConvert() {
        return false;
    }

    @Override
    public boolean supportsConvert(int number, int number2) {
        return false;
    }

    @Override
    public boolean supportsCoreSQLGrammar() {
        return false;
    }

    @Override
    public boolean supportsCorrelatedSubqueries() {
        return false;
    }

    @Override
    public boolean supportsDataDefinitionAndDataManipulationTransactions() {
        return false;
    }

    @Override
    public boolean supportsDifferentTableCorrelationNames() {
        return false;
    }

    @Override
    public boolean supportsExpressionsInOrderBy() {
        return false;
    }

    @Override
    public boolean supportsExtendedSQLGrammar() {
        return false;
    }

    @Override
    public boolean supportsFullOuterJoins() {
        return false;
    }

    @Override
    public boolean supportsGroupBy() {
        return false;
    }

    @Override
    public boolean supportsGroupByBeyondSelect() {
        return false;
    }

    @Override
    public boolean supportsGroupByUnrelated() {
        return false;
    }

    @Override
    public boolean supportsIntegrityEnhancementFacility() {
        return false;
    }

    @Override
    public boolean supportsLikeEscapeClause() {
        return false;
    }

    @Override
    public boolean supportsLimitedOuterJoins() {
        return false;
    }

    @Override
    public boolean supportsMixedCaseIdentifiers() {
        return false;
    }

    @Override
    public boolean supportsNamedParameters() {
        return false;
    }

    @Override
    public boolean supportsOrderByUnrelated() {
        return false;
    }

    @Override
    public boolean supportsOuterJoins() {
        return false;
    }

    @Override
    public boolean supportsPositionedDelete() {
        return false;
    }

    @Override
    public boolean supportsPositionedUpdate() {
        return false;
    }

    @Override
    public boolean supportsRefCursors() {
        return false;
    }

    @Override
    public boolean supportsSelectForUpdate() {
        return false;
    }

    @Override
    public boolean supportsSharding() {
        return false;
    }

    @Override
    public boolean supportsStoredFunctionsUsingCallSyntax() {
        return false;
    }

    @Override
    public boolean supportsStoredProcedures() {
        return false;
    }

    @Override
    public boolean supportsSubqueriesInComparisons() {
        return false;
    }

    @Override
    public boolean supportsSubqueriesInExists() {
        return false;
    }

    @Override
    public boolean supportsSubqueriesInIns() {
        return false;
    }

    @Override
    public boolean supportsSubqueriesInQuantifieds() {
        return false;
    }

    @Override
    public boolean supportsTableCorrelationNames() {
        return false;
    }

    @Override
    public boolean supportsUnion() {
        return false;
    }

    @Override
    public boolean supportsUnionAll() {
        return false;
    }

    @Override
    public boolean updatesAreDetected(int number) {
        return false;
    }

    @Override
    public boolean usesLocalFilePerTable() {
        return false;
    }

    @Override
    public boolean usesLocalFiles() {
        return false;
    }

    @Override
    public ResultSet getClientInfoProperties() {
        MetaRows rows = new MetaRows("NAME", "MAX_LEN int", "DEFAULT_VALUE", "DESCRIPTION");
        CassidyConnection.CLIENT_INFO.forEach(name ->
                rows.add(name, Integer.MAX_VALUE, "", "ParameterCopies by the connection; Cassandra does not get it"));
        return CassidyResultSet.of(rows);
    }

    @Override
    public ResultSet getColumnPrivileges(
            @Nullable String catalog, @Nullable String schema, String table, String column) {
        return CassidyResultSet.of(new MetaRows(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "COLUMN_NAME",
                "GRANTOR",
                "GRANTEE",
                "PRIVILEGE",
                "IS_GRANTABLE"));
    }

    @Override
    public ResultSet getExportedKeys(@Nullable String catalog, @Nullable String schema, String table) {
        return CassidyResultSet.of(new MetaRows(FOREIGN_KEY_COLUMNS));
    }

    @Override
    public ResultSet getImportedKeys(@Nullable String catalog, @Nullable String schema, String table) {
        return CassidyResultSet.of(new MetaRows(FOREIGN_KEY_COLUMNS));
    }

    @Override
    public ResultSet getCrossReference(
            @Nullable String parentCatalog,
            @Nullable String parentSchema,
            String parentTable,
            @Nullable String foreignCatalog,
            @Nullable String foreignSchema,
            String foreignTable) {
        return CassidyResultSet.of(new MetaRows(FOREIGN_KEY_COLUMNS));
    }

    @Override
    public ResultSet getProcedureColumns(
            @Nullable String catalog, @Nullable String schema, String procedure, String column) {
        return CassidyResultSet.of(new MetaRows(
                "PROCEDURE_CAT",
                "PROCEDURE_SCHEM",
                "PROCEDURE_NAME",
                "COLUMN_NAME",
                "COLUMN_TYPE smallint",
                "DATA_TYPE int",
                "TYPE_NAME",
                "PRECISION int",
                "LENGTH int",
                "SCALE smallint",
                "RADIX smallint",
                "NULLABLE smallint",
                "REMARKS",
                "COLUMN_DEF",
                "SQL_DATA_TYPE int",
                "SQL_DATETIME_SUB int",
                "CHAR_OCTET_LENGTH int",
                "ORDINAL_POSITION int",
                "IS_NULLABLE",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getProcedures(@Nullable String catalog, @Nullable String schema, String procedure) {
        return CassidyResultSet.of(new MetaRows(
                "PROCEDURE_CAT",
                "PROCEDURE_SCHEM",
                "PROCEDURE_NAME",
                "RESERVED1",
                "RESERVED2",
                "RESERVED3",
                "REMARKS",
                "PROCEDURE_TYPE smallint",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getPseudoColumns(@Nullable String catalog, @Nullable String schema, String table, String column) {
        return CassidyResultSet.of(new MetaRows(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "COLUMN_NAME",
                "DATA_TYPE int",
                "COLUMN_SIZE int",
                "DECIMAL_DIGITS int",
                "NUM_PREC_RADIX int",
                "COLUMN_USAGE",
                "REMARKS",
                "CHAR_OCTET_LENGTH int",
                "IS_NULLABLE"));
    }

    @Override
    public ResultSet getSuperTables(@Nullable String catalog, @Nullable String schema, String table) {
        return CassidyResultSet.of(new MetaRows("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "SUPERTABLE_NAME"));
    }

    @Override
    public ResultSet getSuperTypes(@Nullable String catalog, @Nullable String schema, String type) {
        return CassidyResultSet.of(new MetaRows(
                "TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME", "SUPERTYPE_CAT", "SUPERTYPE_SCHEM", "SUPERTYPE_NAME"));
    }

    @Override
    public ResultSet getTablePrivileges(@Nullable String catalog, @Nullable String schema, String table) {
        return CassidyResultSet.of(new MetaRows(
                "TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "GRANTOR", "GRANTEE", "PRIVILEGE", "IS_GRANTABLE"));
    }

    @Override
    public ResultSet getVersionColumns(@Nullable String catalog, @Nullable String schema, String table) {
        return CassidyResultSet.of(new MetaRows(
                "SCOPE smallint",
                "COLUMN_NAME",
                "DATA_TYPE int",
                "TYPE_NAME",
                "COLUMN_SIZE int",
                "BUFFER_LENGTH int",
                "DECIMAL_DIGITS smallint",
                "PSEUDO_COLUMN smallint"));
    }
}
