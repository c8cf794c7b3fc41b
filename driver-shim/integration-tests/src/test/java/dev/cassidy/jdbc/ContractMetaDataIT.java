package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metadata shows a table as CREATE TABLE in T-SQL has declared it. */
class ContractMetaDataIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("contract_metadata_it");
        cluster.cql(
                "CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)",
                "CREATE TABLE $.plain (id int PRIMARY KEY, name text, age int)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE Customer (CustomerId INT IDENTITY(1,1) NOT NULL CONSTRAINT pk_customer PRIMARY KEY,"
                            + " [Name] NVARCHAR(50) NOT NULL, Code CHAR(3) COLLATE Latin1_General_CI_AS,"
                            + " Credit DECIMAL(10,2) NOT NULL DEFAULT ((0)), Fee MONEY, Note VARCHAR(MAX), Changed DATETIME2(3),"
                            + " Active BIT, Ratio FLOAT, Small TINYINT, [Unit Price] NUMERIC(5,1) NULL,"
                            + " CONSTRAINT paid CHECK (Credit >= 0))");
            statement.execute("INSERT INTO Customer (Name, Code, Fee, Active) VALUES ('Ada', 'abc', 1.5, 1)");
            statement.execute("INSERT INTO plain (id, name, age) VALUES (1, 'Bob', 7)");
        }
    }

    private static List<String> rows(ResultSet rows, String... columns) throws SQLException {
        List<String> shown = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                for (String column : columns) {
                    row.append(row.isEmpty() ? "" : " ").append(rows.getString(column));
                }
                shown.add(row.toString());
            }
        }
        return shown;
    }

    private List<String> query(String sql, String... columns) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return rows(statement.executeQuery(sql), columns);
        }
    }

    private static List<String> labels(ResultSetMetaData columns) throws SQLException {
        List<String> labels = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            assertThat(columns.getColumnName(i)).isEqualTo(columns.getColumnLabel(i));
            labels.add(columns.getColumnLabel(i));
        }
        return labels;
    }

    private List<String> labels(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            List<String> labels = labels(rows.getMetaData());
            assertThat(labels(statement.getMetaData())).as("before it ran").isEqualTo(labels);
            return labels;
        }
    }

    @Test
    void shouldDescribeColumnsAsDeclared() throws SQLException {
        DatabaseMetaData metadata = connection.getMetaData();

        assertThat(rows(
                        metadata.getColumns(null, null, "customer", null),
                        "ORDINAL_POSITION",
                        "COLUMN_NAME",
                        "TYPE_NAME",
                        "COLUMN_SIZE",
                        "DECIMAL_DIGITS",
                        "CHAR_OCTET_LENGTH",
                        "IS_NULLABLE",
                        "NULLABLE",
                        "COLUMN_DEF",
                        "IS_AUTOINCREMENT"))
                .containsExactly(
                        "1 customerid int 10 0 null NO 0 null YES",
                        "2 name nvarchar 50 null 100 NO 0 null NO",
                        "3 code char 3 null 3 YES 1 null NO",
                        "4 credit decimal 10 2 null NO 0 ((0)) NO",
                        "5 fee money 19 4 null YES 1 null NO",
                        "6 note varchar 2147483647 null 2147483647 YES 1 null NO",
                        "7 changed datetime2 23 3 null YES 1 null NO",
                        "8 active bit 1 null null YES 1 null NO",
                        "9 ratio float 15 null null YES 1 null NO",
                        "10 small tinyint 3 0 null YES 1 null NO",
                        "11 Unit Price numeric 5 1 null YES 1 null NO");
        assertThat(rows(metadata.getColumns(null, "dbo", "CUSTOMER", "C%"), "ORDINAL_POSITION", "COLUMN_NAME"))
                .containsExactly("1 customerid", "3 code", "4 credit", "7 changed");
        assertThat(rows(metadata.getPrimaryKeys(null, null, "customer"), "COLUMN_NAME"))
                .containsExactly("customerid");
    }

    /** What a tool reads must be what the getters give. */
    @Test
    void shouldGiveTheTypesOfTheGetters() throws SQLException {
        List<String> types = rows(connection.getMetaData().getColumns(null, null, "customer", null), "DATA_TYPE");
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM Customer WHERE CustomerId = 1")) {
            ResultSetMetaData columns = rows.getMetaData();
            assertThat(rows.next()).isTrue();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                assertThat(columns.getColumnType(i)).isEqualTo(Integer.parseInt(types.get(i - 1)));
                Object value = rows.getObject(i);
                if (value != null) {
                    assertThat(value.getClass().getName()).isEqualTo(columns.getColumnClassName(i));
                }
            }
        }
    }

    @Test
    void shouldSelectAllColumnsInDeclaredOrder() throws SQLException {
        List<String> all = List.of(
                "CustomerId",
                "Name",
                "Code",
                "Credit",
                "Fee",
                "Note",
                "Changed",
                "Active",
                "Ratio",
                "Small",
                "Unit Price");

        assertThat(labels("SELECT * FROM Customer")).isEqualTo(all);
        assertThat(labels("SELECT c.* FROM dbo.[Customer] c WHERE c.CustomerId = 1"))
                .isEqualTo(all);
        assertThat(labels("SELECT TOP 1 Customer.* FROM Customer")).isEqualTo(all);
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM Customer WHERE CustomerId = ?")) {
            select.setInt(1, 1);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(2)).isEqualTo("Ada");
                assertThat(rows.getString("NAME")).isEqualTo("Ada");
                assertThat(rows.getBigDecimal(5)).isEqualByComparingTo("1.5");
                assertThat(rows.getString("unit price")).isNull();
            }
        }
    }

    @Test
    void shouldFollowChangesOfTheTable() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE Grows (id INT NOT NULL PRIMARY KEY, b NVARCHAR(5), a NVARCHAR(5))");
            statement.execute("INSERT INTO Grows VALUES (1, 'b', 'a')");
            try (PreparedStatement select = connection.prepareStatement("SELECT * FROM Grows WHERE id = 1")) {
                assertThat(labels(select.getMetaData())).containsExactly("id", "b", "a");
                statement.execute("ALTER TABLE Grows ADD Extra INT");
                statement.execute("ALTER TABLE Grows DROP COLUMN b");
                statement.execute("ALTER TABLE Grows ADD B NVARCHAR(5)");
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(labels(rows.getMetaData())).containsExactly("id", "a", "Extra", "B");
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(2)).isEqualTo("a");
                }
            }
        }
    }

    @Test
    void shouldLabelColumnsAsTheStatementWritesThem() throws SQLException {
        assertThat(labels("SELECT NAME, [customerid], c.[unit price], Code AS [The Code], Fee Paid, 'X' = Note,"
                        + " Credit * 2, Credit + 1 AS More FROM Customer c WHERE CustomerId = 1"))
                .containsExactly("NAME", "customerid", "unit price", "The Code", "Paid", "X", "", "More");
        assertThat(labels("SELECT COUNT(*), MAX(Code), SUM(Small), MIN(Code) AS Low, COUNT(*) N FROM Customer"))
                .containsExactly("", "", "", "Low", "N");
        assertThat(labels("SELECT token(CustomerId) FROM Customer")).containsExactly("system.token(customerid)");
    }

    /** Some libraries keep the metadata of a result. */
    @Test
    void shouldDescribeAResultWhoseConnectionIsClosed() throws SQLException {
        ResultSetMetaData columns;
        try (Connection closing = cluster.open();
                Statement statement = closing.createStatement();
                ResultSet rows = statement.executeQuery("SELECT NAME FROM Customer")) {
            columns = rows.getMetaData();
        }

        assertThat(columns.getColumnLabel(1)).isEqualTo("NAME");
        assertThat(columns.getColumnTypeName(1)).isEqualTo("nvarchar");
    }

    @Test
    void shouldFindAnUnnamedColumn() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM Customer")) {
            assertThat(rows.next()).isTrue();
            // By the label that the metadata gives, and by the name that Cassandra gives.
            assertThat(rows.getInt(rows.getMetaData().getColumnLabel(1))).isEqualTo(1);
            assertThat(rows.getInt("count")).isEqualTo(1);
            assertThat(rows.getInt(1)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CustomerId, int,       10,         0, 0, 11",
        "Name,       nvarchar,  50,         0, 0, 50",
        "Code,       char,      3,          0, 1, 3",
        "Credit,     decimal,   10,         2, 0, 12",
        "Fee,        money,     19,         4, 1, 21",
        "Note,       varchar,   2147483647, 0, 1, 2147483647",
        "Changed,    datetime2, 23,         3, 1, 23",
        "Active,     bit,       1,          0, 1, 1",
        "Ratio,      float,     15,         0, 1, 24",
        "[Unit Price], numeric, 5,          1, 1, 7",
    })
    void shouldDescribeAResultAsDeclared(
            String column, String type, int precision, int scale, int nullable, int displaySize) throws SQLException {
        for (String sql : List.of(
                "SELECT " + column + " FROM Customer WHERE CustomerId = 1",
                "SELECT Small, " + column + " AS x FROM Customer WHERE CustomerId = 1")) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                ResultSetMetaData columns = rows.getMetaData();
                int last = columns.getColumnCount();
                assertThat(columns.getColumnTypeName(last)).isEqualTo(type);
                assertThat(columns.getPrecision(last)).isEqualTo(precision);
                assertThat(columns.getScale(last)).isEqualTo(scale);
                assertThat(columns.isNullable(last)).isEqualTo(nullable);
                assertThat(columns.getColumnDisplaySize(last)).isEqualTo(displaySize);
                assertThat(columns.isCurrency(last)).isEqualTo(type.equals("money"));
                assertThat(columns.isAutoIncrement(last)).isEqualTo(column.equals("CustomerId"));
            }
        }
    }

    @Test
    void shouldAnswerQueriesOfTheInformationSchema() throws SQLException {
        assertThat(query(
                        "SELECT * FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'customer'",
                        "TABLE_CATALOG",
                        "ORDINAL_POSITION",
                        "COLUMN_NAME",
                        "COLUMN_DEFAULT",
                        "IS_NULLABLE",
                        "DATA_TYPE",
                        "CHARACTER_MAXIMUM_LENGTH",
                        "CHARACTER_OCTET_LENGTH",
                        "NUMERIC_PRECISION",
                        "NUMERIC_PRECISION_RADIX",
                        "NUMERIC_SCALE",
                        "DATETIME_PRECISION",
                        "COLLATION_NAME"))
                .containsExactly(
                        "contract_metadata_it 1 CustomerId null NO int null null 10 10 0 null null",
                        "contract_metadata_it 2 Name null NO nvarchar 50 100 null null null null null",
                        "contract_metadata_it 3 Code null YES char 3 3 null null null null Latin1_General_CI_AS",
                        "contract_metadata_it 4 Credit ((0)) NO decimal null null 10 10 2 null null",
                        "contract_metadata_it 5 Fee null YES money null null 19 10 4 null null",
                        "contract_metadata_it 6 Note null YES varchar -1 -1 null null null null null",
                        "contract_metadata_it 7 Changed null YES datetime2 null null null null null 3 null",
                        "contract_metadata_it 8 Active null YES bit null null null null null null null",
                        "contract_metadata_it 9 Ratio null YES float null null 53 2 null null null",
                        "contract_metadata_it 10 Small null YES tinyint null null 3 10 0 null null",
                        "contract_metadata_it 11 Unit Price null YES numeric null null 5 10 1 null null");
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT c.column_name AS n, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS c WHERE c.TABLE_SCHEMA = 'dbo' AND"
                        + " TABLE_NAME = ? AND IS_NULLABLE IN ('NO') ORDER BY ORDINAL_POSITION DESC")) {
            assertThat(labels(select.getMetaData())).containsExactly("n", "DATA_TYPE");
            select.setString(1, "Customer");
            assertThat(rows(select.executeQuery(), "n", "data_type"))
                    .containsExactly("Credit decimal", "Name nvarchar", "CustomerId int");
            select.setString(1, null);
            assertThat(rows(select.executeQuery(), "n")).isEmpty();
        }
        assertThat(query(
                        "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME IN"
                                + " ('customer', 'plain') ORDER BY TABLE_NAME DESC",
                        "TABLE_SCHEMA",
                        "TABLE_NAME",
                        "TABLE_TYPE"))
                .containsExactly("contract_metadata_it plain BASE TABLE", "contract_metadata_it customer BASE TABLE");
        assertThat(query(
                        "SELECT COUNT(*) n FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'contract_metadata_it' AND"
                                + " TABLE_NAME = 'nothing'",
                        "n"))
                .containsExactly("0");
        assertThat(query(
                        "SELECT * FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS WHERE TABLE_NAME = 'Customer'",
                        "CONSTRAINT_TYPE",
                        "CONSTRAINT_NAME"))
                .containsExactly("PRIMARY KEY PK_customer", "CHECK paid");
        assertThat(query(
                        "SELECT * FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE WHERE TABLE_NAME = 'customer'",
                        "CONSTRAINT_NAME",
                        "COLUMN_NAME",
                        "ORDINAL_POSITION"))
                .containsExactly("PK_customer CustomerId 1");
        assertThat(query(
                        "SELECT * FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'plain'",
                        "COLUMN_NAME",
                        "DATA_TYPE"))
                .containsExactly("id int", "age int", "name nvarchar");
        assertThatThrownBy(() -> query("SELECT nothing FROM INFORMATION_SCHEMA.TABLES"))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("errorCode", 207)
                .hasMessageContaining("TABLE_TYPE");
        assertThatThrownBy(() -> query("SELECT * FROM INFORMATION_SCHEMA.ROUTINES"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("INFORMATION_SCHEMA.ROUTINES");
    }

    @Test
    void shouldAnswerSpColumns() throws SQLException {
        for (String sql : List.of(
                "sp_columns Customer",
                "EXEC sp_columns @table_name = N'customer'",
                "EXEC sys.sp_columns 'custom%', 'dbo', NULL, NULL, 3")) {
            assertThat(query(
                            sql,
                            "COLUMN_NAME",
                            "DATA_TYPE",
                            "TYPE_NAME",
                            "PRECISION",
                            "LENGTH",
                            "SCALE",
                            "RADIX",
                            "NULLABLE",
                            "COLUMN_DEF",
                            "CHAR_OCTET_LENGTH",
                            "ORDINAL_POSITION",
                            "IS_NULLABLE"))
                    .as(sql)
                    .startsWith(
                            "CustomerId 4 int identity 10 4 0 10 0 null null 1 NO",
                            "Name -9 nvarchar 50 100 null null 0 null 100 2 NO",
                            "Code 1 char 3 3 null null 1 null 3 3 YES",
                            "Credit 3 decimal 10 12 2 10 0 ((0)) null 4 NO")
                    .hasSize(11);
        }
        assertThat(query("sp_columns 'customer', @column_name = 'C%'", "COLUMN_NAME"))
                .containsExactly("CustomerId", "Code", "Credit", "Changed");
        assertThat(query("sp_columns nothing", "COLUMN_NAME")).isEmpty();
    }

    @Test
    void shouldAnswerSpHelp() throws SQLException {
        List<List<String>> results = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            boolean more = statement.execute("EXEC sp_help 'dbo.Customer'");
            while (more) {
                ResultSet rows = statement.getResultSet();
                List<String> columns = labels(rows.getMetaData());
                List<String> all = new ArrayList<>();
                all.add(String.join(",", columns));
                all.addAll(rows(rows, columns.toArray(String[]::new)));
                results.add(all);
                more = statement.getMoreResults();
            }
        }

        assertThat(results).hasSize(7);
        assertThat(results.get(0)).containsExactly("Name,Owner,Type,Created_datetime", "customer dbo user table null");
        assertThat(results.get(1))
                .startsWith(
                        "Column_name,Type,Computed,Length,Prec,Scale,Nullable,TrimTrailingBlanks,FixedLenNullInSource,"
                                + "Collation",
                        "CustomerId int no 4 10    0     no (n/a) (n/a) null",
                        "Name nvarchar no 100             no no no null",
                        "Code char no 3             yes no yes Latin1_General_CI_AS",
                        "Credit decimal no 9 10    2     no (n/a) (n/a) null");
        assertThat(results.get(2)).containsExactly("Identity,Seed,Increment,Not For Replication", "CustomerId 1 1 0");
        assertThat(results.get(6))
                .contains(
                        "PRIMARY KEY (clustered) PK_customer (n/a) (n/a) (n/a) (n/a) CustomerId",
                        "DEFAULT on column Credit DF_customer_credit (n/a) (n/a) (n/a) (n/a) ((0))")
                .contains("CHECK paid (n/a) (n/a) Enabled Is_For_Replication CHECK (Credit >= 0)");
        assertThatThrownBy(() -> query("EXEC sp_help 'nothing'"))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("errorCode", 15009);
    }

    @Test
    void shouldShowConstraintsByTheirOwnNamesAndWhetherTheyAreEnforced() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE Named (id INT NOT NULL PRIMARY KEY, a INT CONSTRAINT from_seven DEFAULT 7,"
                    + " b INT DEFAULT 8, Mail NVARCHAR(20), CONSTRAINT low CHECK (a < 100))");
            statement.execute("ALTER TABLE Named ADD CONSTRAINT a_note DEFAULT 'x' FOR Mail");
            assertThat(statement.execute("sp_help Named")).isTrue();
            for (int part = 1; part < 7; part++) {
                assertThat(statement.getMoreResults()).isTrue();
            }
            assertThat(rows(
                            statement.getResultSet(),
                            "constraint_type",
                            "constraint_name",
                            "status_enabled",
                            "status_for_replication",
                            "constraint_keys"))
                    .containsExactlyInAnyOrder(
                            "PRIMARY KEY (clustered) PK_named (n/a) (n/a) id",
                            "CHECK low Enabled Is_For_Replication CHECK (a < 100)",
                            "DEFAULT on column a from_seven (n/a) (n/a) 7",
                            "DEFAULT on column b DF_named_b (n/a) (n/a) 8",
                            "DEFAULT on column Mail a_note (n/a) (n/a) 'x'");
            // It is said to be enforced.
            assertThatThrownBy(() -> statement.execute("INSERT INTO Named (id, a) VALUES (1, 100)"))
                    .isInstanceOf(SQLException.class)
                    .hasFieldOrPropertyWithValue("errorCode", 547);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CustomerId, int,       10, 0, 0",
        "Name,       nvarchar,  50, 0, 0",
        "Code,       char,      3,  0, 1",
        "Credit,     decimal,   10, 2, 0",
        "Fee,        money,     19, 4, 1",
        "Changed,    datetime2, 23, 3, 1",
        "Unit Price, numeric,   5,  1, 1",
    })
    void shouldDescribeOutputAsDeclared(String column, String type, int precision, int scale, int nullable)
            throws SQLException {
        String insert = "INSERT INTO Customer (Name, Code, Credit, Fee, Changed, [Unit Price])";
        String values = " VALUES ('Out', 'abc', 1.5, 2, '2024-05-06 07:08:09.123', 3.5)";
        String output = "INSERTED.[" + column + "]";
        for (String sql : List.of(
                insert + " OUTPUT " + output + values,
                insert + " OUTPUT 5 AS five, " + output + " AS x" + values,
                "DECLARE @t TABLE (x VARCHAR(9)); " + insert + " OUTPUT " + output + " INTO @t" + values
                        + "; SELECT x FROM @t")) {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).isTrue();
                for (ResultSetMetaData columns : List.of(rows.getMetaData(), statement.getMetaData())) {
                    int last = columns.getColumnCount();
                    assertThat(columns.getColumnTypeName(last)).as(sql).isEqualTo(type);
                    assertThat(columns.getPrecision(last)).isEqualTo(precision);
                    assertThat(columns.getScale(last)).isEqualTo(scale);
                    assertThat(columns.isNullable(last)).isEqualTo(nullable);
                    assertThat(columns.isCurrency(last)).isEqualTo(type.equals("money"));
                    assertThat(columns.isAutoIncrement(last)).isEqualTo(column.equals("CustomerId"));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Name,       nvarchar,  50, 0",
        "Code,       char,      3,  0",
        "Credit,     decimal,   10, 2",
        "Fee,        money,     19, 4",
        "Changed,    datetime2, 23, 3",
        "Small,      tinyint,   3,  0",
        "Unit Price, numeric,   5,  1",
    })
    void shouldDescribeParametersAsDeclared(String column, String type, int precision, int scale) throws SQLException {
        for (String sql : List.of(
                "INSERT INTO Customer (Name, Credit, [" + column + "]) VALUES ('Par', 1, ?)",
                "UPDATE Customer SET [" + column + "] = ? WHERE CustomerId = 1")) {
            String once = sql.replace("(Name, Credit, [Name]) VALUES ('Par', 1, ?)", "(Credit, Name) VALUES (1, ?)")
                    .replace("(Name, Credit, [Credit]) VALUES ('Par', 1, ?)", "(Name, Credit) VALUES ('Par', ?)");
            try (PreparedStatement statement = connection.prepareStatement(once)) {
                ParameterMetaData parameters = statement.getParameterMetaData();
                assertThat(parameters.getParameterTypeName(1)).as(once).isEqualTo(type);
                assertThat(parameters.getPrecision(1)).isEqualTo(precision);
                assertThat(parameters.getScale(1)).isEqualTo(scale);
            }
        }
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id FROM plain WHERE id = ? AND age > ? ALLOW FILTERING")) {
            assertThat(statement.getParameterMetaData().getPrecision(2)).isEqualTo(10);
        }
    }

    /** T-SQL has not made it: nothing is known but what Cassandra says. */
    @Test
    void shouldLeaveOtherTablesAsTheyAre() throws SQLException {
        assertThat(labels("SELECT * FROM plain")).containsExactly("id", "age", "name");
        assertThat(labels("SELECT Id, COUNT(*) FROM plain GROUP BY Id")).containsExactly("id", "count");
        assertThat(rows(
                        connection.getMetaData().getColumns(null, null, "plain", "name"),
                        "TYPE_NAME",
                        "DATA_TYPE",
                        "COLUMN_SIZE",
                        "IS_NULLABLE"))
                .containsExactly("text " + Types.VARCHAR + " 2147483647 YES");
    }
}
