package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What DAO code writes every day in T-SQL, and how CQL says it. */
class EverydayStatementsTest {

    /** Table t has the key id, and table lines the key (order_id, line). */
    private static final Schema SCHEMA = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }

        @Override
        public boolean isColumn(CqlInsert.Table table, String column) {
            return column.equals("current_timestamp") && table.name().equals("lines");
        }

        @Override
        public List<String> namedKey(CqlInsert.Table table) {
            return switch (table.name()) {
                case "t" -> List.of("id");
                case "lines" -> List.of("order_id", "line");
                default -> List.of();
            };
        }

        @Override
        public boolean servesLike(CqlInsert.Table table, String column) {
            return column.equals("searched");
        }

        @Override
        public String tableLike(@Nullable String keyspace, String name) {
            return name.equalsIgnoreCase("WithCapitals") ? "WithCapitals" : name;
        }

        @Override
        public String columnLike(CqlInsert.Table table, String name) {
            return table.name().equals("order_details") && name.equalsIgnoreCase("Unit Price") ? "Unit Price" : name;
        }

        @Override
        public boolean hasAll(CqlInsert.Table table, List<String> columns) {
            return table.name().equals("t");
        }

        @Override
        public List<Selected> selectedColumns(CqlInsert.Table table) {
            return table.name().equals("declared")
                    ? List.of(
                            new Selected("id", "Id"),
                            new Selected("Unit Price", "Unit Price"),
                            new Selected("limit", "Limit"))
                    : List.of();
        }
    };

    private static List<TsqlStep> steps(String sql) {
        return TsqlScript.parse(sql, SCHEMA).steps();
    }

    private static TsqlStep.Cql only(String sql) {
        assertThat(steps(sql)).hasSize(1);
        return (TsqlStep.Cql) steps(sql).get(0);
    }

    private static List<String> texts(String sql) {
        return steps(sql).stream().flatMap(step -> step.statements().stream()).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT token, t.Token, allow AS limit FROM t WHERE token = ? | SELECT \"token\", \"token\", \"allow\" AS \"limit\" FROM t WHERE \"token\" = ?",
                "SELECT COUNT(token) FROM batch WHERE id = 1 | SELECT COUNT(\"token\") FROM \"batch\" WHERE id = 1",
                "INSERT INTO token (token, allow) VALUES (?, 1) | INSERT INTO \"token\" (\"token\", \"allow\") VALUES (?, 1)",
                "INSERT INTO dbo.Token(Token, a) VALUES (?, GETDATE()) | INSERT INTO \"token\"(\"token\", a) VALUES (?, toTimestamp(now()))",
                "UPDATE token SET token = ?, limit = 5 WHERE id = 1 AND unset IN (1) | UPDATE \"token\" SET \"token\" = ?, \"limit\" = 5 WHERE id = 1 AND \"unset\" IN (1)",
                "UPDATE x SET token = 1 FROM token x WHERE x.id = 1 | UPDATE \"token\" SET \"token\" = 1 WHERE id = 1",
                "DELETE FROM token WHERE token.token = ? | DELETE FROM \"token\" WHERE \"token\" = ?",
                "SELECT a FROM t WHERE token(id) > token(?) LIMIT 5 ALLOW FILTERING | SELECT a FROM t WHERE token(id) > token(?) LIMIT 5 ALLOW FILTERING",
                "SELECT a FROM t WHERE id = 1 LIMIT ? | SELECT a FROM t WHERE id = 1 LIMIT ?",
                "CREATE TABLE t (token NVARCHAR(9) PRIMARY KEY, limit INT, using INT) | CREATE TABLE t (\"token\" text PRIMARY KEY, \"limit\" INT, \"using\" INT)",
                "TRUNCATE TABLE batch | TRUNCATE TABLE \"batch\"",
                "CREATE INDEX i ON token (limit) | CREATE CUSTOM INDEX i ON \"token\" (\"limit\") USING 'sai'",
                "CREATE INDEX i ON t (entries(m)) | CREATE INDEX i ON t (entries(m))",
            })
    void shouldQuoteNamesThatOnlyCqlReserves(String sql, String cql) {
        assertThat(texts(sql)).containsExactly(cql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a x, b [Y z], COUNT(*) n, MAX(a) 'Most' FROM t GROUP BY a, b | SELECT a AS x, b AS \"Y z\", COUNT(*) AS n, MAX(a) AS \"Most\" FROM t GROUP BY a, b",
                "SELECT a AS 'x', b AS N'It''s', c AS [d] FROM t | SELECT a AS x, b AS \"It's\", c AS d FROM t",
                "SELECT x = a, 'n' = COUNT(*), [z] = o.b FROM t o GROUP BY o.a | SELECT a AS x, COUNT(*) AS n, b AS z FROM t GROUP BY a",
                "SELECT TOP 3 x=a FROM t | SELECT a AS x FROM t LIMIT 3",
                "SELECT DISTINCT a x FROM t | SELECT DISTINCT a AS x FROM t",
                "SELECT DISTINCT(a) FROM t | SELECT DISTINCT a FROM t",
                "SELECT DISTINCT ( [B c] ) FROM t | SELECT DISTINCT \"B c\" FROM t",
                "SELECT now = GETDATE(), id FROM t | SELECT toTimestamp(now()) AS now, id FROM t",
                "SELECT ALL a b FROM t | SELECT a AS b FROM t",
                "SELECT all, json, distinct FROM t | SELECT all, json, distinct FROM t",
                "SELECT JSON a, b FROM t | SELECT JSON a, b FROM t",
                "SELECT (text)'x', (int)a, (list<int>) l FROM t | SELECT (text)'x', (int)a, (list<int>) l FROM t",
                "SELECT l[0] x, m['k'] y FROM t | SELECT l[0] AS x, m['k'] AS y FROM t",
                "SELECT a token FROM t | SELECT a AS \"token\" FROM t",
            })
    void shouldWriteEveryFormOfAnAlias(String sql, String cql) {
        assertThat(texts(sql)).containsExactly(cql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT * FROM declared | SELECT id, \"Unit Price\", \"limit\" FROM declared | [Id, Unit Price, Limit]",
                "SELECT TOP 5 d.* FROM dbo.[Declared] d WHERE d.id = ? | SELECT id, \"Unit Price\", \"limit\" FROM declared WHERE id = ? LIMIT 5 | [Id, Unit Price, Limit]",
                "SELECT declared.*, id X FROM declared ORDER BY 1 | SELECT id, \"Unit Price\", \"limit\", id AS X FROM declared ORDER BY id | [Id, Unit Price, Limit, X]",
                "SELECT Id, [unit price] AS 'P', COUNT(*), d.ID FROM declared d GROUP BY id | SELECT Id, \"unit price\" AS \"P\", COUNT(*), ID FROM declared GROUP BY id | [Id, P, , ID]",
                "SELECT *, id + 1 FROM declared | SELECT id, \"Unit Price\", \"limit\", id FROM declared | [Id, Unit Price, Limit, ]",
                "SELECT token(id), MAX(id), SUM(id) FROM declared | SELECT token(id), MAX(id), SUM(CAST(id AS decimal)), COUNT(id) FROM declared | [null, , ]",
                "SELECT * FROM t | SELECT * FROM t |",
                "SELECT x.* FROM declared | SELECT x.* FROM declared |",
                "SELECT JSON * FROM declared | SELECT JSON * FROM declared |",
                "SELECT JSON id FROM declared | SELECT JSON id FROM declared |",
            })
    void shouldNameTheColumnsOfAResultAsSqlServer(String sql, String cql, @Nullable String labels) {
        TsqlStep.Selection selection = only(sql).selection();

        assertThat(only(sql).text()).isEqualTo(cql);
        assertThat(
                        selection == null
                                ? null
                                : selection.items().stream()
                                        .map(TsqlStep.Selection.Item::label)
                                        .toList()
                                        .toString())
                .isEqualTo(labels);
    }

    @Test
    void shouldReadQueriesOfTheInformationSchema() {
        assertThat(
                        steps(
                                "SELECT TOP 3 c.column_name, Data_Type AS t FROM shop.INFORMATION_SCHEMA.COLUMNS AS c"
                                        + " WHERE c.TABLE_NAME = N'o''s' AND [TABLE_SCHEMA] IN ('dbo', ?) ORDER BY ORDINAL_POSITION DESC"))
                .containsExactly(new TsqlStep.SchemaView(new SchemaQuery(
                        "COLUMNS",
                        List.of(
                                new SchemaQuery.Item("COLUMN_NAME", "column_name"),
                                new SchemaQuery.Item("DATA_TYPE", "t")),
                        List.of(
                                new SchemaQuery.Condition("TABLE_NAME", List.of(new SchemaQuery.Value("o's", -1))),
                                new SchemaQuery.Condition(
                                        "TABLE_SCHEMA",
                                        List.of(new SchemaQuery.Value("dbo", -1), new SchemaQuery.Value("", 0)))),
                        List.of(new SchemaQuery.Order("ORDINAL_POSITION", true)),
                        3)));
        assertThat(steps("SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES; SELECT 1"))
                .hasSize(2)
                .first()
                .isEqualTo(new TsqlStep.SchemaView(
                        new SchemaQuery("TABLES", List.of(new SchemaQuery.Item(null, "")), List.of(), List.of(), -1)));
        assertThat(steps("select compatibility_level from [sys].databases (nolock) where (DB_NAME() = name)"))
                .isEqualTo(steps("SELECT compatibility_level FROM sys.databases WHERE name = db_name()"))
                .containsExactly(new TsqlStep.SchemaView(new SchemaQuery(
                        "DATABASES",
                        List.of(new SchemaQuery.Item("COMPATIBILITY_LEVEL", "compatibility_level")),
                        List.of(new SchemaQuery.Condition("NAME", List.of(SchemaQuery.Value.KEYSPACE))),
                        List.of(),
                        -1)));
        assertThat(steps("SELECT 1 FROM sys.columns c WHERE (c.object_id = OBJECT_ID(N'dbo.[T]')) AND ('a' = c.name)"))
                .containsExactly(new TsqlStep.SchemaView(new SchemaQuery(
                        "COLUMNS",
                        List.of(new SchemaQuery.Item(null, "", 1)),
                        List.of(
                                new SchemaQuery.Condition("TABLE_NAME", List.of(new SchemaQuery.Value("t", -1))),
                                new SchemaQuery.Condition("COLUMN_NAME", List.of(new SchemaQuery.Value("a", -1)))),
                        List.of(),
                        -1)));
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> steps("SELECT * FROM INFORMATION_SCHEMA.COLUMNS WHERE COLUMN_NAME LIKE 'a%'"))
                .withMessageContaining("this query of INFORMATION_SCHEMA, at 'LIKE'");
    }

    @Test
    void shouldReadTheProceduresThatDescribeATable() {
        List<TsqlStep> columns = List.of(new TsqlStep.TableColumns("orders", "dbo", null));
        assertThat(steps("EXEC sp_columns @table_owner = 'dbo', @table_name = N'orders'"))
                .isEqualTo(columns);
        assertThat(steps("sp_columns orders, dbo")).isEqualTo(columns);
        assertThat(steps("SELECT 1 EXECUTE sys.sp_columns 'orders', 'dbo', NULL; SELECT 2"))
                .hasSize(3)
                .containsAll(columns);
        assertThat(steps("exec sp_help 'dbo.Orders'"))
                .hasSize(TsqlStep.TableHelp.Part.values().length)
                .first()
                .isEqualTo(new TsqlStep.TableHelp(new CqlInsert.Table(null, "orders"), TsqlStep.TableHelp.Part.TABLE));
        for (String refused : List.of("EXEC other 't'", "SELECT 1; sp_help 't'", "sp_help", "sp_help @t")) {
            assertThatExceptionOfType(UnsupportedSqlException.class).as(refused).isThrownBy(() -> steps(refused));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT 1 FROM t WHERE id=? | SELECT (int)1 FROM t WHERE id=?",
                "SELECT 1 AS one, id FROM t x WHERE x.id = 1 | SELECT (int)1 AS one, id FROM t WHERE id = 1",
                "SELECT 'x' kind, N'y', NULL, -1, +1, 1.5, .5, -.5, $2.50, 1e3, 3000000000, 0xff FROM t | SELECT (text)'x' AS kind, (text)'y', (int)NULL, (int)-1, (int)1, (decimal)1.5, (decimal)0.5, (decimal)-0.5, (decimal)2.50, (double)1e3, (decimal)3000000000, (blob)0xff FROM t",
                "SELECT CURRENT_TIMESTAMP | SELECT toTimestamp(now()) FROM system.local",
                "SELECT CURRENT_TIMESTAMP AS at FROM t | SELECT toTimestamp(now()) AS at FROM t",
                "SELECT current_timestamp FROM lines | SELECT current_timestamp FROM lines",
                "SELECT NULL | SELECT (int)NULL FROM system.local",
                "SELECT -1 | SELECT (int)-1 FROM system.local",
                "SELECT 1.5, N'a' | SELECT (decimal)1.5, (text)'a' FROM system.local",
                "SELECT CAST(1 AS bigint), CAST('5' AS int) n, CONVERT(nvarchar(10), 'ab'), CAST(1 AS decimal(10,2)) | SELECT (bigint)1, (int)5 AS n, (text)'ab', (decimal)1.00 FROM system.local",
                "SELECT 123e4567-e89b-12d3-a456-426614174000 FROM t | SELECT 123e4567-e89b-12d3-a456-426614174000 FROM t",
            })
    void shouldGiveLiteralsInTheListATypeOfCql(String sql, String cql) {
        assertThat(texts(sql)).containsExactly(cql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT INTO t (a, b, c, d) VALUES (.5, +5, $12.50, -$.5) | INSERT INTO t (a, b, c, d) VALUES (0.5, 5, 12.50, -0.5)",
                "INSERT INTO t (a) VALUES (5.) | INSERT INTO t (a) VALUES (5)",
                "UPDATE t SET a = .5, b = b + 5, c = + 5 WHERE id IN (+1, $2) | UPDATE t SET a = 0.5, b = b + 5, c = 5 WHERE id IN (1, 2)",
                "SELECT a FROM t WHERE a > .5 AND a < +2 | SELECT a FROM t WHERE a > 0.5 AND a < 2",
                "SELECT s[0..5], s[1..2] FROM t | SELECT s[0..5], s[1..2] FROM t",
                "INSERT INTO t (a, b, c) VALUES (CAST('1' AS int), CAST(5 AS varchar(10)), CONVERT(uniqueidentifier, '6F9619FF-8B86-D011-B42D-00C04FC964FF')) | INSERT INTO t (a, b, c) VALUES (1, '5', 6F9619FF-8B86-D011-B42D-00C04FC964FF)",
                "INSERT INTO t (a, b) VALUES (CAST('2024-01-31' AS datetime), CAST(NULL AS int)) | INSERT INTO t (a, b) VALUES ('2024-01-31', NULL)",
                "SELECT CAST(a AS text) FROM t WHERE id = CAST(7 AS bigint) | SELECT CAST(a AS text) FROM t WHERE id = 7",
            })
    void shouldWriteTsqlsNumbersAndCastsOfLiterals(String sql, String cql) {
        assertThat(texts(sql)).containsExactly(cql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT CAST(1.5 AS int) | CAST(1.5 AS int)",
                "SELECT CAST('abcdef' AS varchar(3)) | CAST('abcdef' AS varchar)",
                "SELECT CAST(1.239 AS decimal(10,2)) | CAST(1.239 AS decimal)",
                "SELECT CAST('2024-01-31' AS datetime) | a date or time as a literal in the list of a SELECT",
                "SELECT CONVERT(varchar(30), 'a', 120) | CONVERT with a style",
                "INSERT INTO t (a, b) VALUES (1, $1,000) | the amount $1,000",
                "SELECT $1,000 FROM t | the amount $1,000",
                "SELECT a FROM t WHERE id = 1 OR a = 2 | OR",
                "SELECT a FROM t WHERE id = 1 OR id > 5 | OR",
                "SELECT a FROM t WHERE id = 1 AND a = 1 OR id = 2 | OR",
                "SELECT a FROM t WHERE 1 = 1 OR id = 2 | OR",
                "SELECT a FROM t WHERE id = 1 OR id = NULL | OR",
                "SELECT a FROM lines WHERE order_id = 1 AND line = 1 OR order_id = 2 | OR",
                "SELECT a FROM lines WHERE (order_id = 1 AND line = 1) OR (line = 2 AND order_id = 1) | OR",
                "SELECT a FROM lines WHERE (order_id = 1 AND line = 1) OR (order_id = 1 AND line > 2) | OR",
                "SELECT a FROM lines WHERE (order_id = 1 AND line = 1) OR (order_id = 1 AND line = 2) ORDER BY a | OR",
                "SELECT COUNT(*) FROM lines WHERE (order_id = 1 AND line = 1) OR (order_id = 1 AND line = 2) | OR",
                "SELECT DISTINCT a FROM lines WHERE (order_id = 1 AND line = 1) OR (order_id = 1 AND line = 2) | OR",
                "DELETE FROM lines WHERE (order_id = 1 AND line = 1) OR (order_id = 1 AND line = 2) | OR",
                "SELECT a FROM t WHERE LOWER(name) = 'x' | LOWER(...) in WHERE",
                "SELECT a FROM t WHERE name LIKE ? ESCAPE '!' | LIKE ... ESCAPE",
                "SELECT a FROM t WHERE name LIKE ? + '%' | LIKE of an expression",
                "SELECT DATEPART(year, a) FROM t WHERE id = 1 | DATEPART",
                "CREATE TYPE dbo.Name FROM nvarchar(50) NOT NULL | CREATE TYPE ... FROM",
                "CREATE TYPE ids AS TABLE (id int) | CREATE TYPE ... AS",
                "SELECT COUNT(*) FROM t WHERE ? = ? | a function over no row",
                "UPDATE t SET a = 1 FROM t WITH (TABLOCK) WHERE id = 1 | the hint TABLOCK",
                "SELECT COUNT(DISTINCT a) FROM t WHERE id = 1 | COUNT(DISTINCT ...)",
                "SELECT a FROM t WHERE a <> 1 | <> in WHERE",
                "SELECT a FROM t WHERE a != 1 | <> in WHERE",
                "SELECT a FROM t WHERE NOT a = 1 | NOT in WHERE",
                "SELECT a FROM t WHERE id NOT IN (1, 2) | NOT IN in WHERE",
                "SELECT a FROM t WHERE a IS NULL | IS NULL in WHERE",
                "SELECT CASE WHEN a = 1 THEN 'x' END k FROM t | CASE",
                "SELECT COUNT(*) FROM t WHERE 1 = 0 | a function over no row",
                "UPDATE t SET a = 1 | UPDATE without WHERE",
                "UPDATE t SET a = 1 WHERE 1 = 1 | UPDATE without WHERE",
                "DELETE FROM t | DELETE without WHERE",
                "UPDATE t SET id = ? WHERE id = ? | UPDATE of nothing but the key",
                "UPDATE t SET id = f(1), a = 1 WHERE id = 1 | SET of column id, which is part of the primary key",
                "GO 5 | GO within a line, or with a count",
                "SELECT a FROM t WHERE n COLLATE Latin1_General_CI_AS = 'a' OR n COLLATE Latin1_General_BIN2 = 'b' | COLLATE Latin1_General_CI_AS",
                "SELECT a FROM t WHERE n = 'a' OR n COLLATE Latin1_General_CI_AS = 'b' | COLLATE Latin1_General_CI_AS",
                "SELECT a FROM t WHERE (n COLLATE Latin1_General_CI_AS) = ? | COLLATE Latin1_General_CI_AS",
                "SELECT a FROM t WHERE 'a' = n COLLATE Latin1_General_CI_AS | COLLATE Latin1_General_CI_AS",
                "SELECT a FROM t WHERE id = 1 AND 'a' = 'A' | 'a' = 'A' in WHERE",
                "SELECT a FROM t WHERE 'a' <> N'b' | 'a' <> 'b' in WHERE",
                "SELECT a FROM t WHERE 1 = '1' | 1 = '1' in WHERE",
                "SELECT a FROM t LIMIT ? OFFSET ? | LIMIT ? OFFSET ?",
                "SELECT a FROM t WHERE id = 1 LIMIT 5 OFFSET 10 | LIMIT 5 OFFSET 10",
                "INSERT INTO t (id, a) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = 2 | INSERT ... ON DUPLICATE",
                "INSERT INTO t (id, a) VALUES (1, 2) ON CONFLICT DO NOTHING | INSERT ... ON CONFLICT",
                "INSERT INTO t (id, a) VALUES (shop.ids.NextVal, 2) | shop.ids.NextVal",
                "SELECT ids.nextval FROM dual | ids.nextval",
                "SELECT nextval('ids') | nextval('ids')",
                "UPDATE t SET a = 1, s = t.s2 WHERE id = 1 | SET s = t.s2",
                "UPDATE t SET t.s = s2 WHERE id = 1 | SET t.s = s2",
            })
    void shouldRefuseByNameWhatWouldChange(String sql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> steps(sql))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELEKT 1 | 102 | Incorrect syntax near 'SELEKT'",
                "SELECT CAST('abc' AS int) | 245 | CAST('abc' AS int)",
                "SELECT CAST(5000000000 AS int) | 8115 | CAST(5000000000 AS int)",
                "SELECT CAST('abc' AS decimal(5,2)) | 8114 | CAST('abc' AS decimal)",
                "BEGIN SELECT 1 | 102 | BEGIN without END",
                "SELECT 1; END | 102 | END",
                "SELECT a FROM t WHERE | 102 | WHERE needs a condition",
                "SELECT a FROM t WHERE 1 >< 2 | 102 | Incorrect syntax near '><'",
                "SELECT a, MAX(b) FROM t WHERE id = 1 | 8120 | Column 't.a' is invalid in the select list",
                "SELECT COUNT(*), id FROM declared | 8120 | add GROUP BY id",
                "SELECT *, COUNT(*) FROM declared | 8120 | Column 'declared.id'",
                "SELECT SUM(b), a + 1 FROM t | 8120 | Column 't.a'",
                "SELECT TOP 5 a FROM t ORDER BY a OFFSET 0 ROWS | 10741 | A TOP can not be used in the same query",
                "SELECT TOP 0 a FROM t ORDER BY a OFFSET ? ROWS FETCH NEXT 5 ROWS ONLY | 10741 | Leave TOP out",
            })
    void shouldGiveSqlServersNumber(String sql, int number, String message) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> steps(sql))
                .withMessageContaining(message)
                .matches(e -> e.number() == number);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM t WHERE 1=1 | SELECT a FROM t",
                "SELECT a FROM t WHERE 1 <= 1 AND 2 >= 2 AND 2 !< 2 AND 0x0a = 0x0a | SELECT a FROM t",
                "SELECT a FROM t WHERE 5 > n AND 5 < m | SELECT a FROM t WHERE n < 5 AND m > 5",
                "SELECT a FROM t WHERE 1 = id ORDER BY b | SELECT a FROM t WHERE id = 1",
                "SELECT a FROM t WHERE id LIKE 'abc' ORDER BY id | SELECT a FROM t WHERE id = 'abc'",
                "SELECT a FROM lines WHERE order_id = 1 ORDER BY line | SELECT a FROM lines WHERE order_id = 1 ORDER BY line",
                "SELECT a FROM order_details WHERE [UNIT PRICE] = 1 OR [UNIT PRICE] = 2 | SELECT a FROM order_details WHERE \"Unit Price\" IN (1, 2)",
                "SELECT a FROM t WHERE 1=1 AND id = ? | SELECT a FROM t WHERE id = ?",
                "SELECT a FROM t WHERE id = ? AND 1 = 1 ORDER BY b | SELECT a FROM t WHERE id = ?",
                "SELECT a FROM t o WHERE 2>1 AND o.id = ? AND 'a'='a' AND b = 2 | SELECT a FROM t WHERE id = ? AND b = 2",
                "SELECT a FROM t WHERE (1=1) AND (id = ?) | SELECT a FROM t WHERE id = ?",
                "SELECT a FROM t WHERE (1=1 AND id = ? AND b = 2) | SELECT a FROM t WHERE id = ? AND b = 2",
                "SELECT a FROM t WHERE 1 <> 2 LIMIT 5 | SELECT a FROM t LIMIT 5",
                "DELETE FROM t WHERE 1=1 AND id = 5 | DELETE FROM t WHERE id = 5",
                "SELECT a FROM t WHERE id = 1 OR id = 2 | SELECT a FROM t WHERE id IN (1, 2)",
                "SELECT a FROM t o WHERE o.id=? OR o.id=? OR id=? | SELECT a FROM t WHERE id IN (?, ?, ?)",
                "SELECT a FROM t WHERE (id = ? OR id = ?) AND b = 1 | SELECT a FROM t WHERE id IN (?, ?) AND b = 1",
                "SELECT a FROM t WHERE (id = ?) OR (id = -1) | SELECT a FROM t WHERE id IN (?, -1)",
                "SELECT a FROM t WHERE id IN (1, ?) OR id = 3 | SELECT a FROM t WHERE id IN (1, ?, 3)",
                "SELECT a FROM t WHERE id = 3 OR [Id] IN (1, ?) | SELECT a FROM t WHERE id IN (3, 1, ?)",
                "SELECT a FROM t WHERE name = 'x' OR name = 'y' | SELECT a FROM t WHERE name IN ('x', 'y')",
                "UPDATE t SET a = 1 WHERE id = 1 AND a <> 2 AND name IS NOT NULL | UPDATE t SET a = 1 WHERE id = 1 AND a != 2 AND name IS NOT NULL",
                "DELETE FROM t WHERE id = 1 OR id = 2 | DELETE FROM t WHERE id IN (1, 2)",
                "SELECT a FROM lines WHERE order_id = 1 AND (line = 1 OR line = 2) | SELECT a FROM lines WHERE order_id = 1 AND line IN (1, 2)",
                "SELECT a FROM t WHERE id = 1 ORDER BY id | SELECT a FROM t WHERE id = 1",
                "SELECT a FROM t WHERE id = 1 ORDER BY b DESC, id | SELECT a FROM t WHERE id = 1",
                "SELECT a FROM u WHERE id = 1 ORDER BY id DESC, c | SELECT a FROM u WHERE id = 1 ORDER BY c",
                "SELECT a FROM u WHERE id = 1 ORDER BY c, id LIMIT 5 | SELECT a FROM u WHERE id = 1 ORDER BY c LIMIT 5",
                "SELECT a x, b FROM u WHERE id = 1 ORDER BY x, 2 DESC | SELECT a AS x, b FROM u WHERE id = 1 ORDER BY a, b DESC",
                "SELECT a FROM t WHERE id IN (1) ORDER BY id | SELECT a FROM t WHERE id IN (1) ORDER BY id",
                "SELECT a FROM t WHERE id = 1 ORDER BY b OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY | SELECT a FROM t WHERE id = 1 LIMIT 5",
                "SELECT a FROM t WHERE id = 1 AND t.c BETWEEN ? AND ? AND b = 2 | SELECT a FROM t WHERE id = 1 AND c >= ? AND c <= ? AND b = 2",
                "SELECT a FROM t WHERE ([My C] between (1) and -5) AND id = 1 | SELECT a FROM t WHERE \"My C\" >= (1) and \"My C\" <= -5 AND id = 1",
                "DELETE FROM t WHERE id = 1 AND c BETWEEN 'a' AND 'b' | DELETE FROM t WHERE id = 1 AND c >= 'a' AND c <= 'b'",
                "SELECT a FROM t WHERE token(id) BETWEEN 1 AND 2 | SELECT a FROM t WHERE token(id) BETWEEN 1 AND 2",
                "SELECT a FROM t WHERE name LIKE 'abc' | SELECT a FROM t WHERE name = 'abc'",
                "SELECT a FROM t WHERE name LIKE N'abc' AND id = 1 | SELECT a FROM t WHERE name = 'abc' AND id = 1",
                "SELECT a FROM t WHERE name LIKE 'a%' | SELECT a FROM t WHERE name LIKE 'a%'",
                "SELECT a FROM t WHERE name LIKE 'abc ' | SELECT a FROM t WHERE name LIKE 'abc '",
                "SELECT a FROM t WHERE searched LIKE 'abc' | SELECT a FROM t WHERE searched LIKE 'abc'",
                "SELECT a FROM t WHERE searched LIKE ? | SELECT a FROM t WHERE searched LIKE ?",
                "SELECT a FROM t WHERE 1 = id OR ? = t.id OR id IN (3) | SELECT a FROM t WHERE id IN (1, ?, 3)",
                "SELECT a FROM t WHERE b = 1 AND ((? = id OR (-2 = id)) OR id = 3) | SELECT a FROM t WHERE b = 1 AND id IN (?, -2, 3)",
                "SELECT a FROM t WHERE (((id = ?) OR (id = ?)) OR (id = ?)) | SELECT a FROM t WHERE id IN (?, ?, ?)",
                "SELECT a FROM t WHERE ((id = ?) AND ((n = ?) AND (c BETWEEN ? AND ?))) | SELECT a FROM t WHERE id = ? AND n = ? AND c >= ? AND c <= ?",
                "SELECT a FROM t WHERE id = ? AND (CAST('5' AS int) < n AND -1 >= m) | SELECT a FROM t WHERE id = ? AND n > 5 AND m <= -1",
                "DELETE FROM t WHERE 5 <> n AND ? = id | DELETE FROM t WHERE n != 5 AND id = ?",
                "SELECT a FROM lines WHERE (order_id, line) = (1, ?) | SELECT a FROM lines WHERE order_id = 1 AND line = ?",
                "SELECT a FROM lines l WHERE ((l.line, l.order_id) IN ((?, 2))) | SELECT a FROM lines WHERE line = ? AND order_id = 2",
                "SELECT a FROM lines WHERE order_id = 1 AND (line) IN ((1), (2)) | SELECT a FROM lines WHERE order_id = 1 AND (line) IN ((1), (2))",
                "UPDATE t SET a = (a + 1), b = (t.b - ?) WHERE ((id = 1)) | UPDATE t SET a = a + 1, b = b - ? WHERE id = 1",
                "UPDATE t SET a = (1, 2) WHERE id = 1 | UPDATE t SET a = (1, 2) WHERE id = 1",
                "UPDATE t SET a = 1 FROM t WITH (ROWLOCK) WHERE id = 1 | UPDATE t SET a = 1 WHERE id = 1",
                "UPDATE dbo.t SET a = 1 FROM dbo.t WHERE id = 1 | UPDATE t SET a = 1 WHERE id = 1",
                "UPDATE x SET a = 1 FROM dbo.t AS x WITH (NOLOCK) WHERE x.id = 1 | UPDATE t SET a = 1 WHERE id = 1",
                "DELETE x FROM t x WITH (ROWLOCK) WHERE x.id = 1 | DELETE FROM t WHERE id = 1",
                "SELECT a FROM t ORDER BY ROW_NUMBER() OVER (ORDER BY (SELECT null)) OFFSET ? ROWS FETCH NEXT ? ROWS ONLY | SELECT a FROM t LIMIT ?",
                "SELECT DISTINCT id, a FROM t | SELECT id, a FROM t",
                "SELECT DISTINCT a, line, order_id FROM lines WHERE order_id = 1 | SELECT a, line, order_id FROM lines WHERE order_id = 1",
                "SELECT DISTINCT id FROM t WHERE a = 1 | SELECT id FROM t WHERE a = 1",
                "SELECT DISTINCT order_id, a FROM lines | SELECT DISTINCT order_id, a FROM lines",
                "SELECT a FROM t WHERE n COLLATE Latin1_General_BIN2 = 'a' OR t.n COLLATE Latin1_General_BIN2 IN ('b', ?) | SELECT a FROM t WHERE n IN ('a', 'b', ?)",
                "SELECT a FROM t WHERE ((n COLLATE Latin1_General_BIN2) = ? OR 'b' = [N] collate Latin1_General_BIN) | SELECT a FROM t WHERE n IN (?, 'b')",
                "SELECT a FROM t WHERE (t.n COLLATE Latin1_General_BIN2) = ? AND 'a' <= c COLLATE Latin1_General_BIN2 | SELECT a FROM t WHERE n = ? AND c >= 'a'",
                "SELECT a FROM t WHERE (n COLLATE Latin1_General_BIN2) IN ('a', 'b') AND c COLLATE Latin1_General_BIN BETWEEN 'a' AND 'b' | SELECT a FROM t WHERE n IN ('a', 'b') AND c >= 'a' AND c <= 'b'",
                "DELETE FROM t WHERE (id COLLATE Latin1_General_BIN2) = 'a' AND n COLLATE Latin1_General_BIN2 <> 'b' | DELETE FROM t WHERE id = 'a' AND n != 'b'",
                "SELECT a FROM t WHERE id COLLATE Latin1_General_BIN2 LIKE 'a' ORDER BY id | SELECT a FROM t WHERE id = 'a'",
                "SELECT a FROM t WHERE id = 1E-3 AND ? = ? | SELECT a FROM t WHERE id = 1E-3",
                "INSERT INTO t (id, a) VALUES (1E-3, -2.5e+3) | INSERT INTO t (id, a) VALUES (1E-3, -2.5e+3)",
            })
    void shouldWriteConditionsAsCqlSaysThem(String sql, String cql) {
        assertThat(texts(sql).stream().map(EverydayStatementsTest::spaced)).containsExactly(spaced(cql));
    }

    /** What is rewritten may have other blanks. */
    private static String spaced(String cql) {
        return cql.replaceAll(" +", " ").replaceAll(" ?([(),]) ?", "$1");
    }

    @Test
    void shouldKeepTheParametersOfRewrittenConditionsInOrder() {
        TsqlStep.Cql select = only("SELECT a FROM t WHERE 1=1 AND (id = ? OR id = ?) AND name LIKE ? AND b = ?");

        assertThat(select.parameters()).containsExactly(0, 1, 2, 3);
        assertThat(select.guards()).containsExactly(new Guard.NoWildcard(2, "name"));
        assertThat(only("UPDATE t SET a = 1 WHERE id = 1 AND (n COLLATE Latin1_General_BIN2) = 'x' AND b = 'y'"
                                + " AND (c COLLATE Latin1_General_BIN = 'x' OR 'y' = c) AND 'z' <> [D] COLLATE Latin1_General_BIN2"
                                + " AND e = 'x' COLLATE Latin1_General_BIN2")
                        .comparedByBytes())
                .containsExactlyInAnyOrder("n", "c", "d", "e");
    }

    /** Mappers ask so for several rows whose key has several columns. */
    @Test
    void shouldReadEachRowThatIsNamedByItsWholeKey() {
        TsqlStep.Cql byOr = only(
                "SELECT TOP 5 l.a FROM lines l WHERE b = ? AND ((l.order_id = ? AND (l.line = 2)) OR (order_id = ? AND line = ?))");
        assertThat(byOr.statements().stream().map(EverydayStatementsTest::spaced))
                .containsExactly(
                        "SELECT a FROM lines WHERE b = ? AND order_id = ? AND line = 2",
                        "SELECT a FROM lines WHERE b = ? AND order_id = ? AND line = ?");
        assertThat(byOr.text()).isEqualTo(byOr.statements().get(0));
        assertThat(byOr.rows().orElseThrow().reads())
                .extracting(Guard.Read::parameters)
                .containsExactly(List.of(0, 1), List.of(0, 2, 3));
        assertThat(byOr.rows().orElseThrow().limit()).isEqualTo(new Guard.Operand(-1, "5"));

        TsqlStep.Cql byTuples = only("SELECT a FROM lines WHERE (line, order_id) IN ((?, 1), (?, ?)) AND b = ?");
        assertThat(byTuples.statements().stream().map(EverydayStatementsTest::spaced))
                .containsExactly(
                        "SELECT a FROM lines WHERE line = ? AND order_id = 1 AND b = ?",
                        "SELECT a FROM lines WHERE line = ? AND order_id = ? AND b = ?");
        assertThat(byTuples.rows().orElseThrow().reads())
                .extracting(Guard.Read::parameters)
                .containsExactly(List.of(0, 3), List.of(1, 2, 3));
        assertThat(only("SELECT a FROM lines WHERE order_id = 1").rows()).isEmpty();
    }

    /** Each is a read of its own. */
    @Test
    void shouldReadAHundredRowsAtTheMost() {
        String byOr = "SELECT a FROM lines WHERE (order_id = 1 AND line = 1)"
                + " OR (order_id = 1 AND line = 2)".repeat(Guard.Rows.MAX_READS - 1);
        String byTuples =
                "SELECT a FROM lines WHERE (order_id, line) IN ((1, 1)" + ", (1, 2)".repeat(Guard.Rows.MAX_READS - 1);
        for (String sql : List.of(byOr, byTuples + ")")) {
            assertThat(only(sql).statements()).hasSize(Guard.Rows.MAX_READS);
        }
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> only(byOr + " OR (order_id = 1 AND line = 2)"))
                .withMessageStartingWith("OR is not supported");
        assertThat(only(byTuples + ", (1, 3))").rows()).isEmpty();
    }

    @Test
    void shouldCompareParametersWhenTheyAreKnown() {
        assertThat(only("SELECT a FROM t WHERE (id = ?) AND (? = ?)").guards())
                .containsExactly(new Guard.Compared(1, 2, true));
        assertThat(only("DELETE FROM t WHERE ? <> ? AND id = ?").guards())
                .containsExactly(new Guard.Compared(0, 1, false));
    }

    @Test
    void shouldNoteWhatFindsNoRow() {
        assertThat(only("SELECT TOP 0 * FROM t").text()).isEqualTo("SELECT * FROM t");
        assertThat(only("SELECT TOP 0 * FROM t").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("SELECT TOP (0) COUNT(*) FROM t").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("SELECT * FROM t WHERE 1=0").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("SELECT * FROM t WHERE id = ? AND 1 > 2").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("DELETE FROM t WHERE 1 <> 1").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("SELECT a FROM t WHERE NULL <> 1").guards()).containsExactly(new Guard.NoRows());
        assertThat(only("SELECT a FROM t OFFSET ? ROWS").guards()).containsExactly(new Guard.NoOffset(0));
        assertThat(only("SELECT TOP (?) a FROM t").guards()).containsExactly(new Guard.Limit(0));
        assertThat(only("SELECT a FROM t WHERE id = ?").guards()).isEmpty();
    }

    @Test
    void shouldLeaveTheKeyOutOfSet() {
        TsqlStep.Cql update = only("UPDATE t SET id = ?, name = ?, [a] = 1 WHERE t.id = ?");

        assertThat(update.text().replaceAll(" +", " ")).isEqualTo("UPDATE t SET name = ?, a = 1 WHERE id = ?");
        assertThat(update.parameters()).containsExactly(1, 2);
        assertThat(update.guards())
                .containsExactly(new Guard.SameKey(
                        new CqlInsert.Table(null, "t"), "id", new Guard.Operand(0, null), new Guard.Operand(2, null)));
        assertThat(only("UPDATE lines SET a = 1, line = 2 WHERE order_id = 1 AND line = ?")
                        .text())
                .isEqualTo("UPDATE lines SET a = 1 WHERE order_id = 1 AND line = ?");
        // A column that is no key, though it is in WHERE.
        assertThat(only("UPDATE t SET a = 2 WHERE id = 1 AND a = 1").text())
                .isEqualTo("UPDATE t SET a = 2 WHERE id = 1 AND a = 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM t (NOLOCK) WHERE id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT o.a FROM t o (NOLOCK) WHERE o.id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT o.a FROM t AS o WITH (NOLOCK) WHERE o.id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT o.a FROM t (NOLOCK) o WHERE o.id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT TOP 1 a FROM dbo.t(NOLOCK) | SELECT a FROM t LIMIT 1",
            })
    void shouldLeaveLockHintsOutWithoutWith(String sql, String cql) {
        assertThat(texts(sql).stream().map(text -> text.replaceAll(" +", " "))).containsExactly(cql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET NOCOUNT ON UPDATE t SET a = 1 WHERE id = 1 DELETE FROM t WHERE id = 2 SELECT a FROM t WHERE id = 3",
                "SET NOCOUNT ON; BEGIN UPDATE t SET a = 1 WHERE id = 1; DELETE FROM t WHERE id = 2 END SELECT a FROM t WHERE id = 3",
                "SET NOCOUNT ON\nGO\nUPDATE t SET a = 1 WHERE id = 1\ngo\nDELETE FROM t WHERE id = 2\nGO\nGO\nSELECT a FROM t WHERE id = 3\nGO",
                "BEGIN\n SET NOCOUNT ON\n BEGIN UPDATE t SET a = 1 WHERE id = 1 END\n DELETE FROM t WHERE id = 2\n SELECT a FROM t WHERE id = 3\nEND",
            })
    void shouldReadScriptsWithoutSemicolons(String sql) {
        assertThat(steps(sql).get(0)).isEqualTo(new TsqlStep.SetNoCount(true));
        assertThat(texts(sql))
                .containsExactly(
                        "UPDATE t SET a = 1 WHERE id = 1",
                        "DELETE FROM t WHERE id = 2",
                        "SELECT a FROM t WHERE id = 3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT\ngo\nFROM t WHERE id = 1",
                "SELECT a,\ngo\nFROM t WHERE end = 1",
                "UPDATE t SET end = 2, go = 1 WHERE id = 1",
                "SELECT end, exec, print, declare FROM t WHERE exec = 1 AND go = 2",
                "UPDATE t SET a = 1 WHERE id = 1 IF EXISTS",
                "UPDATE t SET a = 1 WHERE id = 1 IF a != 2 AND b IN (1)",
                "DELETE FROM t WHERE id = 1 IF a = 1",
                "SELECT a FROM t WHERE group = 1 AND per = 2 AND offset = 3",
                "UPDATE t SET top = top +0xCAFE, all = all + 5, values = values - 5 WHERE id = 1",
                "DELETE FROM values WHERE id = 1",
                "UPDATE top SET a = 1 WHERE id = 1",
                "SELECT a FROM like WHERE contains = 1 AND for = 2 ORDER BY case",
            })
    void shouldTakeNoNameOfCqlForTheNextStatement(String cql) {
        assertThat(texts(cql)).containsExactly(cql);
    }

    @Test
    void shouldTakeGoForANameUnlessItIsAloneInItsLine() {
        assertThat(texts("SELECT 1 go\nSELECT 2"))
                .containsExactly("SELECT (int)1 AS go FROM system.local", "SELECT (int)2 FROM system.local");
        assertThat(texts("SELECT 1\nGO\nSELECT 2"))
                .containsExactly("SELECT (int)1 FROM system.local", "SELECT (int)2 FROM system.local");
        assertThat(texts("SELECT go.a FROM t\ngo UPDATE t SET a = 1 WHERE id = 1"))
                .containsExactly("SELECT a FROM t", "UPDATE t SET a = 1 WHERE id = 1");
    }

    @Test
    void shouldRecogniseTheCountOfTheLastStatement() {
        assertThat(steps("SELECT @@ROWCOUNT")).containsExactly(new TsqlStep.SelectRowCount(""));
        assertThat(steps("SELECT @@rowcount AS [N]")).containsExactly(new TsqlStep.SelectRowCount("N"));
        assertThat(steps("UPDATE t SET a = 1 WHERE id = 1 SELECT n = @@ROWCOUNT")
                        .get(1))
                .isEqualTo(new TsqlStep.SelectRowCount("n"));
    }

    @Test
    void shouldFindNamesInBracketsWhateverTheirCapitals() {
        assertThat(texts("SELECT [UNIT PRICE] AS [my price], d.[unit price] FROM [order details] d WHERE d.[Id] = 1"))
                .containsExactly(
                        "SELECT \"Unit Price\" AS \"my price\", \"Unit Price\" FROM order_details WHERE id = 1");
        assertThat(texts("INSERT INTO [dbo].[ORDER DETAILS] ([unit price], [Other One]) VALUES (?, GETDATE())"))
                .containsExactly(
                        "INSERT INTO order_details (\"Unit Price\", \"Other One\") VALUES (?, toTimestamp(now()))");
        assertThat(texts("INSERT INTO [ORDER DETAILS] ([unit price]) VALUES (1)"))
                .containsExactly("INSERT INTO order_details (\"Unit Price\") VALUES (1)");
        assertThat(texts("DELETE FROM [withcapitals] WHERE id = 1"))
                .containsExactly("DELETE FROM \"WithCapitals\" WHERE id = 1");
        assertThat(texts("CREATE TABLE [Order Details] ([Order Id] INT PRIMARY KEY)"))
                .containsExactly("CREATE TABLE order_details (\"Order Id\" INT PRIMARY KEY)");
        assertThat(texts("DROP TABLE IF EXISTS [Order Details]")).containsExactly("DROP TABLE IF EXISTS order_details");
        assertThat(texts("TRUNCATE TABLE [My Shop].dbo.[Order Details]"))
                .containsExactly("TRUNCATE TABLE my_shop.order_details");
        assertThat(texts("UPDATE [order DETAILS] SET [unit PRICE] = 1 WHERE id = 1"))
                .containsExactly("UPDATE order_details SET \"Unit Price\" = 1 WHERE id = 1");
    }

    @Test
    void shouldServeNextValueInBracketsAndLiteralsOfOutput() {
        TsqlStep.Insert insert = (TsqlStep.Insert) steps(
                        "INSERT INTO t (id, a) OUTPUT INSERTED.id, 'new' AS state, 1.5 VALUES ((NEXT VALUE FOR s), ((NEXT VALUE FOR s)))")
                .get(0);

        assertThat(insert.draws()).containsExactly(new CqlInsert.Table(null, "s"));
        assertThat(insert.rows().get(0).parameters()).containsExactly(0, 0);
        assertThat(insert.output())
                .extracting(TsqlStep.Output::label, TsqlStep.Output::constant)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("id", null),
                        org.assertj.core.groups.Tuple.tuple("state", new TsqlStep.Constant("text", "new")),
                        org.assertj.core.groups.Tuple.tuple(
                                "", new TsqlStep.Constant("decimal", new java.math.BigDecimal("1.5"))));
    }

    @Test
    void shouldShowEveryStepAsAStatement() {
        String sql = "SET NOCOUNT ON; INSERT INTO t (a) VALUES (1); SELECT CAST(SCOPE_IDENTITY() AS int) AS n;"
                + " SELECT NEXT VALUE FOR s; SELECT @@ROWCOUNT; SET IDENTITY_INSERT t OFF; DROP SEQUENCE IF EXISTS s";

        assertThat(steps(sql).stream().map(StepPrinter::of))
                .containsExactly(
                        "SET NOCOUNT ON",
                        "INSERT INTO t (a) VALUES (1)",
                        "SELECT CAST(SCOPE_IDENTITY() AS INT) AS n",
                        "SELECT NEXT VALUE FOR s",
                        "SELECT @@ROWCOUNT",
                        "SET IDENTITY_INSERT t OFF",
                        "DROP SEQUENCE IF EXISTS s");
    }

    @Test
    void shouldTakeTimeInProportionToTheText() {
        int many = 100_000;
        assertThat(texts("SELECT a FROM t WHERE " + "(".repeat(200) + "id = 1" + ")".repeat(200)))
                .hasSize(1);
        assertThat(texts("SELECT a FROM t WHERE id = 1" + " OR id = 2".repeat(many)))
                .hasSize(1);
        assertThat(texts("SELECT a FROM t WHERE id = 1" + " AND 1 = 1".repeat(many)))
                .containsExactly("SELECT a FROM t WHERE id = 1");
        assertThat(steps("SELECT a FROM t WHERE id = 1 ".repeat(many / 2))).hasSize(many / 2);
    }
}
