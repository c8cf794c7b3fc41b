package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads the metadata as DBeaver and other database browsers do. */
class MetadataBrowsingIT {

    private static final String SCHEMA = "metadata_browsing_it";

    private static Connection connection;
    private static DatabaseMetaData metadata;

    @BeforeAll
    static void prepare() throws SQLException {
        TestCluster cluster = TestCluster.fresh(SCHEMA);
        cluster.cql(
                "CREATE TYPE $.address (street text, zip int)",
                "CREATE TABLE $.product (id int PRIMARY KEY, name text, price decimal, weight double, made timestamp,"
                        + " home frozen<address>, tags set<text>) WITH comment = 'what is sold'",
                "CREATE TABLE $.line (order_id bigint, line smallint, sku text, PRIMARY KEY (order_id, line))",
                "CREATE FUNCTION $.twice (n int) RETURNS NULL ON NULL INPUT RETURNS bigint LANGUAGE java AS 'return 2L * n;'",
                "CREATE INDEX product_by_name ON $.product (name)");
        cluster.identity("product", "id", IdentityType.INT, 1);
        connection = cluster.connect();
        metadata = connection.getMetaData();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    /** Returns the rows, each by column. */
    private static List<Map<String, Object>> rows(ResultSet rows) throws SQLException {
        List<Map<String, Object>> all = new ArrayList<>();
        ResultSetMetaData columns = rows.getMetaData();
        try (rows) {
            while (rows.next()) {
                Map<String, Object> row = new TreeMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    row.put(columns.getColumnLabel(i), rows.getObject(i));
                }
                all.add(row);
            }
        }
        return all;
    }

    private static List<Object> column(ResultSet rows, String name) throws SQLException {
        return rows(rows).stream().map(row -> row.get(name)).toList();
    }

