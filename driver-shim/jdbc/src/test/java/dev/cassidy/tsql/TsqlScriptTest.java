package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlStep.Ignored;
import dev.cassidy.tsql.TsqlStep.Output;
import dev.cassidy.tsql.TsqlStep.SelectIdentity;
import dev.cassidy.tsql.TsqlStep.SetNoCount;
import dev.cassidy.tsql.TsqlStep.Use;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TsqlScriptTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM ks.orders WHERE id = ? AND c IN ? LIMIT ? ALLOW FILTERING",
                "SELECT m['k'], l[0], m[?], s['a'..'b'], m[true] FROM t WHERE k = 'N''x'",
                "SELECT JSON id, writetime(a) AS \"Time\" FROM t WHERE (a, b) > (?, ?) AND l CONTAINS [1,'x']",
                "SELECT top, offset, fetch FROM t WHERE next = 1 PER PARTITION LIMIT 2",
                "INSERT INTO t (id, l, m) VALUES (a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11, ['a', ?], {'k': [?]}) IF NOT EXISTS",
                "INSERT INTO t (l, u) VALUES ([a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11], {street: ?, geo: {ts: 1}})",
                "INSERT INTO t(a)VALUES(?)USING TTL ? AND TIMESTAMP ?",
                "INSERT INTO t JSON '{\"a\": 1}' DEFAULT UNSET",
                "INSERT INTO t (a) VALUES ($$it's; INSERT [x]$$)",
                "UPDATE t USING TTL ? SET l = [?] + l, m['k'] = ?, c = c + 1, s = s - {'x'} WHERE id = ? IF EXISTS",
                "DELETE m['k'], l[0] FROM t USING TIMESTAMP ? WHERE id IN (?, ?) IF a = 1",
                "BEGIN UNLOGGED BATCH USING TIMESTAMP ? INSERT INTO t (a) VALUES (?); UPDATE t SET b = ? WHERE a = 1; APPLY BATCH",
                "CREATE TABLE IF NOT EXISTS t (identity int, id int PRIMARY KEY, v vector<float, 3>) WITH comment = 'N''1'",
                "CREATE FUNCTION f(x int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$ return x; $$",
                "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a IS NOT NULL PRIMARY KEY (a)",
                "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "SELECT l[true ], l[ NULL], m[P1Y2M ], m[NaN ], m[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 ] FROM t",
                "INSERT INTO t (l, m) VALUES ([P1Y2M], [ null ])",
                "UPDATE t SET l = [P1Y2M   ] WHERE id = 1",
                "DELETE a[FALSE ], b[-1 ] FROM t WHERE a = t.f() AND b = ks.t()",
                "UPDATE t SET l = 'a' WHERE id = t . f ( ? )",
                "TRUNCATE t",
                "DROP FUNCTION identity (int)",
                "UPDATE t SET current_timestamp = current_timestamp + 1 WHERE a = 1",
                "DELETE output, top FROM t WHERE join = 1",
                "UPDATE output SET top = 1 WHERE join = 1",
                "UPDATE output USING TTL 1 SET output = 2, join = 3 WHERE a = 1",
                "GRANT SELECT ON KEYSPACE k TO r",
                "SELECT a FROM t WHERE v = {ts: 1} AND b = {d} -- c",
                "SELECT v FROM t ORDER BY v ANN OF [0.1, 0.2] LIMIT 3",
                "SELECT a /* x /* y */ FROM t WHERE b = :b",
            })
    void shouldPassCqlThroughByteForByte(String cql) {
        String text = cql.replace(" -- c", "");
        if (cql.contains("/*")) {
            // In T-SQL, where comments nest, this comment does not end.
            assertThatExceptionOfType(UnsupportedSqlException.class).isThrownBy(() -> TsqlScript.parse(cql));
            return;
        }
        assertThat(texts(cql)).containsExactly(text);
        assertThat(TsqlScript.parse(cql + ";").steps()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT [Orders] ([Customer], [Order]) VALUES (N'Ann''s', ?) | INSERT INTO orders (customer, \"order\") VALUES ('Ann''s', ?)",
                "INSERT INTO [dbo].[Order Details] ([2nd]) VALUES (1) | INSERT INTO order_details (\"2nd\") VALUES (1)",
                "insert dbo.orders(a)values(1) | insert INTO orders(a)values(1)",
                "INSERT INTO Shop..Orders (a) VALUES (1) | INSERT INTO Shop.Orders (a) VALUES (1)",
                "INSERT INTO [Shop].dbo.[Orders] (a) VALUES (1) | INSERT INTO shop.orders (a) VALUES (1)",
                "INSERT INTO orders WITH (TABLOCK, ROWLOCK) (a) VALUES (1) | INSERT INTO orders (a) VALUES (1)",
                "INSERT INTO t (a) VALUES (1) OPTION (RECOMPILE) | INSERT INTO t (a) VALUES (1)",
                "SELECT a FROM t WHERE ((b=? AND p=?)) | SELECT a FROM t WHERE b=? AND p=?",
                "DELETE FROM t WHERE (((b=?) and (p=?))) and ((c=?)) | DELETE FROM t WHERE b=? and p=? and c=?",
                "UPDATE t SET a=1 WHERE ((b=? OR b=?)) | UPDATE t SET a=1 WHERE b IN ( ? , ?)",
                "SELECT a FROM t ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY | SELECT a FROM t LIMIT 5",
                "SELECT a FROM t ORDER BY a OFFSET ? ROWS FETCH NEXT ? ROWS ONLY | SELECT a FROM t ORDER BY a LIMIT ?",
                "SELECT a FROM t WHERE ? = id | SELECT a FROM t WHERE id = ?",
                "SELECT a FROM t o WHERE ? = o.[Id] AND 3>=n AND N'x' < s | SELECT a FROM t WHERE id = ? AND n <= 3 AND s > 'x'",
                "SELECT a FROM t WHERE n COLLATE Latin1_General_BIN2 = 'x' | SELECT a FROM t WHERE n = 'x'",
                "SELECT a FROM t WITH (INDEX (i, 2), FORCESEEK (i (id, a)), NOLOCK) WHERE id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT a FROM t WITH (INDEX = i, NOEXPAND) WHERE id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT a FROM t WITH (INDEX = (i) TABLOCK) WHERE id = 1 | SELECT a FROM t WHERE id = 1",
                "SELECT TOP 5 a FROM t WHERE id = 1 OPTION (MAXDOP 1, OPTIMIZE FOR (@p = (1))) | SELECT a FROM t WHERE id = 1 LIMIT 5",
                "SELECT a FROM t WHERE id = option(1) | SELECT a FROM t WHERE id = option(1)",
                "SELECT option FROM t WHERE option IN (1, 2) | SELECT option FROM t WHERE option IN (1, 2)",
                "UPDATE t WITH (ROWLOCK) SET a = 1 WHERE id = 1 OPTION (RECOMPILE) | UPDATE t SET a = 1 WHERE id = 1",
                "DELETE FROM t WITH (PAGLOCK) WHERE id IN (1) OPTION (FAST 1) | DELETE FROM t WHERE id IN (1)",
                "INSERT INTO orders (orders.a, [orders].[b]) VALUES (1, 2) | INSERT INTO orders (a, b) VALUES (1, 2)",
                "INSERT INTO t (a, b) VALUES (GETDATE(), NEWID()) | INSERT INTO t (a, b) VALUES (toTimestamp(now()), uuid())",
                "INSERT INTO t (a, b) VALUES (CURRENT_TIMESTAMP, 1) | INSERT INTO t (a, b) VALUES (toTimestamp(now()), 1)",
                "UPDATE t SET a = GETDATE(), b = CURRENT_TIMESTAMP, c = newid() WHERE d < sysutcdatetime() | UPDATE t SET a = toTimestamp(now()), b = toTimestamp(now()), c = uuid() WHERE d < toTimestamp(now())",
                "INSERT INTO t (a, b) VALUES ({ts '2020-01-01 00:00:00'}, {d '2020-01-01'}) | INSERT INTO t (a, b) VALUES ('2020-01-01 00:00:00', '2020-01-01')",
                "INSERT INTO t (id, a, b) VALUES (DEFAULT, ?, DEFAULT) | INSERT INTO t (a) VALUES (?)",
                "INSERT INTO t (id, a) VALUES (NULL, ?) | INSERT INTO t (id, a) VALUES (NULL, ?)",
                "INSERT INTO dbo.t DEFAULT VALUES | INSERT INTO t () VALUES ()",
                "SELECT TOP 5 * FROM [dbo].[Orders] WITH (NOLOCK) WHERE [Id] = ? | SELECT * FROM orders WHERE id = ? LIMIT 5",
                "SELECT DISTINCT TOP (5) a FROM t ALLOW FILTERING | SELECT DISTINCT a FROM t LIMIT 5 ALLOW FILTERING",
                "SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY | SELECT a FROM t ORDER BY a LIMIT 3",
                "SELECT o.id, o.[Name] AS n FROM Orders o WHERE o.id = ? | SELECT id, name AS n FROM Orders WHERE id = ?",
                "SELECT o.*, s.n FROM t o WHERE o.id = ? | SELECT *, s.n FROM t WHERE id = ?",
                "SELECT TOP 1 [t].* FROM [t] WHERE id = 1 | SELECT * FROM t WHERE id = 1 LIMIT 1",
                "UPDATE p SET a = 1 FROM [dbo].[T] p WHERE p.id = ? | UPDATE t SET a = 1 WHERE id = ?",
                "UPDATE [p] SET p.a = ? FROM ks.T AS p WHERE p.id = 1 | UPDATE ks.T SET a = ? WHERE id = 1",
                "UPDATE s SET a = 1 FROM [Shop].[Shop] s WHERE id = 1 | UPDATE shop.shop SET a = 1 WHERE id = 1",
                "UPDATE T SET a = 1 FROM T WHERE id = 1 | UPDATE T SET a = 1 WHERE id = 1",
                "DELETE p FROM dbo.T p WHERE p.id = ? | DELETE FROM T WHERE id = ?",
                "DELETE T FROM T WHERE id = ? | DELETE FROM T WHERE id = ?",
                "DELETE dbo.t FROM dbo.T WHERE T.id = ? | DELETE FROM T WHERE id = ?",
                "DELETE [t] FROM shop.T WHERE id = ? | DELETE FROM shop.T WHERE id = ?",
                "DELETE a.t FROM T WHERE id = ? | DELETE a.t FROM T WHERE id = ?",
                "DELETE c FROM T WHERE id = ? | DELETE c FROM T WHERE id = ?",
                "DELETE a FROM t WHERE id = 1 | DELETE a FROM t WHERE id = 1",
                "SELECT COUNT_BIG(*) FROM t | SELECT COUNT(*) FROM t",
                "SELECT 1 | SELECT (int)1 FROM system.local",
                "SELECT 1 AS one, 'x', GETDATE() | SELECT (int)1 AS one, (text)'x', toTimestamp(now()) FROM system.local",
                "select o1_0.id from dbo.orders as o1_0 where o1_0.id=? | select id from orders where id=?",
                "SELECT \"orders\".\"id\" AS \"id\" FROM \"orders\" WHERE \"orders\".\"id\" = ? | SELECT \"id\" AS \"id\" FROM \"orders\" WHERE \"id\" = ?",
                "SELECT dbo.orders.id, shop.orders.a FROM shop.orders | SELECT id, a FROM shop.orders",
                "DELETE FROM \"orders\" WHERE \"orders\".\"id\" = ? | DELETE FROM \"orders\" WHERE \"id\" = ?",
                "DELETE [Orders] WHERE id = 1 | DELETE FROM orders WHERE id = 1",
                "UPDATE [Orders] SET [Orders].[Name] = N'x' WHERE [Id] = ? | UPDATE orders SET name = 'x' WHERE id = ?",
                "SELECT a /* x /* y */ z */ FROM t | SELECT a FROM t",
            })
    void shouldNormaliseTsql(String sql, String cql) {
        assertThat(texts(sql)).containsExactly(cql);
    }

    @Test
    void shouldSeparateNamesThatOnlyBracketsSeparated() {
        assertThat(texts("SELECT[a]FROM[t]WHERE[b]=1")).containsExactly("SELECT a FROM t WHERE b=1");
        assertThat(texts("INSERT[t]([a])VALUES(1)")).containsExactly("INSERT INTO t(a)VALUES(1)");
    }

    @Test
    void shouldSplitRowsEachWithItsOwnParameters() {
        TsqlStep.Insert insert =
                (TsqlStep.Insert) only("INSERT INTO [t] (a, b) VALUES (?, 1), (DEFAULT, ?), (?, f(?)) USING TTL ?");

        assertThat(insert.rows())
                .extracting(row -> row.insert().text(), TsqlStep.Row::parameters)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "INSERT INTO t (a, b) VALUES (?, 1) USING TTL ?", List.of(0, 4)),
                        org.assertj.core.groups.Tuple.tuple("INSERT INTO t (b) VALUES (?) USING TTL ?", List.of(1, 4)),
                        org.assertj.core.groups.Tuple.tuple(
                                "INSERT INTO t (a, b) VALUES (?, f(?)) USING TTL ?", List.of(2, 3, 4)));
        assertThat(TsqlScript.parse("INSERT INTO t (a) VALUES (?), (?)").parameterCount())
                .isEqualTo(2);
    }

    @Test
    void shouldShareTheInsertOfRowsOfOneShape() {
        TsqlStep.Insert insert = (TsqlStep.Insert) only("INSERT INTO t (a) VALUES (?), (?), (?)");

        assertThat(insert.rows())
                .extracting(TsqlStep.Row::insert)
                .containsOnly(insert.rows().get(0).insert());
        assertThat(insert.rows())
                .extracting(TsqlStep.Row::parameters)
                .containsExactly(List.of(0), List.of(1), List.of(2));
    }

    @Test
    void shouldMoveTheParameterOfTopAfterTheOthers() {
        TsqlStep.Cql select = (TsqlStep.Cql) only("SELECT TOP (?) a FROM t WHERE b = ?");

        assertThat(select.text()).isEqualTo("SELECT a FROM t WHERE b = ? LIMIT ?");
        assertThat(select.parameters()).containsExactly(1, 0);
        assertThat(select.keyword()).isEqualTo("SELECT");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT SCOPE_IDENTITY() | `` | NUMERIC",
                "select @@identity | `` | NUMERIC",
                "SELECT SCOPE_IDENTITY() AS [New Id] | New Id | NUMERIC",
                "SELECT SCOPE_IDENTITY() id; | id | NUMERIC",
                "SELECT id = SCOPE_IDENTITY() | id | NUMERIC",
                "SELECT CAST(SCOPE_IDENTITY() AS bigint) AS 'x' | x | BIGINT",
                "SELECT CAST(@@IDENTITY AS INT) | `` | INT",
                "SELECT CONVERT(smallint, SCOPE_IDENTITY()) AS x | x | SMALLINT",
                "SELECT CAST(SCOPE_IDENTITY() AS numeric(38, 0)) | `` | NUMERIC",
                "SELECT CONVERT(DECIMAL(19), SCOPE_IDENTITY()) | `` | NUMERIC",
            })
    void shouldRecogniseTheFormsOfSelectIdentity(String sql, String label, NumericType type) {
        assertThat(only(sql)).isEqualTo(new SelectIdentity(label, type));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET NOCOUNT ON; INSERT INTO t (a) VALUES (?); SELECT SCOPE_IDENTITY()",
                "SET NOCOUNT ON INSERT INTO t (a) VALUES (?) SELECT SCOPE_IDENTITY()",
                "\nset nocount on\ninsert t (a) values (?)\n\nselect cast(scope_identity() as numeric)\n;",
            })
    void shouldReadAScriptWithAndWithoutSemicolons(String sql) {
        List<TsqlStep> steps = TsqlScript.parse(sql).asRead();

        assertThat(steps).hasSize(3);
        assertThat(steps.get(0)).isEqualTo(new SetNoCount(true));
        assertThat(((TsqlStep.Insert) steps.get(1)).rows().get(0).insert().text())
                .isEqualToIgnoringCase("INSERT INTO t (a) VALUES (?)");
        assertThat(steps.get(2)).isEqualTo(new SelectIdentity("", NumericType.NUMERIC));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DECLARE @id INT; INSERT INTO t (a) VALUES (?); SET @id = SCOPE_IDENTITY(); SELECT @id",
                "declare @id int insert t (a) values (?) select @id = @@identity select @id",
                "DECLARE @id AS int, @n int; INSERT INTO t (a) VALUES (?); SELECT @ID = SCOPE_IDENTITY(); SELECT @Id;",
                "SET NOCOUNT ON; INSERT INTO t (a) VALUES (?); DECLARE @id int = SCOPE_IDENTITY(); SELECT @id",
                "SET NOCOUNT ON DECLARE @id int INSERT INTO t (a) VALUES (?) SET @id = SCOPE_IDENTITY() SELECT @id",
            })
    void shouldAssignTheIdentityToAVariable(String sql) {
        TsqlScript script = TsqlScript.parse(sql);
        List<TsqlStep> steps = script.steps().stream()
                .filter(step -> !(step instanceof SetNoCount))
                .toList();

        assertThat(script.parameterCount()).isEqualTo(1);
        assertThat(steps).hasSize(3);
        Variable identity = script.variables().get(script.variables().size() - 1);
        assertThat(identity.source()).isEqualTo(Variable.Source.IDENTITY);
        TsqlStep.AssignValue assignment = (TsqlStep.AssignValue) steps.get(1);
        assertThat(assignment.parameter()).isEqualTo(script.variables().size());
        assertThat(assignment.target().variable().name()).isEqualToIgnoringCase("@id");
        TsqlStep.SelectValues.Value shown =
                ((TsqlStep.SelectValues) steps.get(2)).values().get(0);
        assertThat(shown.source()).isEqualTo(assignment.target());
        assertThat(shown.type()).hasToString("int");
    }

    @Test
    void shouldNameAndCastTheValuesOfVariables() {
        TsqlStep.SelectValues select = (TsqlStep.SelectValues)
                only(
                        "DECLARE @id bigint, @n int; SELECT @id AS [New Id], CAST(@n AS smallint) x, CONVERT(int, @id), z = @n");

        assertThat(select.values())
                .extracting(value -> value.label() + " " + value.type() + " "
                        + value.source().parameter())
                .containsExactly("New Id bigint 0", "x smallint 1", " int 0", "z int 1");
    }

    @Test
    void shouldMakeEachUseOfAVariableAParameter() {
        TsqlScript script = TsqlScript.parse("DECLARE @x INT = ?, @y NVARCHAR(5) = N'a@x'; SET @x = 7;"
                + " UPDATE t SET a = @x, b = ? WHERE id = @X AND c = @y; SELECT @y = b FROM t WHERE id = @x");

        assertThat(script.parameterCount()).isEqualTo(2);
        assertThat(script.variables()).extracting(Variable::name).containsExactly("@x", "@y");
        TsqlStep.Cql update = (TsqlStep.Cql) script.steps().get(3);
        assertThat(update.text()).matches("UPDATE t SET a = \\? *, b = \\? WHERE id = \\? * AND c = \\? *");
        assertThat(update.parameters()).containsExactly(2, 1, 2, 3);
        TsqlStep.AssignRows assignment = (TsqlStep.AssignRows) script.steps().get(4);
        assertThat(assignment.targets()).extracting(Variable.Target::parameter).containsExactly(3);
        assertThat(((TsqlStep.Cql) assignment.query()).text()).matches("SELECT +b FROM t WHERE id = \\? *");
        assertThat(((TsqlStep.AssignValue) script.steps().get(1)).literal()).isEqualTo("a@x");
    }

    @Test
    void shouldGiveTheDrawsOfAnInsertTheirPlacesBehindTheVariables() {
        TsqlStep.Insert insert =
                (TsqlStep.Insert) only("DECLARE @x INT; INSERT INTO t (id, a, b) VALUES (NEXT VALUE FOR s, @x, ?)");

        assertThat(insert.rows().get(0).parameters()).containsExactly(2, 1, 0);
        assertThat(insert.draw(insert.rows().get(0), "id")).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET @a = 1 | 137",
                "SELECT @id = SCOPE_IDENTITY() | 137",
                "PRINT @x | 137",
                "SELECT a FROM t WHERE id = @x | 137",
                "DECLARE @x INT = 1, @y INT = @x | 137",
                "DECLARE @x INT, @X INT | 134",
                "DECLARE @x INT; DECLARE @x TABLE (id INT) | 134",
                "DECLARE @x INT; SELECT @x = a, b FROM t WHERE id = 1 | 141",
                "DECLARE @x INT; SELECT @x = a FROM t UNION SELECT a FROM t | 10734",
                "DECLARE @x TEXT | 2739",
                "DECLARE @x DECIMAL(50) | 2750",
                "DECLARE @x INT; SET @x = | 102",
            })
    void shouldRefuseVariablesAsSqlServerDoes(String sql, int number) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .satisfies(e -> assertThat(e.number()).isEqualTo(number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sp_columns 'customer', @column_name = 'C%'",
                "EXEC sp_columns @table_name = 'customer'; DECLARE @x INT; SELECT @x",
                "SELECT a FROM t WHERE id = 1 OPTION (OPTIMIZE FOR (@p = 1))",
                "SET DATEFIRST @day",
            })
    void shouldLeaveNamesThatAreNoVariablesOfTheScript(String sql) {
        assertThat(TsqlScript.parse(sql).steps()).isNotEmpty();
    }

    @Test
    void shouldEndVariablesWithTheirBatch() {
        assertThat(TsqlScript.parse("DECLARE @x INT\nGO\nDECLARE @x BIGINT; SELECT @x")
                        .variables())
                .extracting(variable -> variable.type().toString())
                .containsExactly("int", "bigint");
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse("DECLARE @x INT\nGO\nSELECT @x"))
                .satisfies(e -> assertThat(e.number()).isEqualTo(137));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "declare @result table ([id] int, [a] nvarchar(10)); insert into [t] ([a]) output [inserted].[id], [inserted].[a]"
                        + " into @result values (?), (?); select [r].[id], [r].[a] from @result [r];",
                "DECLARE @result TABLE (id int, a varchar(10)) INSERT INTO t (a) OUTPUT inserted.a, INSERTED.id INTO"
                        + " @RESULT (a, id) VALUES (?), (?) SELECT * FROM @result",
                "declare @g table (n bigint, s nvarchar(5)) insert t(a) output inserted.id, inserted.a into @g values (?), (?)"
                        + " select n as id, x.s a from @g as x",
            })
    void shouldServeOutputIntoATableVariable(String sql) {
        List<TsqlStep> steps = TsqlScript.parse(sql).asRead();

        assertThat(steps).hasSize(2);
        TsqlStep.Insert insert = (TsqlStep.Insert) steps.get(0);
        assertThat(insert.rows()).hasSize(2);
        assertThat(insert.outputKept()).isTrue();
        assertThat(insert.output()).containsExactly(new Output("id", "id"), new Output("a", "a"));
        assertThat(steps.get(1)).isEqualTo(new TsqlStep.SelectOutput(0));
    }

    @Test
    void shouldDrawOnceForEachRowAndSequence() {
        TsqlStep.Insert insert =
                (TsqlStep.Insert) only("INSERT INTO t (a, b, c) VALUES (NEXT VALUE FOR dbo.s, ?, NEXT VALUE"
                        + " FOR [S]), (?, NEXT VALUE FOR x.s, 1)");

        assertThat(insert.rows())
                .extracting(row -> row.insert().text())
                .containsExactly(
                        "INSERT INTO t (a, b, c) VALUES (? , ?, ? )", "INSERT INTO t (a, b, c) VALUES (?, ? , 1)");
        assertThat(insert.rows()).extracting(TsqlStep.Row::parameters).containsExactly(List.of(2, 0, 2), List.of(1, 3));
        assertThat(insert.draws()).containsExactly(new CqlInsert.Table(null, "s"), new CqlInsert.Table("x", "s"));
        for (String column : List.of("a", "b", "c", "d")) {
            assertThat(insert.rows())
                    .extracting(row -> insert.draw(row, column))
                    .as(column)
                    .containsExactly(column.equals("a") || column.equals("c") ? 0 : -1, column.equals("b") ? 1 : -1);
        }
    }

    @Test
    void shouldRecogniseStatementsThatManageSequencesAndIdentities() {
        CqlInsert.Table s = new CqlInsert.Table(null, "s");
        CqlInsert.Table orders = new CqlInsert.Table("shop", "order_details");
        assertThat(TsqlScript.parse("SELECT NEXT VALUE FOR [dbo].[S] AS id; SELECT n = NEXT VALUE FOR s;"
                                + " SET IDENTITY_INSERT shop.dbo.[Order Details] ON SET IDENTITY_INSERT s OFF;"
                                + "DBCC CHECKIDENT ('dbo.s', RESEED, -5) DBCC CHECKIDENT(N'[shop]..[Order Details]') WITH"
                                + " NO_INFOMSGS; DBCC CHECKIDENT (s, NORESEED);"
                                + "CREATE SEQUENCE dbo.s AS INT START WITH 5 INCREMENT BY -2 MINVALUE -100 NO MAXVALUE CACHE 50 NO"
                                + " CYCLE; CREATE SEQUENCE s MINVALUE 7 NO CACHE; ALTER SEQUENCE s RESTART WITH 9;"
                                + " DROP SEQUENCE IF EXISTS s, [s]")
                        .steps())
                .containsExactly(
                        new TsqlStep.NextValue(s, "id"),
                        new TsqlStep.NextValue(s, "n"),
                        new TsqlStep.SetIdentityInsert(orders, true),
                        new TsqlStep.SetIdentityInsert(s, false),
                        new TsqlStep.CheckIdentity(s, -5L, false),
                        new TsqlStep.CheckIdentity(orders, null, true),
                        new TsqlStep.CheckIdentity(s, null, false),
                        new TsqlStep.CreateSequence(s, NumericType.INT, 5, -2, -100L, null),
                        new TsqlStep.CreateSequence(s, NumericType.BIGINT, 7, 1, 7L, null),
                        new TsqlStep.RestartSequence(s, 9),
                        new TsqlStep.DropSequence(s, true),
                        new TsqlStep.DropSequence(s, true));
    }

    @Test
    void shouldReturnTheColumnsWithDefault() {
        TsqlStep.Insert insert = (TsqlStep.Insert) only("INSERT INTO t ([Id], a) VALUES (DEFAULT, 1), (2, 1)");

        assertThat(insert.rows()).extracting(TsqlStep.Row::defaulted).containsExactly(List.of("id"), List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO t (a) VALUES (1, 2) | 110 | There are fewer columns | values=2 columns=1",
                "INSERT INTO t (a, b) VALUES (1, 2), (3) | 109 | There are more columns | values=1 columns=2",
            })
    void shouldCountValuesAsSqlServerDoes(String sql, int number, String message, String counts) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .withMessageStartingWith(message)
                .withMessageContaining(counts)
                .matches(e -> e.number() == number);
    }

    /** A schema in which column t of table t has a type with the field f. */
    private static final Schema WITH_FIELD = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return table.name().equals("t") && column.equals("t") && field.equals("f");
        }
    };

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET t.f = ? WHERE t.id = ? IF t.f = 1 | UPDATE t SET t.f = ? WHERE id = ? IF t.f = 1",
                "UPDATE k.[t] SET [T].[F] = 1 WHERE id = 1 | UPDATE k.t SET t.f = 1 WHERE id = 1",
                "UPDATE t SET t.t = ? WHERE id = 1 | UPDATE t SET t = ? WHERE id = 1",
                "SELECT t.f, t.id FROM t | SELECT t.f, id FROM t",
                "SELECT t.f FROM s t | SELECT f FROM s",
                "SELECT t.f FROM other AS t | SELECT f FROM other",
                "DELETE t.f FROM t WHERE id = 1 | DELETE t.f FROM t WHERE id = 1",
            })
    void shouldKeepTheFieldOfAColumnNamedLikeItsTable(String sql, String cql) {
        assertThat(TsqlScript.parse(sql, WITH_FIELD).steps())
                .singleElement()
                .isInstanceOfSatisfying(
                        TsqlStep.Cql.class,
                        step -> assertThat(step.text().replaceAll(" +", " ")).isEqualTo(cql));
    }

    @Test
    void shouldServeOutputOfColumns() {
        TsqlStep.Insert insert = (TsqlStep.Insert)
                only("INSERT INTO t ([a]) OUTPUT INSERTED.Id, inserted.[A] AS [The A], INSERTED.b c VALUES (?)");

        assertThat(insert.output())
                .containsExactly(new Output("id", "Id"), new Output("a", "The A"), new Output("b", "c"));
        assertThat(insert.rows().get(0).insert().text()).isEqualTo("INSERT INTO t (a) VALUES (?)");
    }

    @Test
    void shouldRecogniseSettings() {
        assertThat(TsqlScript.parse(
                                "SET ANSI_NULLS ON SET NOCOUNT OFF; USE [Shop]; SET TRANSACTION ISOLATION LEVEL READ"
                                        + " COMMITTED SET QUOTED_IDENTIFIER ON;;")
                        .steps())
                .containsExactly(
                        new Ignored("SET ANSI_NULLS ON"),
                        new SetNoCount(false),
                        new Use("shop"),
                        new TsqlStep.SetIsolation(
                                Connection.TRANSACTION_READ_COMMITTED,
                                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
                        new Ignored("SET QUOTED_IDENTIFIER ON"));
        assertThat(TsqlScript.parse(" ; -- nothing").steps()).isEmpty();
    }

    @Test
    void shouldRecogniseHowDatesAreReadAndShown() {
        assertThat(TsqlScript.parse(
                                "SET DATEFORMAT dmy SET DATEFIRST 1; SET LANGUAGE N'British' SET LANGUAGE us_english"
                                        + " SET DATEFIRST @day")
                        .steps())
                .containsExactly(
                        new TsqlStep.SetDateOrder("dmy"),
                        new TsqlStep.SetFirstDay(1),
                        new TsqlStep.SetLanguage("british", "dmy", 1),
                        new TsqlStep.SetLanguage("us_english", "mdy", 7),
                        new TsqlStep.SetFirstDay(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE | MERGE",
                "INSERT INTO t (a) SELECT a FROM s | INSERT ... SELECT",
                "INSERT INTO t (a) (SELECT a FROM s) | INSERT ... SELECT",
                "INSERT INTO t SELECT a FROM s | INSERT ... SELECT",
                "INSERT INTO t (a) EXEC p | INSERT ... EXEC",
                "INSERT INTO t VALUES (1, 2) | INSERT without a column list",
                "INSERT INTO #t (a) VALUES (1) | INSERT into a temporary table or variable",
                "INSERT INTO @t (a) VALUES (1) | INSERT into a temporary table or variable",
                "INSERT INTO t (a) VALUES ((SELECT 1)) | a subquery",
                "INSERT INTO t (a) VALUES (1 + NEXT VALUE FOR s) | NEXT VALUE FOR within a statement",
                "INSERT INTO t (a) VALUES (NEXT VALUE FOR s + 1) | NEXT VALUE FOR within an expression",
                "UPDATE t SET a = NEXT VALUE FOR s WHERE id = 1 | NEXT VALUE FOR within a statement",
                "INSERT INTO t (a) VALUES (1) RETURNING id | INSERT ... RETURNING",
                "INSERT INTO t (a) VALUES (@@SPID) | the variable @@SPID",
                "INSERT INTO t (a) VALUES (1) OPTION RECOMPILE | 'OPTION' after INSERT",
                "INSERT INTO t WITH (TABLOCKX) (a) VALUES (1) | the hint TABLOCKX",
                "SELECT a FROM t WHERE id = 1 OPTION (TABLE HINT (t, UPDLOCK)) | the hint UPDLOCK",
                "UPDATE t WITH (TABLOCK) SET a = 1 WHERE id = 1 | the hint TABLOCK",
                "DELETE FROM t WITH (READPAST) WHERE id = 1 | the hint READPAST",
                "SELECT a FROM t WITH (READPAST, UPDLOCK) WHERE id = 1 | the hint READPAST",
                "SELECT a FROM t WITH (READPAST) WHERE id = 1 OPTION (TABLE HINT (t, READPAST)) | the hint READPAST",
                "SELECT a FROM t (READPAST) WHERE id = 1 UPDATE t WITH (READPAST) SET a = 1 WHERE id = 1 | the hint READPAST",
                "DELETE FROM t WITH (INDEX = i, TABLOCK) WHERE id = 1 | the hint TABLOCK",
                "INSERT INTO t (a) OUTPUT INSERTED.* VALUES (1) | OUTPUT INSERTED.*",
                "INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1) | OUTPUT ... INTO @r",
                "SELECT a FROM t WITH (SPATIAL_WINDOW_MAX_CELLS = 5) WHERE id = 1 | WITH (SPATIAL_WINDOW_MAX_CELLS ...)",
                "INSERT INTO t (a) VALUES (1) IF NOT EXISTS (SELECT 1) | IF",
                "IF NOT EXISTS (SELECT 1 FROM t) INSERT INTO t (a) VALUES (1) | IF",
                "INSERT INTO t (a) OUTPUT INSERTED.id INTO r VALUES (1) | OUTPUT ... INTO",
                "DECLARE @r TABLE (id int, a int); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1) | OUTPUT of 1 columns INTO 2 of @r",
                "DECLARE @r TABLE (id int); SELECT id FROM @r | SELECT ... FROM @r",
                "DECLARE @r TABLE (id int); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1); SELECT id FROM @r WHERE id = 1 | SELECT ... FROM @r",
                "DECLARE @r TABLE (id int); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1); SELECT id FROM @r; SELECT id FROM @r | SELECT ... FROM @r",
                "DECLARE @r TABLE (id int); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1) | OUTPUT ... INTO @r a second time",
                "DECLARE @r TABLE (id int); INSERT INTO t (a) OUTPUT INSERTED.id INTO @r VALUES (1); SELECT b FROM @r | column b of @r",
                "DECLARE @c CURSOR | DECLARE @c CURSOR",
                "DECLARE @name hierarchyid | DECLARE @name hierarchyid",
                "DECLARE @id int; SET @id = @id + 1 | SET @id",
                "DECLARE @id int; SELECT @id += a FROM t | SELECT @id +=",
                "DECLARE @id int; SELECT @id = a + @id FROM t WHERE id = 1 | SELECT @id = ... @id ... FROM",
                "DECLARE @id int; UPDATE t SET @id = a = a + 1 WHERE id = 1 | UPDATE ... SET @id =",
                "DECLARE @id int; INSERT INTO t (a) SELECT @id = a FROM t | INSERT ... SELECT",
                "DECLARE @id int; EXEC p @id | EXEC",
                "DECLARE @id int; WHILE @id < 1 SET @id = 1 | WHILE",
                "CREATE PROCEDURE p @id INT AS SELECT @id | CREATE PROCEDURE",
                "EXEC sp_helptext 't' | EXEC",
                "{call p(?)} | {call ...}",
                "{? = call p(?)} | {call ...}",
                "BEGIN TRAN; INSERT INTO t (a) VALUES (1) | BEGIN TRANSACTION",
                "BEGIN TRY INSERT INTO t (a) VALUES (1) END TRY | BEGIN TRY",
                "COMMIT | COMMIT",
                "SET IDENTITY_INSERT t YES | SET IDENTITY_INSERT ... YES",
                "SET ROWCOUNT 5 | SET ROWCOUNT 5",
                "SET TEXTSIZE 4096 | SET TEXTSIZE 4096",
                "SET IMPLICIT_TRANSACTIONS ON | SET IMPLICIT_TRANSACTIONS ON",
                "SET STATISTICS IO, PROFILE ON | SET STATISTICS PROFILE",
                "SET DATEFORMAT ydm | SET DATEFORMAT ydm",
                "SET LANGUAGE 'Suomi' | SET LANGUAGE Suomi",
                "SET ANSI_NULLS, NO_SUCH ON | SET NO_SUCH",
                "PRINT 'a' + 'b' | PRINT of anything but one text",
                "SELECT a FROM t ORDER BY a COLLATE Latin1_General_CI_AS | COLLATE Latin1_General_CI_AS",
                "SELECT a FROM t ORDER BY a OFFSET 5 ROWS | OFFSET 5",
                "DBCC SHRINKDATABASE (x) | DBCC SHRINKDATABASE",
                "DBCC CHECKIDENT ('t', RESEED) | DBCC CHECKIDENT (..., RESEED) without a value",
                "DBCC CHECKIDENT ('t', RESEED, ?) | RESEED ?",
                "CREATE SEQUENCE s | CREATE SEQUENCE without START WITH",
                "CREATE SEQUENCE s START WITH 1 CYCLE | CYCLE",
                "CREATE SEQUENCE s AS decimal(38, 0) START WITH 1 | a sequence AS decimal",
                "CREATE SEQUENCE s START WITH 99999999999999999999 | START WITH 99999999999999999999",
                "ALTER SEQUENCE s RESTART | ALTER SEQUENCE ... RESTART without WITH",
                "ALTER SEQUENCE s INCREMENT BY 2 | ALTER SEQUENCE ... INCREMENT",
                "SELECT NEXT VALUE FOR s FROM t | 'FROM' after NEXT VALUE FOR",
                "SELECT a, NEXT VALUE FOR s FROM t | NEXT VALUE FOR within a statement",
                "SELECT a FROM t JOIN s ON t.id = s.id | a join",
                "SELECT a FROM t x INNER JOIN s y ON x.id = y.id | a join",
                "SELECT a FROM t, s | a join",
                "SELECT a FROM t x, s y | a join",
                "SELECT a FROM t UNION SELECT a FROM s | UNION",
                "SELECT a FROM (SELECT b FROM t) x | a subquery",
                "SELECT a INTO u FROM t | SELECT ... INTO",
                "SELECT TOP 5 PERCENT a FROM t | TOP ... PERCENT or WITH TIES",
                "SELECT a FROM #t | a temporary table",
                "SELECT IDENT_CURRENT('t') | IDENT_CURRENT()",
                "UPDATE t SET a = 1 FROM t JOIN s ON 1 = 1 | UPDATE ... FROM",
                "UPDATE p SET a = 1 FROM t p, s WHERE p.id = 1 | UPDATE ... FROM",
                "UPDATE s SET a = 1 FROM t p WHERE p.id = 1 | UPDATE ... FROM",
                "DELETE TOP (5) FROM t | DELETE ... TOP",
                "UPDATE TOP (5) t SET a = 1 | UPDATE ... TOP",
                "UPDATE t SET a = 1 OUTPUT INSERTED.a WHERE id = 1 | UPDATE ... OUTPUT",
                "DELETE o FROM t o JOIN s ON o.a = s.a | DELETE ... JOIN",
                "DELETE FROM t OUTPUT DELETED.id WHERE id = 1 | DELETE ... OUTPUT",
                "CREATE PROCEDURE p AS SELECT 1 | CREATE PROCEDURE",
                "SELECT {fn NOW()} | the escape {fn ...}",
                "INSERT INTO t (a) VALUES ('x) | an incomplete statement",
                "INSERT INTO t (a) VALUES ((1) | an incomplete statement",
                "SELECT a /* b | an incomplete statement",
            })
    void shouldRefuseUnsupportedStatementsByName(String sql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct))
                .withMessageStartingWith(construct + " is not supported: ");
    }

    @Test
    void shouldRefuseRowsThatWouldRepeatALongStatement() {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() ->
                        TsqlScript.parse("INSERT t (" + "a".repeat(100_000) + ") VALUES (1)" + ", (1)".repeat(1_000)))
                .withMessageContaining("rows, whose statements would repeat");
    }

    @Test
    void shouldRefuseAScriptOfTooManyStatements() {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse("SET NOCOUNT ON;".repeat(100_001)))
                .withMessageStartingWith("a script of more than 100000 statements");
    }

    @Test
    void shouldRefuseATextOfTooManyTokens() {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse("SELECT a" + ",a".repeat(500_000) + " FROM t"))
                .withMessageStartingWith("a statement of more than 1000000 tokens");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE t SET a = : x WHERE id = 1", "UPDATE t SET a = {(int):x} WHERE id = 1"})
    void shouldRefuseANamedMarkerInDisguise(String sql) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .withMessageContaining("write ? for every parameter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (name, qty, id) VALUES ('nm', :x, ?)",
                "INSERT INTO t (id) VALUES (?) USING TTL :x",
                "UPDATE t SET tags = {'a': :x} WHERE id = ?",
                "SELECT a FROM t WHERE id = :x"
            })
    void shouldRefuseANamedMarker(String sql) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .withMessage(":x is not supported: write ? for every parameter; JDBC counts those alone");
    }

    @Test
    void shouldTakeTimeAndMemoryInProportionToTheText() {
        int many = 100_000;
        assertThat(((TsqlStep.Insert) only("INSERT INTO t (a) VALUES (1)" + ", (1)".repeat(many))).rows())
                .hasSize(many + 1);
        assertThat(texts("SELECT " + "[a],".repeat(many) + "[a] FROM t")).hasSize(1);
        assertThat(TsqlScript.parse("SELECT SCOPE_IDENTITY();".repeat(many)).steps())
                .hasSize(many);
        assertThat(texts("TRUNCATE t;".repeat(many))).hasSize(many);
    }

    @Test
    void shouldRefuseWhatIsNestedTooDeeply() {
        int many = 64 * 1024;
        String table = "CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT ";
        for (String nested : List.of(
                table + "(".repeat(many),
                table + "(".repeat(many) + "1" + ")".repeat(many) + ")",
                "SELECT " + "CAST(".repeat(8_000) + "1" + " AS int)".repeat(8_000),
                "SELECT " + "{fn now(".repeat(8_000) + ")}".repeat(8_000),
                "SELECT a FROM t WHERE id = " + "(".repeat(201) + "1" + ")".repeat(201))) {
            assertThatExceptionOfType(UnsupportedSqlException.class)
                    .isThrownBy(() -> TsqlScript.parse(nested))
                    .withMessageContaining("nested too deeply: brackets may be nested 200 deep")
                    .extracting(UnsupportedSqlException::number)
                    .isEqualTo(191);
        }
    }

    @Test
    void shouldDrawFromManySequences() {
        StringBuilder sql = new StringBuilder("INSERT INTO t (a");
        StringBuilder values = new StringBuilder(") VALUES (1");
        for (int i = 0; i < 16_000; i++) {
            sql.append(", c").append(i);
            values.append(", NEXT VALUE FOR s").append(i / 2);
        }
        TsqlStep.Insert insert =
                (TsqlStep.Insert) only(sql.append(values).append(")").toString());

        assertThat(insert.draws()).hasSize(8_000).doesNotHaveDuplicates();
        assertThat(insert.rows().get(0).parameters())
                .hasSize(16_000)
                .startsWith(0, 0, 1, 1)
                .endsWith(7_999, 7_999);
    }

    /** Not as a regular expression would, which needs a stack as deep as the text is long. */
    @Test
    void shouldReadLongLiterals() {
        String text = "'" + "x''".repeat(100_000) + "'";
        assertThat(DefaultTerm.read("CONVERT([nvarchar](max),(" + text + "))")).isNotNull();
        assertThat(texts("SELECT f(" + "1d".repeat(100_000) + ") + 1 FROM t")).hasSize(1);
    }

    /** What multipleStatements=false goes by. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "0 | ",
                "0 | ; SET NOCOUNT ON; SET IDENTITY_INSERT t ON; SELECT @@ROWCOUNT; SELECT SCOPE_IDENTITY()",
                "0 | ALTER TABLE t NOCHECK CONSTRAINT c",
                "1 | SELECT a FROM t WHERE k = 1",
                "1 | INSERT INTO t (a) VALUES (1)",
                "1 | INSERT INTO t (a) VALUES (1), (2); SELECT SCOPE_IDENTITY(); SELECT @@ROWCOUNT",
                "1 | IF OBJECT_ID('t') IS NULL BEGIN CREATE TABLE t (a INT PRIMARY KEY) END",
                "1 | IF OBJECT_ID('t') IS NULL CREATE TABLE t (a INT PRIMARY KEY, b INT DEFAULT 1, INDEX i (b))",
                "1 | IF OBJECT_ID('t') IS NOT NULL DROP TABLE t",
                "1 | IF OBJECT_ID('u') IS NOT NULL DELETE FROM t WHERE k = 1",
                "1 | CREATE TABLE t (a INT PRIMARY KEY, b INT DEFAULT 1, INDEX i (b), CHECK (b > 0))",
                "1 | ALTER TABLE t ADD b INT DEFAULT 1",
                "1 | DROP SEQUENCE a, b",
                "1 | BEGIN BATCH INSERT INTO t (a) VALUES (1); DELETE FROM t WHERE a = 2; APPLY BATCH",
                "2 | SELECT a FROM t WHERE k = 1; DELETE FROM t WHERE k = 1",
                "2 | SELECT a FROM t WHERE k = 1 DELETE FROM t WHERE k = 1",
                "2 | INSERT INTO t (a) VALUES (1); SELECT NEXT VALUE FOR s",
                "2 | IF OBJECT_ID('u') IS NOT NULL BEGIN DELETE FROM t WHERE k = 1; DELETE FROM t WHERE k = 2 END",
                "2 | SELECT 1; IF OBJECT_ID('u') IS NOT NULL DROP TABLE u",
                "2 | DROP SEQUENCE a; DROP SEQUENCE b",
                "2 | CREATE TABLE t (a INT PRIMARY KEY, b INT); CREATE INDEX i ON t (b)",
                "2 | SELECT 1; ALTER TABLE t NOCHECK CONSTRAINT c; ALTER TABLE t DROP CONSTRAINT d",
                "2 | SELECT 1; ALTER TABLE t NOCHECK CONSTRAINT c; ALTER TABLE t ADD DEFAULT 5 FOR b",
                "3 | ALTER TABLE t ADD b INT; CREATE INDEX i ON t (b); ALTER TABLE t DROP CONSTRAINT d",
            })
    void shouldCountTheStatementsThatDoSomething(int statements, @Nullable String sql) {
        assertThat(TsqlScript.parse(sql == null ? "" : sql).statements()).isEqualTo(statements);
    }

    private static TsqlStep only(String sql) {
        List<TsqlStep> steps = TsqlScript.parse(sql).asRead();
        assertThat(steps).hasSize(1);
        return steps.get(0);
    }

    /** In SQL Server a carriage return alone does not end a comment; in Cassandra it does. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a FROM t WHERE k = 1 -- c~; DROP TABLE t | SELECT a FROM t WHERE k = 1",
                "SELECT a -- c~, secret^ FROM t WHERE k = 1 | SELECT a FROM t WHERE k = 1",
                "SELECT a --~, secret^FROM t WHERE k = 1 | SELECT a FROM t WHERE k = 1",
                "INSERT INTO t (a) -- c~(b)^ VALUES (1) -- ~; DELETE FROM t | INSERT INTO t (a) VALUES (1)",
                "INSERT INTO t (a) VALUES (1) --~, (2) | INSERT INTO t (a) VALUES (1)",
            })
    void shouldNotEndACommentAtACarriageReturn(String sql, String cql) {
        assertThat(texts(sql.replace('~', '\r').replace('^', '\n'))).containsExactly(cql);
    }

    @Test
    void shouldKeepACommentThatBothLanguagesEndAlike() {
        assertThat(texts("SELECT a -- c\r\n FROM t WHERE k = 1"))
                .containsExactly("SELECT a -- c\r\n FROM t WHERE k = 1");
    }

    private static List<String> texts(String sql) {
        return TsqlScript.parse(sql).asRead().stream()
                .flatMap(step -> step instanceof TsqlStep.Insert insert
                        ? insert.rows().stream().map(row -> row.insert().text())
                        : java.util.stream.Stream.of(((TsqlStep.Cql) step).text()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ALTER TABLE t DROP CONSTRAINT c, COLUMN x", "ALTER SEQUENCE s RESTART WITH 100 INCREMENT BY 5"})
    void shouldRefuseAStatementThatWouldBeLostAfterAnother(String sql) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .withMessageContaining(";");
    }

    @Test
    void shouldAcceptASettingWithASignedNumber() {
        assertThat(TsqlScript.parse("SET LOCK_TIMEOUT -1 SELECT a FROM t").steps())
                .hasSize(2);
    }
}