    @Test
    void shouldShowTheTreeFromTheSchemasDownToTheColumns() throws SQLException {
        assertThat(rows(metadata.getCatalogs())).isEmpty();
        assertThat(column(metadata.getSchemas(), "TABLE_SCHEM")).contains(SCHEMA, "cassidy");
        assertThat(column(metadata.getTableTypes(), "TABLE_TYPE")).containsExactly("TABLE", "VIEW");

        List<Map<String, Object>> tables =
                rows(metadata.getTables(null, SCHEMA, "%", new String[] {"TABLE", "VIEW", "SYSTEM TABLE"}));
        assertThat(tables).extracting(row -> row.get("TABLE_NAME")).containsExactly("line", "product");
        assertThat(tables.get(1)).containsEntry("TABLE_TYPE", "TABLE").containsEntry("REMARKS", "what is sold");

        List<Map<String, Object>> columns = rows(metadata.getColumns(null, SCHEMA, "product", "%"));
        assertThat(columns)
                .extracting(row -> row.get("COLUMN_NAME"))
                .containsExactlyInAnyOrder("id", "name", "price", "weight", "made", "home", "tags");
        assertThat(columns)
                .filteredOn(row -> "YES".equals(row.get("IS_AUTOINCREMENT")))
                .extracting(row -> row.get("COLUMN_NAME"))
                .containsExactly("id");
        assertThat(columns).extracting(row -> row.get("ORDINAL_POSITION")).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void shouldGiveTypesAndSizesThatToolsCanUse() throws SQLException {
        record Shown(int type, Integer size, Integer digits) {}
        Map<String, Shown> shown = new TreeMap<>();
        for (Map<String, Object> row : rows(metadata.getColumns(null, null, "product", null))) {
            shown.put(
                    (String) row.get("COLUMN_NAME"),
                    new Shown((Integer) row.get("DATA_TYPE"), (Integer) row.get("COLUMN_SIZE"), (Integer)
                            row.get("DECIMAL_DIGITS")));
        }

        assertThat(shown)
                .containsEntry("id", new Shown(Types.INTEGER, 10, 0))
                .containsEntry("name", new Shown(Types.VARCHAR, Integer.MAX_VALUE, null))
                // There is no number of digits: with 0, a tool would round the value to a whole number.
                .containsEntry("price", new Shown(Types.DECIMAL, null, null))
                .containsEntry("weight", new Shown(Types.DOUBLE, 15, null))
                .containsEntry("made", new Shown(Types.TIMESTAMP, 23, null));
    }

    @Test
    void shouldShowThePrimaryKey() throws SQLException {
        List<Map<String, Object>> key = rows(metadata.getPrimaryKeys(null, SCHEMA, "line"));
        assertThat(key).extracting(row -> row.get("COLUMN_NAME")).containsExactly("line", "order_id");
        assertThat(key).extracting(row -> row.get("KEY_SEQ").toString()).containsExactly("2", "1");
        assertThat(column(metadata.getBestRowIdentifier(null, null, "product", 0, false), "COLUMN_NAME"))
                .containsExactly("id");
    }

    @Test
    void shouldShowIndexes() throws SQLException {
        List<Map<String, Object>> indexes = rows(metadata.getIndexInfo(null, SCHEMA, "product", false, true));
        assertThat(indexes).singleElement().satisfies(index -> assertThat(index)
                .containsEntry("INDEX_NAME", "product_by_name")
                .containsEntry("COLUMN_NAME", "name")
                .containsEntry("NON_UNIQUE", true));
    }

    @Test
    void shouldShowNoForeignKeys() throws SQLException {
        assertThat(rows(metadata.getImportedKeys(null, SCHEMA, "line"))).isEmpty();
        assertThat(rows(metadata.getExportedKeys(null, SCHEMA, "product"))).isEmpty();
    }

    @Test
    void shouldShowUserDefinedTypes() throws SQLException {
        assertThat(rows(metadata.getColumns(null, SCHEMA, "product", "home")))
                .singleElement()
                .satisfies(column -> assertThat(column)
                        .containsEntry("TYPE_NAME", SCHEMA + ".address")
                        .containsEntry("DATA_TYPE", Types.STRUCT));
        assertThat(rows(metadata.getUDTs(null, SCHEMA, "%", null)))
                .singleElement()
                .satisfies(type -> assertThat(type)
                        .containsEntry("TYPE_NAME", "address")
                        .containsEntry("DATA_TYPE", Types.STRUCT));
        assertThat(rows(metadata.getUDTs(null, SCHEMA, "%", new int[] {Types.DISTINCT})))
                .isEmpty();
        assertThat(column(metadata.getAttributes(null, SCHEMA, "address", "%"), "ATTR_NAME"))
                .containsExactly("street", "zip");
        assertThat(column(metadata.getTypeInfo(), "TYPE_NAME"))
                .contains("text", "int", "bigint", "decimal", "timestamp", "uuid");
    }

    @Test
    void shouldShowFunctionsWithTheirParameters() throws SQLException {
        assertThat(column(metadata.getFunctions(null, SCHEMA, "%"), "FUNCTION_NAME"))
                .containsExactly("twice");
        List<Map<String, Object>> columns = rows(metadata.getFunctionColumns(null, SCHEMA, "twice", "%"));
        assertThat(columns).extracting(row -> row.get("COLUMN_NAME")).containsExactly("", "n");
        assertThat(columns).extracting(row -> row.get("DATA_TYPE")).containsExactly(Types.BIGINT, Types.INTEGER);
        assertThat(rows(metadata.getProcedures(null, null, "%"))).isEmpty();
    }

    @Test
    void shouldDescribeTheColumnsOfAQuery() throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT * FROM product")) {
            ResultSetMetaData columns = rows.getMetaData();
            List<String> identities = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                assertThat(columns.getTableName(i)).isEqualTo("product");
                assertThat(columns.getSchemaName(i)).isEqualTo(SCHEMA);
                if (columns.isAutoIncrement(i)) {
                    identities.add(columns.getColumnName(i));
                }
            }
            assertThat(identities).containsExactly("id");
        }
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT COUNT(*) FROM line")) {
            assertThat(rows.getMetaData().isAutoIncrement(1)).isFalse();
        }
    }

    @FunctionalInterface
    private interface Question {
        ResultSet ask() throws SQLException;
    }

    private static Arguments question(String name, Question question, String columns) {
        return Arguments.of(name, question, columns);
    }

    /**
     * Column types as JDBC 4.3 specifies them: S for a string, I for an int, H for a short, L for a long, B for a
     * boolean.
     */
    static Stream<Arguments> questions() {
        String any = "%";
        String keys = "PKTABLE_CAT S,PKTABLE_SCHEM S,PKTABLE_NAME S,PKCOLUMN_NAME S,FKTABLE_CAT S,FKTABLE_SCHEM S,"
                + "FKTABLE_NAME S,FKCOLUMN_NAME S,KEY_SEQ H,UPDATE_RULE H,DELETE_RULE H,FK_NAME S,PK_NAME S,"
                + "DEFERRABILITY H";
        return Stream.of(
                question("getCatalogs", () -> metadata.getCatalogs(), "TABLE_CAT S"),
                question("getSchemas", () -> metadata.getSchemas(), "TABLE_SCHEM S,TABLE_CATALOG S"),
                question("getTableTypes", () -> metadata.getTableTypes(), "TABLE_TYPE S"),
                question(
                        "getTables",
                        () -> metadata.getTables(null, null, any, null),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,TABLE_TYPE S,REMARKS S,TYPE_CAT S,TYPE_SCHEM S,"
                                + "TYPE_NAME S,SELF_REFERENCING_COL_NAME S,REF_GENERATION S"),
                question(
                        "getColumns",
                        () -> metadata.getColumns(null, null, any, any),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,COLUMN_NAME S,DATA_TYPE I,TYPE_NAME S,COLUMN_SIZE I,"
                                + "BUFFER_LENGTH I,DECIMAL_DIGITS I,NUM_PREC_RADIX I,NULLABLE I,REMARKS S,COLUMN_DEF S,"
                                + "SQL_DATA_TYPE I,SQL_DATETIME_SUB I,CHAR_OCTET_LENGTH I,ORDINAL_POSITION I,"
                                + "IS_NULLABLE S,SCOPE_CATALOG S,SCOPE_SCHEMA S,SCOPE_TABLE S,SOURCE_DATA_TYPE H,"
                                + "IS_AUTOINCREMENT S,IS_GENERATEDCOLUMN S"),
                question(
                        "getPrimaryKeys",
                        () -> metadata.getPrimaryKeys(null, null, "product"),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,COLUMN_NAME S,KEY_SEQ H,PK_NAME S"),
                question("getImportedKeys", () -> metadata.getImportedKeys(null, null, "product"), keys),
                question("getExportedKeys", () -> metadata.getExportedKeys(null, null, "product"), keys),
                question(
                        "getCrossReference",
                        () -> metadata.getCrossReference(null, null, "product", null, null, "line"),
                        keys),
                question(
                        "getIndexInfo",
                        () -> metadata.getIndexInfo(null, null, "product", false, true),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,NON_UNIQUE B,INDEX_QUALIFIER S,INDEX_NAME S,TYPE H,"
                                + "ORDINAL_POSITION H,COLUMN_NAME S,ASC_OR_DESC S,CARDINALITY L,PAGES L,"
                                + "FILTER_CONDITION S"),
                question(
                        "getBestRowIdentifier",
                        () -> metadata.getBestRowIdentifier(null, null, "product", 0, true),
                        "SCOPE H,COLUMN_NAME S,DATA_TYPE I,TYPE_NAME S,COLUMN_SIZE I,BUFFER_LENGTH I,"
                                + "DECIMAL_DIGITS H,PSEUDO_COLUMN H"),
                question(
                        "getVersionColumns",
                        () -> metadata.getVersionColumns(null, null, "product"),
                        "SCOPE H,COLUMN_NAME S,DATA_TYPE I,TYPE_NAME S,COLUMN_SIZE I,BUFFER_LENGTH I,"
                                + "DECIMAL_DIGITS H,PSEUDO_COLUMN H"),
                question(
                        "getTypeInfo",
                        () -> metadata.getTypeInfo(),
                        "TYPE_NAME S,DATA_TYPE I,PRECISION I,LITERAL_PREFIX S,LITERAL_SUFFIX S,CREATE_PARAMS S,"
                                + "NULLABLE H,CASE_SENSITIVE B,SEARCHABLE H,UNSIGNED_ATTRIBUTE B,FIXED_PREC_SCALE B,"
                                + "AUTO_INCREMENT B,LOCAL_TYPE_NAME S,MINIMUM_SCALE H,MAXIMUM_SCALE H,SQL_DATA_TYPE I,"
                                + "SQL_DATETIME_SUB I,NUM_PREC_RADIX I"),
                question(
                        "getProcedures",
                        () -> metadata.getProcedures(null, null, any),
                        "PROCEDURE_CAT S,PROCEDURE_SCHEM S,PROCEDURE_NAME S,RESERVED1 S,RESERVED2 S,RESERVED3 S,"
                                + "REMARKS S,PROCEDURE_TYPE H,SPECIFIC_NAME S"),
                question(
                        "getProcedureColumns",
                        () -> metadata.getProcedureColumns(null, null, any, any),
                        "PROCEDURE_CAT S,PROCEDURE_SCHEM S,PROCEDURE_NAME S,COLUMN_NAME S,COLUMN_TYPE H,DATA_TYPE I,"
                                + "TYPE_NAME S,PRECISION I,LENGTH I,SCALE H,RADIX H,NULLABLE H,REMARKS S,COLUMN_DEF S,"
                                + "SQL_DATA_TYPE I,SQL_DATETIME_SUB I,CHAR_OCTET_LENGTH I,ORDINAL_POSITION I,"
                                + "IS_NULLABLE S,SPECIFIC_NAME S"),
                question(
                        "getFunctions",
                        () -> metadata.getFunctions(null, null, any),
                        "FUNCTION_CAT S,FUNCTION_SCHEM S,FUNCTION_NAME S,REMARKS S,FUNCTION_TYPE H,SPECIFIC_NAME S"),
                question(
                        "getFunctionColumns",
                        () -> metadata.getFunctionColumns(null, null, any, any),
                        "FUNCTION_CAT S,FUNCTION_SCHEM S,FUNCTION_NAME S,COLUMN_NAME S,COLUMN_TYPE H,DATA_TYPE I,"
                                + "TYPE_NAME S,PRECISION I,LENGTH I,SCALE H,RADIX H,NULLABLE H,REMARKS S,"
                                + "CHAR_OCTET_LENGTH I,ORDINAL_POSITION I,IS_NULLABLE S,SPECIFIC_NAME S"),
                question(
                        "getUDTs",
                        () -> metadata.getUDTs(null, null, any, null),
                        "TYPE_CAT S,TYPE_SCHEM S,TYPE_NAME S,CLASS_NAME S,DATA_TYPE I,REMARKS S,BASE_TYPE H"),
                question(
                        "getAttributes",
                        () -> metadata.getAttributes(null, null, any, any),
                        "TYPE_CAT S,TYPE_SCHEM S,TYPE_NAME S,ATTR_NAME S,DATA_TYPE I,ATTR_TYPE_NAME S,ATTR_SIZE I,"
                                + "DECIMAL_DIGITS I,NUM_PREC_RADIX I,NULLABLE I,REMARKS S,ATTR_DEF S,SQL_DATA_TYPE I,"
                                + "SQL_DATETIME_SUB I,CHAR_OCTET_LENGTH I,ORDINAL_POSITION I,IS_NULLABLE S,"
                                + "SCOPE_CATALOG S,SCOPE_SCHEMA S,SCOPE_TABLE S,SOURCE_DATA_TYPE H"),
                question(
                        "getSuperTypes",
                        () -> metadata.getSuperTypes(null, null, any),
                        "TYPE_CAT S,TYPE_SCHEM S,TYPE_NAME S,SUPERTYPE_CAT S,SUPERTYPE_SCHEM S,SUPERTYPE_NAME S"),
                question(
                        "getSuperTables",
                        () -> metadata.getSuperTables(null, null, any),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,SUPERTABLE_NAME S"),
                question(
                        "getTablePrivileges",
                        () -> metadata.getTablePrivileges(null, null, any),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,GRANTOR S,GRANTEE S,PRIVILEGE S,IS_GRANTABLE S"),
                question(
                        "getColumnPrivileges",
                        () -> metadata.getColumnPrivileges(null, null, "product", any),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,COLUMN_NAME S,GRANTOR S,GRANTEE S,PRIVILEGE S,"
                                + "IS_GRANTABLE S"),
                question(
                        "getPseudoColumns",
                        () -> metadata.getPseudoColumns(null, null, any, any),
                        "TABLE_CAT S,TABLE_SCHEM S,TABLE_NAME S,COLUMN_NAME S,DATA_TYPE I,COLUMN_SIZE I,"
                                + "DECIMAL_DIGITS I,NUM_PREC_RADIX I,COLUMN_USAGE S,REMARKS S,CHAR_OCTET_LENGTH I,"
                                + "IS_NULLABLE S"),
                question(
                        "getClientInfoProperties",
                        () -> metadata.getClientInfoProperties(),
                        "NAME S,MAX_LEN I,DEFAULT_VALUE S,DESCRIPTION S"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("questions")
    void shouldAnswerWithTheColumnsThatJdbcSpecifies(String name, Question question, String expected)
            throws SQLException {
        try (ResultSet rows = question.ask()) {
            ResultSetMetaData columns = rows.getMetaData();
            List<String> shown = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                shown.add(columns.getColumnLabel(i) + " " + letter(columns.getColumnType(i)));
            }
            assertThat(shown).containsExactly(expected.split(","));
            while (rows.next()) {
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    Object value = rows.getObject(i);
                    assertThat(
                                    value == null
                                            ? columns.getColumnClassName(i)
                                            : value.getClass().getName())
                            .as(columns.getColumnLabel(i))
                            .isEqualTo(columns.getColumnClassName(i));
                }
            }
        }
    }

    private static String letter(int type) {
        return switch (type) {
            case Types.VARCHAR -> "S";
            case Types.INTEGER -> "I";
            case Types.SMALLINT -> "H";
            case Types.BIGINT -> "L";
            case Types.BOOLEAN -> "B";
            default -> "type " + type;
        };
    }
}
