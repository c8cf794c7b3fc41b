package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.SchemaObject.Kind;
import dev.cassidy.tsql.TsqlStep.CreateTable;
import dev.cassidy.tsql.TsqlStep.IfExists;
import dev.cassidy.tsql.TsqlStep.LeftOut;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** T-SQL's table definitions. */
class TsqlTablesTest {

    private static String squeezed(String cql) {
        return cql.replaceAll("\\s+", " ")
                .replace("( ", "(")
                .replace(" )", ")")
                .replace(" ,", ",")
                .strip();
    }

    private static List<TsqlStep> steps(String sql) {
        return served(TsqlScript.parse(sql));
    }

    /** Without the steps that say what is kept of columns. */
    private static List<TsqlStep> served(TsqlScript script) {
        return script.asRead().stream()
                .filter(step -> !(step instanceof TsqlStep.AddColumns))
                .toList();
    }

    private static String cql(String sql) {
        TsqlStep last = steps(sql).get(steps(sql).size() - 1);
        return squeezed(last instanceof CreateTable create ? create.cql() : ((TsqlStep.Cql) last).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE IF NOT EXISTS t (identity int, id int PRIMARY KEY, v vector<float, 3>) WITH comment = 'N''1'",
                "CREATE TABLE t (id int PRIMARY KEY, a float, b tinyint, c timestamp, d map<text, frozen<list<int>>>)",
                "CREATE TABLE t (a uuid, b int, c text STATIC, d counter, PRIMARY KEY ((a), b)) WITH CLUSTERING ORDER BY (b DESC)"
                        + " AND gc_grace_seconds = 1",
                "CREATE TABLE t (check text, unique int, index int, default text, foreign int, PRIMARY KEY (check, unique))",
                "CREATE TABLE t (id int PRIMARY KEY, price \"money\", x frozen<money>)",
                "CREATE TABLE t (id int PRIMARY KEY, a text MASKED WITH DEFAULT, b int STATIC MASKED WITH k.mask_inner(1, null))",
                "ALTER TABLE t ADD a text MASKED WITH DEFAULT",
                "ALTER TABLE t ALTER a MASKED WITH DEFAULT",
                "ALTER TABLE t ADD a text",
                "ALTER TABLE t ADD (a text, b float)",
                "ALTER TABLE t ADD IF NOT EXISTS a float",
                "ALTER TABLE t DROP column",
                "ALTER TABLE t DROP (a, b)",
                "ALTER TABLE t RENAME a TO b",
                "ALTER TABLE t WITH comment = 'x'",
                "ALTER KEYSPACE k WITH durable_writes = true",
                "CREATE TYPE money (amount decimal, currency text)",
                "DROP TABLE IF EXISTS t",
                "CREATE CUSTOM INDEX i ON t (a) USING 'sai'",
            })
    void shouldPassCqlByteForByte(String cql) {
        assertThat(steps(cql)).singleElement().isInstanceOfSatisfying(TsqlStep.Cql.class, step -> assertThat(
                        step.text())
                .isEqualTo(cql));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50) NOT NULL) | CREATE TABLE product (id INT PRIMARY KEY, name text)",
                "CREATE TABLE [dbo].[Order Details] ([id] [bigint] IDENTITY(-1, -2) NOT NULL PRIMARY KEY CLUSTERED, [q] [int] NULL) | CREATE TABLE order_details (id bigint PRIMARY KEY, q int)",
                "CREATE TABLE t (a int NOT NULL, b int NOT NULL, CONSTRAINT pk PRIMARY KEY CLUSTERED (a ASC, b) WITH (PAD_INDEX = OFF) ON [PRIMARY]) ON [PRIMARY] | CREATE TABLE t (a int, b int, PRIMARY KEY (a, b))",
                "CREATE TABLE t (id int NOT NULL, CONSTRAINT c CHECK (id > 0), FOREIGN KEY (id) REFERENCES s (id), PRIMARY KEY (id)) | CREATE TABLE t (id int, PRIMARY KEY (id))",
                "CREATE TABLE t (CHECK (id > 0), id int NOT NULL PRIMARY KEY, CHECK (id < 9)) | CREATE TABLE t (id int PRIMARY KEY)",
                "CREATE TABLE t (id uniqueidentifier PRIMARY KEY, a bit, b tinyint, c smallint, d float, e real, f float(24), g money, h decimal(10, 2), i numeric) | CREATE TABLE t (id uuid PRIMARY KEY, a boolean, b smallint, c smallint, d double, e float, f float, g decimal, h decimal, i decimal)",
                "CREATE TABLE t (id int PRIMARY KEY, a char(3), b varchar(max), c nchar, d text, e ntext, f xml, g char varying(5), h sysname) | CREATE TABLE t (id int PRIMARY KEY, a text, b varchar, c text, d text, e text, f text, g text, h text)",
                "CREATE TABLE t (id int PRIMARY KEY, a date, b time(7), c datetime, d datetime2(3), e smalldatetime, f datetimeoffset, g varbinary(max), h binary(8), i image, j double precision) | CREATE TABLE t (id int PRIMARY KEY, a date, b time, c timestamp, d timestamp, e timestamp, f timestamp, g blob, h blob, i blob, j double)",
                "CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, a int DEFAULT NULL, b int DEFAULT (NULL), c int CONSTRAINT f REFERENCES s (x) ON DELETE NO ACTION, d nvarchar(5) COLLATE Latin1_General_CI_AS, e int SPARSE CHECK (e > 1)) | CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int, d text, e int)",
                "CREATE TABLE t (id int PRIMARY KEY, tags set<text>, price money) WITH comment = 'x' | CREATE TABLE t (id int PRIMARY KEY, tags set<text>, price decimal) WITH comment = 'x'",
                "ALTER TABLE [dbo].[T] ADD [name] nvarchar(10) NULL | ALTER TABLE t ADD name text",
                "ALTER TABLE t ADD a bit, b float NOT NULL | ALTER TABLE t ADD (a boolean, b double)",
                "ALTER TABLE t DROP COLUMN [a], b | ALTER TABLE t DROP (a, b)",
                "CREATE TABLE t (id int IDENTITY PRIMARY KEY, a nvarchar(5) MASKED WITH DEFAULT NOT NULL) | CREATE TABLE t (id int PRIMARY KEY, a text MASKED WITH DEFAULT)",
                "CREATE TABLE t (id bigint GENERATED BY DEFAULT AS IDENTITY, a int, PRIMARY KEY (id)) | CREATE TABLE t (id bigint, a int, PRIMARY KEY (id))",
                "CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY (START WITH 7 INCREMENT BY 2) PRIMARY KEY) | CREATE TABLE t (id int PRIMARY KEY)",
                "DROP TABLE [dbo].[T] | DROP TABLE t",
                "IF OBJECT_ID(N'dbo.t', N'U') IS NOT NULL DROP TABLE t | DROP TABLE IF EXISTS t",
                "IF OBJECT_ID('t') IS NULL BEGIN CREATE TABLE [t] (id int NOT NULL PRIMARY KEY); END | CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY)",
                "TRUNCATE TABLE dbo.t | TRUNCATE TABLE t",
                "CREATE TABLE t (id int PRIMARY KEY, a nvarchar(5) UNIQUE, b int UNIQUE NONCLUSTERED (b) WITH (PAD_INDEX = OFF) ON [PRIMARY], CONSTRAINT u UNIQUE CLUSTERED (a ASC, b)) | CREATE TABLE t (id int PRIMARY KEY, a text, b int)",
                "CREATE TABLE t (id int PRIMARY KEY REFERENCES s (id) ON DELETE CASCADE ON UPDATE SET NULL NOT FOR REPLICATION, a int, CONSTRAINT f FOREIGN KEY (a) REFERENCES s (id) ON DELETE SET DEFAULT) | CREATE TABLE t (id int PRIMARY KEY, a int)",
                "IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[t]') AND type in (N'U')) BEGIN CREATE TABLE [dbo].[t]([id] [int] NOT NULL, CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([id] ASC) ON [PRIMARY]) ON [PRIMARY] END | CREATE TABLE IF NOT EXISTS t(id int, PRIMARY KEY (id))",
                "IF NOT EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.TABLES t WHERE t.TABLE_SCHEMA = 'dbo' AND t.TABLE_NAME = 'T') CREATE TABLE t (id int NOT NULL PRIMARY KEY) | CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY)",
                "IF (NOT EXISTS (SELECT name FROM sysobjects WHERE name = 't' AND xtype = 'U')) CREATE TABLE t (id int NOT NULL PRIMARY KEY) | CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY)",
                "if exists (select * from dbo.sysobjects where id = object_id(N'[dbo].[t]') and OBJECTPROPERTY(id, N'IsUserTable') = 1) drop table [dbo].[t] | drop table IF EXISTS t",
            })
    void shouldMapDefinitions(String sql, String cql) {
        assertThat(cql(sql)).isEqualTo(cql);
    }

    /** T-SQL has made every table, and each has a column c. */
    private static final Schema OF_TSQL = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }

        @Override
        public boolean isTsql(CqlInsert.Table table) {
            return true;
        }

        @Override
        public boolean isColumn(CqlInsert.Table table, String column) {
            return column.equals("c");
        }
    };

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALTER TABLE t ADD a float | ALTER TABLE t ADD a double | a float",
                "ALTER TABLE t ADD (a tinyint, b float) | ALTER TABLE t ADD (a smallint, b double) | a tinyint, b float",
                "ALTER TABLE t ADD a varchar | ALTER TABLE t ADD a varchar | a varchar(1)",
                "ALTER TABLE t ADD a time | ALTER TABLE t ADD a time | a time(7)",
                "ALTER TABLE t ADD a text | ALTER TABLE t ADD a text | a text",
                "ALTER TABLE t ADD a uuid | ALTER TABLE t ADD a uuid | a null",
                "ALTER TABLE t ADD a frozen<list<float>> | ALTER TABLE t ADD a frozen<list<float>> | a null",
                "ALTER TABLE t DROP c | ALTER TABLE t DROP c |",
                "ALTER TABLE t DROP (d, c) | ALTER TABLE t DROP (d, c) |",
                "ALTER TABLE t DROP COLUMN IF EXISTS d, c | ALTER TABLE t DROP IF EXISTS (d, c) |",
            })
    void shouldReadCqlsWordsAsTsqlOfATableOfTsql(String sql, String cql, @Nullable String columns) {
        List<TsqlStep> steps = TsqlScript.parse(sql, OF_TSQL).steps();
        assertThat(squeezed(((TsqlStep.Cql) steps.get(steps.size() - 1)).text()))
                .isEqualTo(cql);
        assertThat(steps.stream()
                        .filter(TsqlStep.AddColumns.class::isInstance)
                        .flatMap(step -> ((TsqlStep.AddColumns) step).columns().stream())
                        .map(column -> column.name() + " " + column.type())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(columns == null ? "" : columns);
    }

    @Test
    void shouldDropAConstraintOfATableOfTsqlWithoutTheWord() {
        assertThat(TsqlScript.parse("ALTER TABLE t DROP d", OF_TSQL).steps())
                .singleElement()
                .isInstanceOf(TsqlStep.DropConstraints.class);
        assertThat(steps("ALTER TABLE t DROP d")).singleElement().isInstanceOf(TsqlStep.Cql.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE [t] ADD a float",
                "ALTER TABLE dbo.t ADD a float",
                "ALTER TABLE t ADD a float, b int",
                "IF COL_LENGTH('t', 'a') IS NULL ALTER TABLE t ADD a float",
                "CREATE TABLE t (id int NOT NULL); ALTER TABLE t ADD PRIMARY KEY (id), a float",
            })
    void shouldReadWhatIsNoCqlAsTsql(String sql) {
        assertThat(cql(sql)).contains("a double");
    }

    @Test
    void shouldReadTheTypesOfSqlServersSchemaAndStandard() {
        String columns = "a NATIONAL CHARACTER VARYING(9), b national char(3), c [sys].[nvarchar](5), d sysname,"
                + " e sysname NULL, f national text, g [sys].[decimal](9, 2) DEFAULT 1";
        TsqlStep.CreateTable create = (TsqlStep.CreateTable)
                TsqlScript.parse("CREATE TABLE t (id [sys].[int] IDENTITY PRIMARY KEY, " + columns + ")")
                        .steps()
                        .get(0);
        assertThat(squeezed(create.cql()))
                .isEqualTo(
                        "CREATE TABLE t (id int PRIMARY KEY, a text, b text, c text, d text, e text, f text, g decimal)");
        assertThat(create.columns().stream().map(column -> column.type() + (column.required() ? " NOT NULL" : "")))
                .containsExactly(
                        "int NOT NULL",
                        "nvarchar(9)",
                        "nchar(3)",
                        "nvarchar(5)",
                        "nvarchar(128) NOT NULL",
                        "nvarchar(128)",
                        "ntext",
                        "decimal(9,2)");
        assertThat(create.defaults()).singleElement().hasFieldOrPropertyWithValue("type", "decimal");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TABLE t (id int NOT NULL PRIMARY KEY, a DECIMAL(39,2)) | 2750",
                "CREATE TABLE t (id int NOT NULL PRIMARY KEY, a [nvarchar](5000)) | 2717",
                "ALTER TABLE t ADD a VARCHAR(9000) NULL | 131",
                "ALTER TABLE t ALTER COLUMN a DATETIME2(8) | 1002",
                "SELECT a FROM t WHERE b = CAST('x' AS NVARCHAR(5000)) | 2717",
                "SELECT a FROM t WHERE b = CONVERT(DECIMAL(5,9), 1) | 183",
            })
    void shouldRefuseSizesAsSqlServer(String sql, int number) {
        assertThatThrownBy(() -> TsqlScript.parse(sql))
                .isInstanceOf(UnsupportedSqlException.class)
                .hasFieldOrPropertyWithValue("number", number);
    }

    @Test
    void shouldReadWhatFollowsADefinitionLater() {
        String script = "UPDATE t SET a = ? WHERE id = 1; ALTER TABLE t ADD b int;\nUPDATE t SET b = ? WHERE id = ?"
                + " SELECT * FROM t INSERT t VALUES (?); SELECT @@ROWCOUNT; ALTER TABLE t ADD CONSTRAINT u UNIQUE (b);";
        List<TsqlStep> steps = TsqlScript.parse(script).steps();

        assertThat(steps.subList(0, 3)).noneMatch(TsqlStep.Later.class::isInstance);
        assertThat(steps.subList(3, 6).stream().map(TsqlStep.Later.class::cast).toList())
                .satisfiesExactly(
                        update -> assertThat(update)
                                .hasFieldOrPropertyWithValue("text", "UPDATE t SET b = ? WHERE id = ?")
                                .hasFieldOrPropertyWithValue("firstParameter", 1)
                                .hasFieldOrPropertyWithValue("outcome", TsqlStep.Outcome.COUNT),
                        select -> assertThat(select)
                                .hasFieldOrPropertyWithValue("text", "SELECT * FROM t")
                                .hasFieldOrPropertyWithValue("outcome", TsqlStep.Outcome.ROWS),
                        insert -> assertThat(insert)
                                .hasFieldOrPropertyWithValue("text", "INSERT t VALUES (?)")
                                .hasFieldOrPropertyWithValue("firstParameter", 3));
        assertThat(steps.get(6)).isInstanceOf(TsqlStep.SelectRowCount.class);
        assertThat(steps.get(7)).hasFieldOrPropertyWithValue("outcome", TsqlStep.Outcome.NOTHING);
        assertThat(TsqlScript.parse(script).statements()).isEqualTo(6);
    }

    /** A keyspace with types that have the names of T-SQL types. */
    private static final class OwnTypes implements Schema {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return "shop".equals(keyspace) && (type.equals("money") || type.equals("geography"));
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }
    }

    @Test
    void shouldKeepTheKeyspacesOwnTypes() {
        for (String cql : List.of(
                "CREATE TABLE shop.t (id int PRIMARY KEY, a money, b Geography, c frozen<money>)",
                "ALTER TABLE shop.t ADD a money")) {
            assertThat(served(TsqlScript.parse(cql, new OwnTypes())))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            TsqlStep.Cql.class, step -> assertThat(step.text()).isEqualTo(cql));
        }
        assertThat(TsqlScript.parse(
                                "CREATE TABLE shop.t (id int IDENTITY PRIMARY KEY, a [money], b xml)", new OwnTypes())
                        .steps())
                .singleElement()
                .isInstanceOfSatisfying(CreateTable.class, create -> assertThat(squeezed(create.cql()))
                        .isEqualTo("CREATE TABLE shop.t (id int PRIMARY KEY, a money, b text)"));
        assertThat(TsqlScript.parse("CREATE TABLE t (id int PRIMARY KEY, a money)", new OwnTypes())
                        .steps())
                .singleElement()
                .isInstanceOf(CreateTable.class);
    }

    @Test
    void shouldReturnTheIdentityAndThePartsThatAreLeftOut() {
        assertThat(steps(
                                "CREATE TABLE shop.dbo.[T] ([Id] SMALLINT IDENTITY PRIMARY KEY NOT NULL, name nvarchar(5) NOT NULL,"
                                        + " at datetimeoffset, c int REFERENCES s(id), CONSTRAINT ck CHECK (c > 0))")
                        .subList(0, 2))
                .containsExactly(
                        new LeftOut("the offset of at (the instant is kept)"), new LeftOut("REFERENCES s(id) of c"));
        assertThat(steps("CREATE TABLE IF NOT EXISTS shop.dbo.[T] ([Id] SMALLINT IDENTITY (5, -1) PRIMARY KEY)"))
                .singleElement()
                .isInstanceOfSatisfying(CreateTable.class, create -> {
                    assertThat(create.table()).isEqualTo(new CqlInsert.Table("shop", "t"));
                    assertThat(create.identity()).isEqualTo(new DeclaredIdentity("id", NumericType.SMALLINT, 5, -1));
                    assertThat(create.ifNotExists()).isTrue();
                });
        assertThat(steps(
                        "ALTER TABLE t WITH CHECK ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES s (b); ALTER TABLE t CHECK"
                                + " CONSTRAINT f; ALTER TABLE t NOCHECK CONSTRAINT g"))
                .satisfiesExactly(
                        step -> assertThat(step).isInstanceOf(LeftOut.class),
                        step -> assertThat(step).isEqualTo(switched(List.of("f"), true, "CHECK CONSTRAINT f")),
                        step -> assertThat(step).isEqualTo(switched(List.of("g"), false, "NOCHECK CONSTRAINT g")));
        assertThat(steps("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ALL"))
                .containsExactly(switched(List.of(), true, "WITH CHECK CHECK CONSTRAINT ALL"));
    }

    private static TsqlStep switched(List<String> names, boolean on, String action) {
        return new TsqlStep.SwitchConstraints(new CqlInsert.Table(null, "t"), names, on, "ALTER TABLE t " + action);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id INT PRIMARY KEY, a int CONSTRAINT c CHECK NOT FOR REPLICATION (a > 0) NOT NULL)",
                "CREATE TABLE t (id INT PRIMARY KEY, a int NOT NULL, CONSTRAINT c CHECK NOT FOR REPLICATION (a > 0))"
            })
    void shouldReadChecksNotForReplication(String sql) {
        assertThat(steps(sql)).singleElement().isInstanceOfSatisfying(CreateTable.class, create -> {
            assertThat(squeezed(create.cql())).contains("a int").doesNotContainIgnoringCase("replication");
            assertThat(create.constraints()).singleElement().satisfies(constraint -> {
                assertThat(constraint.name()).isEqualTo("c");
                assertThat(constraint.text()).isEqualTo("CHECK NOT FOR REPLICATION (a > 0)");
            });
            assertThat(create.columns()).filteredOn(ColumnDefinition::required).hasSize(2);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            WITH (small)                              ; true
            WITH (plain, small)                       ; true
            WITH (SMALL, home = 'dc1')                ; true
            WITH (DATA_COMPRESSION = PAGE) ON [A] WITH (small) ; true
            WITH (plain)                              ; false
            WITH (small = 1)                          ; false
            """)
    void shouldReadThatATableIsSmall(String options, boolean small) {
        assertThat(steps("CREATE TABLE t (id INT PRIMARY KEY) " + options))
                .singleElement()
                .isInstanceOfSatisfying(CreateTable.class, create -> {
                    assertThat(create.small()).isEqualTo(small);
                    assertThat(create.cql()).doesNotContainIgnoringCase("with");
                });
    }

    @Test
    void shouldReadAScriptOfDefinitions() {
        assertThat(steps(
                        "IF OBJECT_ID('t', 'U') IS NOT NULL DROP TABLE t CREATE TABLE t (id int IDENTITY PRIMARY KEY) INSERT"
                                + " INTO t DEFAULT VALUES SELECT SCOPE_IDENTITY()"))
                .hasSize(4);
    }

    @Test
    void shouldGiveATableTheKeyOfALaterStatementOfTheSameScript() {
        for (String add : List.of(
                "ALTER TABLE [dbo].[T] ADD CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([b] ASC, a) WITH (PAD_INDEX = OFF) ON"
                        + " [PRIMARY]",
                "ALTER TABLE t WITH NOCHECK ADD PRIMARY KEY NONCLUSTERED (b, a)",
                "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0), CONSTRAINT pk PRIMARY KEY (b, a)")) {
            for (String separator : List.of("; ", " ")) {
                List<TsqlStep> steps = steps("CREATE TABLE t (a int NOT NULL, b int NOT NULL)" + separator
                        + "INSERT INTO t (a, b) VALUES (1, 2)" + separator + add);
                assertThat(steps)
                        .filteredOn(CreateTable.class::isInstance)
                        .singleElement()
                        .isInstanceOfSatisfying(CreateTable.class, create -> assertThat(squeezed(create.cql()))
                                .isEqualTo("CREATE TABLE t (a int, b int, PRIMARY KEY (b, a))"));
                assertThat(steps).filteredOn(TsqlStep.Cql.class::isInstance).isEmpty();
            }
        }
        assertThat(steps("CREATE TABLE t (id int); ALTER TABLE t ADD PRIMARY KEY (id), a nvarchar(5)"))
                .extracting(step -> squeezed(step.statements().get(0)))
                .containsExactly("CREATE TABLE t (id int, PRIMARY KEY (id))", "ALTER TABLE t ADD a text");
    }

    @Test
    void shouldSayWhichConstraintsChangeTheDataIfTheyAreLeftOut() {
        assertThat(steps("CREATE TABLE t (id int PRIMARY KEY, a int UNIQUE, b int REFERENCES s ON DELETE CASCADE, c int"
                        + " REFERENCES s ON DELETE NO ACTION, CHECK (c > 0), CHECK (f(c) > 0))"))
                .filteredOn(LeftOut.class::isInstance)
                .extracting(step -> ((LeftOut) step).what(), step -> ((LeftOut) step).refusal() != null)
                .containsExactly(
                        tuple("REFERENCES s ON DELETE CASCADE of b", true),
                        tuple("REFERENCES s of c", false),
                        tuple("CHECK (f(c) > 0)", false));
        assertThat(TsqlScript.parse("CREATE TABLE t (id int PRIMARY KEY, a int REFERENCES s ON DELETE CASCADE)")
                        .unkept())
                .isEqualTo(((LeftOut) steps("CREATE TABLE t (id int PRIMARY KEY, a int REFERENCES s ON DELETE CASCADE)")
                                .get(0))
                        .refusal());
        assertThat(TsqlScript.parse("CREATE TABLE t (id int PRIMARY KEY, a bit NOT NULL CHECK (a > 0))")
                        .unkept())
                .isNull();
    }

    private static IfExists guard(String sql) {
        return (IfExists) steps(sql).get(0);
    }

    @Test
    void shouldReadWhatAnIfAsksForAndWhichStepsBelongToIt() {
        assertThat(steps("IF OBJECT_ID('shop.dbo.[T]', 'U') IS NULL BEGIN CREATE TABLE shop.t (id int NOT NULL PRIMARY"
                        + " KEY); INSERT INTO shop.t (id) VALUES (1) END; SELECT 1"))
                .hasSize(4)
                .first()
                .isEqualTo(new IfExists(new SchemaObject(Kind.TABLE, "shop", null, "t"), false, 2));
        assertThat(guard(
                        "IF NOT EXISTS (SELECT * FROM sys.columns WHERE Name = N'c' AND Object_ID = Object_ID(N'dbo.t'))"
                                + " ALTER TABLE t ADD c int"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.COLUMN, null, "t", "c"), false, 2));
        assertThat(guard("IF COL_LENGTH('t', 'C') IS NOT NULL ALTER TABLE t DROP COLUMN c"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.COLUMN, null, "t", "c"), true, 1));
        assertThat(guard("IF EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 't' AND column_name ="
                        + " 'c' AND table_catalog = DB_NAME()) BEGIN ALTER TABLE t DROP COLUMN c END"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.COLUMN, null, "t", "c"), true, 1));
        assertThat(guard("IF NOT EXISTS (SELECT TOP 1 1 FROM sys.indexes AS i WHERE i.name = 'ix' AND i.object_id ="
                        + " OBJECT_ID('t')) CREATE CUSTOM INDEX ix ON t (c) USING 'sai'"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.INDEX, null, "t", "ix"), false, 1));
        assertThat(guard("IF OBJECT_ID('s') IS NULL CREATE SEQUENCE s START WITH 1"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.SEQUENCE, null, null, "s"), false, 1));
        assertThat(guard("IF EXISTS (SELECT * FROM sys.sequences WHERE name = 's' AND schema_id = SCHEMA_ID('other'))"
                        + " DROP SEQUENCE other.s"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.SEQUENCE, "other", null, "s"), true, 1));
        assertThat(guard(
                        "IF EXISTS (SELECT * FROM sys.foreign_keys WHERE object_id = OBJECT_ID('f')) ALTER TABLE t DROP"
                                + " CONSTRAINT f"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.NOTHING, null, null, ""), true, 1));
        assertThat(guard("IF OBJECT_ID('p', 'P') IS NULL CREATE TABLE t (id int PRIMARY KEY)"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.NOTHING, null, null, "p"), false, 1));
        assertThat(guard("IF OBJECT_ID('t') IS NULL CREATE TABLE s (id int PRIMARY KEY)"))
                .isEqualTo(new IfExists(new SchemaObject(Kind.TABLE, null, null, "t"), false, 1));
    }

    @Test
    void shouldCountTheStepsOfIfsWithinOthers() {
        // What is behind an IF is T-SQL, and so is its float.
        for (String of : List.of("f", "t")) {
            assertThat(steps("IF OBJECT_ID('" + of + "') IS NULL CREATE TABLE f (id int PRIMARY KEY, a float)"))
                    .last()
                    .isInstanceOfSatisfying(CreateTable.class, create -> assertThat(create.cql())
                            .endsWith("f (id int PRIMARY KEY, a double)"));
        }
        assertThat(steps(
                        "IF OBJECT_ID('a') IS NULL BEGIN IF OBJECT_ID('b') IS NULL DROP TABLE c; DROP TABLE d; END DROP"
                                + " TABLE e"))
                .hasSize(5)
                .startsWith(
                        new IfExists(new SchemaObject(Kind.TABLE, null, null, "a"), false, 3),
                        new IfExists(new SchemaObject(Kind.TABLE, null, null, "b"), false, 1));
        String open = "IF OBJECT_ID('a') IS NULL BEGIN ";
        assertThat(steps(open.repeat(30) + "DROP TABLE c " + "END ".repeat(30))).hasSize(31);
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> steps(open.repeat(31) + "DROP TABLE c " + "END ".repeat(31)))
                .withMessageContaining("IF within more than 30 others");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id int PRIMARY KEY)",
                "CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY, a set<int>) WITH comment = 'a' AND gc_grace_seconds = 1",
                "CREATE TYPE IF NOT EXISTS a (b int)",
                "CREATE INDEX IF NOT EXISTS ON t (keys(a))",
                "CREATE CUSTOM INDEX i ON t (a) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'}",
                "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a IS NOT NULL AND b IS NOT NULL PRIMARY KEY (a, b)",
                "CREATE OR REPLACE FUNCTION f (a int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$ return a; $$",
                "CREATE AGGREGATE a (int) SFUNC f STYPE int INITCOND 0",
                "CREATE ROLE r WITH PASSWORD = 'x' AND LOGIN = true",
                "CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TRIGGER a ON t USING 'b'",
                "ALTER TABLE t ADD a set<int>",
                "ALTER TABLE t ADD exec int",
                "ALTER TABLE t DROP a",
                "ALTER TABLE t RENAME a TO b AND c TO d",
                "ALTER TABLE IF EXISTS t DROP IF EXISTS a",
                "ALTER TABLE t ALTER a MASKED WITH DEFAULT",
                "ALTER TABLE t WITH comment = 'a'",
                "ALTER TYPE a ADD b int",
                "DROP TABLE IF EXISTS t",
                "DROP INDEX i",
                "DROP FUNCTION IF EXISTS f(int, text)",
            })
    void shouldEndADefinitionOfCqlAtGoAndAtTheNextStatement(String cql) {
        for (String next : List.of(
                "CREATE TABLE n (id int PRIMARY KEY)",
                "ALTER TABLE n ADD a int",
                "DROP TABLE n",
                "INSERT INTO n (id) VALUES (1)",
                "SELECT a FROM n WHERE id = 1",
                "UPDATE n SET a = 1 WHERE id = 1",
                "TRUNCATE n",
                "SET NOCOUNT ON",
                "BEGIN UPDATE n SET a = 1 WHERE id = 1 END",
                "IF OBJECT_ID('n') IS NULL DROP TABLE n")) {
            List<String> expected =
                    Stream.of(cql, next).flatMap(sql -> shown(sql).stream()).toList();
            for (String between : List.of("\nGO\n", "\n", " ", ";", ";\nGO\nGO\n")) {
                assertThat(shown(cql + between + next))
                        .describedAs("'%s' then '%s'", between, next)
                        .isEqualTo(expected);
            }
            assertThat(shown("BEGIN " + cql + " END " + next)).isEqualTo(expected);
        }
        assertThat(shown(cql + "\nGO")).isEqualTo(shown(cql)).hasSize(1);
    }

    @Test
    void shouldEndOtherStatementsOfCqlAtGo() {
        assertThat(shown("GRANT SELECT ON t TO r\nGO\nLIST ROLES\ngo\nSELECT a FROM t"))
                .containsExactly("CqlGRANT SELECT ON t TO r", "CqlLIST ROLES", "CqlSELECT a FROM t");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TABLE t (id int IDENTITY, a nvarchar(9)) | CREATE TABLE t (id int, a text, PRIMARY KEY (id)) | (id), the identity column, is its key now",
                "CREATE TABLE [t] ([A b] int NOT NULL, b int NOT NULL, c int, UNIQUE (c), CONSTRAINT u UNIQUE CLUSTERED ([A b] ASC, b)) | CREATE TABLE t (\"A b\" int, b int, c int, PRIMARY KEY (\"A b\", b)) | (\"A b\", b), UNIQUE and NOT NULL, is its key now",
                "CREATE TABLE [t] (a int UNIQUE, b int UNIQUE NOT NULL, id int IDENTITY) | CREATE TABLE t (a int, b int, id int, PRIMARY KEY (b)) | (b), UNIQUE and NOT NULL, is its key now",
            })
    void shouldTakeWhatIdentifiesARowForTheKeyUnlessConstraintsAreRefused(String sql, String cql, String note) {
        assertThat(cql(sql)).isEqualTo(cql);
        assertThat(steps(sql))
                .filteredOn(LeftOut.class::isInstance)
                .map(LeftOut.class::cast)
                .filteredOn(left -> left.what().endsWith(note))
                .singleElement()
                .satisfies(
                        left -> assertThat(left.refusal().construct()).isEqualTo("CREATE TABLE without PRIMARY KEY"));
    }

    private static List<String> shown(String sql) {
        return steps(sql).stream()
                .map(step -> step.getClass().getSimpleName() + StepPrinter.of(step))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALTER TABLE t NOCHECK CONSTRAINT fk | INSERT INTO t (id, a) VALUES (1, 2)",
                "ALTER TABLE t DROP CONSTRAINT c | UPDATE t SET a=1 WHERE id=1",
                "ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES s(id) | INSERT INTO t (a) VALUES (1)",
                "ALTER TABLE t ADD CHECK (a>0) | DELETE FROM t WHERE id = 1",
                "ALTER TABLE t ADD CONSTRAINT d DEFAULT (5) FOR a | DELETE FROM t WHERE id = 1",
            })
    void shouldKeepTheStatementBehindAConstraintThatIsLeftOut(String alter, String next) {
        assertThat(TsqlScript.parse(alter + "\n" + next).steps())
                .hasSizeBetween(2, 3)
                .first()
                .isInstanceOfAny(
                        LeftOut.class,
                        TsqlStep.DropConstraints.class,
                        TsqlStep.SwitchConstraints.class,
                        TsqlStep.AddDefaults.class,
                        TsqlStep.AddColumns.class);
        List<String> both = shown(alter + " " + next);
        assertThat(both.get(both.size() - 1)).isEqualTo(shown(next).get(0));
    }

    @Test
    void shouldEndConstraintsAtTheNextStatementToo() {
        assertThat(steps(
                        "ALTER TABLE [t] WITH CHECK ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES u (id) ON DELETE SET NULL"
                                + " ON UPDATE SET DEFAULT\nALTER TABLE [t] CHECK CONSTRAINT f\nGO\nDROP TABLE u"))
                .hasSize(3)
                .last()
                .isEqualTo(new TsqlStep.Cql("DROP TABLE u", "DROP", List.of()));
    }

    @Test
    void shouldReadABlockWithinTheBlockOfAnIf() {
        List<TsqlStep> steps =
                steps("IF OBJECT_ID('t') IS NULL BEGIN SET NOCOUNT ON BEGIN UPDATE a SET b = 1 WHERE id = 1"
                        + " DELETE FROM a WHERE id = 2 END DROP TABLE c BEGIN DROP TABLE d END END DROP TABLE e");
        assertThat(steps.get(0)).isEqualTo(new IfExists(new SchemaObject(Kind.TABLE, null, null, "t"), false, 5));
        assertThat(steps.subList(2, 7))
                .extracting(step -> ((TsqlStep.Cql) step).text())
                .containsExactly(
                        "UPDATE a SET b = 1 WHERE id = 1",
                        "DELETE FROM a WHERE id = 2",
                        "DROP TABLE c",
                        "DROP TABLE d",
                        "DROP TABLE e");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT (1 + f(2))) | DEFAULT (1 + f(2))",
                "CREATE TABLE t (id int PRIMARY KEY, a nvarchar(9) CONSTRAINT d DEFAULT (user_name())) | DEFAULT (user_name())",
                "CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT ()) | DEFAULT ()",
                "CREATE TABLE t (id int IDENTITY PRIMARY KEY, a int, DEFAULT 5 FOR id) | Defaults cannot be created on columns with an IDENTITY attribute: column id",
                "CREATE TABLE t (id int PRIMARY KEY, a int, b AS a + 1) | the computed column b",
                "CREATE TABLE t (id int PRIMARY KEY, v rowversion) | type rowversion",
                "CREATE TABLE t (id int PRIMARY KEY, a int MASKED WITH (FUNCTION = 'default()')) | MASKED WITH (FUNCTION = ...)",
                "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v timestamp) | timestamp (T-SQL's rowversion)",
                "CREATE TABLE t (id int PRIMARY KEY, v sql_variant) | type sql_variant",
                "CREATE TABLE t (id int IDENTITY PRIMARY KEY, a int IDENTITY) | a second IDENTITY, of column a",
                "CREATE TABLE t (id tinyint IDENTITY PRIMARY KEY) | IDENTITY of type tinyint",
                "CREATE TABLE t (id int IDENTITY(1) PRIMARY KEY) | IDENTITY ()",
                "CREATE TABLE t (id int IDENTITY(x, 1) PRIMARY KEY) | IDENTITY (x)",
                "CREATE TABLE t (id int NOT NULL, PRIMARY KEY (id DESC)) | PRIMARY KEY (... DESC)",
                "ALTER TABLE t ADD id int IDENTITY | ALTER TABLE ... ADD ... IDENTITY",
                "ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (id) | ALTER TABLE ... ADD ... PRIMARY KEY",
                "ALTER TABLE t ADD CONSTRAINT d DEFAULT 5 | DEFAULT without its column",
                "ALTER TABLE t ALTER COLUMN a nvarchar(50) DEFAULT 5 | ALTER TABLE ... ALTER COLUMN of more than a type",
                "CREATE VIEW v AS SELECT a FROM t | CREATE VIEW",
                "DROP VIEW v | DROP VIEW",
                "CREATE TRIGGER a ON t AFTER INSERT, UPDATE AS BEGIN DELETE FROM u WHERE id = 1 END | CREATE TRIGGER ... AS",
                "CREATE FUNCTION dbo.f (@a int) RETURNS int AS BEGIN RETURN 1 END | CREATE FUNCTION ... AS BEGIN",
                "IF EXISTS (SELECT 1 FROM t) DROP TABLE t | IF",
                "IF OBJECT_ID('t') = 5 DROP TABLE t | IF",
                "IF OBJECT_ID('tempdb..#t') IS NOT NULL DROP TABLE t | OBJECT_ID('tempdb..#t')",
                "IF EXISTS (SELECT * FROM sys.tables WHERE name LIKE 't%') DROP TABLE t | 'name' in the condition of an IF",
                "IF EXISTS (SELECT * FROM sys.tables WHERE create_date = '2024') DROP TABLE t | 'create_date' in the condition of an IF",
                "IF EXISTS (SELECT * FROM sys.tables WHERE name = 't' OR name = 'u') DROP TABLE t | 'OR' in the condition of an IF",
                "IF EXISTS (SELECT * FROM sys.indexes WHERE name = 'i') DROP INDEX i | an IF about a column or index without its table and name",
                "IF OBJECT_ID('t') IS NULL CREATE TABLE t (id int PRIMARY KEY) ELSE DROP TABLE t | ELSE behind an IF",
                "IF OBJECT_ID('t') IS NULL BEGIN DROP TABLE s; END ELSE DROP TABLE t | ELSE behind an IF",
                "IF OBJECT_ID('t') IS NULL BEGIN DROP TABLE s | BEGIN without END",
                "IF OBJECT_ID('t') IS NULL | an IF without a statement",
                "CREATE TABLE t (id int NOT NULL); ALTER TABLE u ADD PRIMARY KEY (id) | CREATE TABLE without PRIMARY KEY",
                "CREATE TABLE t (id int NOT NULL IDENTITY); ALTER TABLE t ADD PRIMARY KEY (id DESC) | PRIMARY KEY (... DESC)",
                "ALTER TABLE t ADD PRIMARY KEY (id); CREATE TABLE t (id int IDENTITY) | ALTER TABLE ... ADD ... PRIMARY KEY",
            })
    void shouldRefuseByName(String sql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> TsqlScript.parse(sql))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct));
    }

    /** The defaults of a statement, as {@code column name type source value required}. */
    private static List<String> defaults(String sql) {
        List<String> shown = new ArrayList<>();
        for (TsqlStep step : TsqlScript.parse(sql).asRead()) {
            List<DeclaredDefault> defaults = step instanceof TsqlStep.CreateTable table
                    ? table.defaults()
                    : step instanceof TsqlStep.AddDefaults added ? added.defaults() : List.of();
            for (DeclaredDefault each : defaults) {
                DeclaredDefault.Value value = each.value();
                shown.add(each.column() + " " + each.name() + " " + each.type() + " " + value.source() + " "
                        + value.constant() + " "
                        + (value.sequence() == null ? null : value.sequence().name()) + " "
                        + value.expression() + " " + each.required());
            }
        }
        return shown;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL DEFAULT ((0))) | a null int CONSTANT 0 null ((0)) true",
                "CREATE TABLE t (id int PRIMARY KEY, a float DEFAULT -1.5 NOT NULL) | a null double CONSTANT -1.5 null -1.5 true",
                "CREATE TABLE t (id int PRIMARY KEY, a bit CONSTRAINT [d] DEFAULT (CONVERT([bit],(1))), b int) | a d boolean CONSTANT 1 null (CONVERT([bit],(1))) false",
                "CREATE TABLE t (id int PRIMARY KEY, a bit DEFAULT CAST(0 AS bit)) | a null boolean CONSTANT 0 null CAST(0 AS bit) false",
                "CREATE TABLE t (id int PRIMARY KEY, a nvarchar(9) DEFAULT (N'it''s') NULL) | a null text CONSTANT it's null (N'it''s') false",
                "CREATE TABLE t (id int PRIMARY KEY, a datetime DEFAULT (getdate())) | a null timestamp NOW null null (getdate()) false",
                "CREATE TABLE t (id int PRIMARY KEY, a date DEFAULT CURRENT_TIMESTAMP CHECK (a > 1)) | a null date NOW null null CURRENT_TIMESTAMP false",
                "CREATE TABLE t (id uniqueidentifier DEFAULT NEWID() PRIMARY KEY) | id null uuid NEW_ID null null NEWID() false",
                "CREATE TABLE t (id int PRIMARY KEY, a bigint DEFAULT (NEXT VALUE FOR dbo.s)) | a null bigint NEXT_VALUE null s (NEXT VALUE FOR dbo.s) false",
                "CREATE TABLE t (id int PRIMARY KEY, a bigint DEFAULT NEXT VALUE FOR s NOT NULL) | a null bigint NEXT_VALUE null s NEXT VALUE FOR s true",
                "CREATE TABLE t (id int PRIMARY KEY, a int, CONSTRAINT d DEFAULT 7 FOR a) | a d int CONSTANT 7 null 7 false",
                "ALTER TABLE t ADD CONSTRAINT d DEFAULT (-(5)) FOR a | a d null CONSTANT -5 null (-(5)) false",
                "ALTER TABLE t ADD DEFAULT 'x' FOR [A] WITH VALUES | a null null CONSTANT x null 'x' false",
                "ALTER TABLE t WITH CHECK ADD a int NOT NULL CONSTRAINT d DEFAULT 0 WITH VALUES | a d int CONSTANT 0 null 0 true",
            })
    void shouldReadDefaults(String sql, String expected) {
        assertThat(defaults(sql)).containsExactly(expected);
    }

    @Test
    void shouldReadSeveralDefaults() {
        assertThat(defaults(
                        "CREATE TABLE t (id int PRIMARY KEY, a int CONSTRAINT x DEFAULT 1 NOT NULL, b int DEFAULT 2, c"
                                + " int DEFAULT NULL)"))
                .containsExactly("a x int CONSTANT 1 null 1 true", "b null int CONSTANT 2 null 2 false");
        assertThat(cql(
                        "CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT 1, b nvarchar(5) CONSTRAINT d DEFAULT ('(') NOT"
                                + " NULL)"))
                .isEqualTo("CREATE TABLE t (id int PRIMARY KEY, a int, b text)");
        assertThat(steps("ALTER TABLE t ADD a int DEFAULT 5, b int"))
                .first()
                .isEqualTo(new TsqlStep.Cql("ALTER TABLE t ADD ( a int , b int)", "ALTER", List.of()));
    }

    @Test
    void shouldReadDroppedConstraints() {
        assertThat(steps("ALTER TABLE dbo.t DROP CONSTRAINT [d], e"))
                .containsExactly(new TsqlStep.DropConstraints(
                        new CqlInsert.Table(null, "t"),
                        List.of("d", "e"),
                        false,
                        "ALTER TABLE dbo.t DROP CONSTRAINT [d], e"));
        assertThat(Dropped.of("DROP TABLE IF EXISTS k.t"))
                .contains(new Dropped(new CqlInsert.Table("k", "t"), List.of()));
        assertThat(Dropped.of("ALTER TABLE t DROP (a, \"B\")"))
                .contains(new Dropped(new CqlInsert.Table(null, "t"), List.of("a", "B")));
        assertThat(Dropped.of("ALTER TABLE t ADD a int")).isEmpty();
        assertThat(Dropped.of("DROP INDEX i")).isEmpty();
    }

    @Test
    void shouldTakeTimeInProportionToTheText() {
        int many = 20_000;
        String columns = IntStream.range(0, many)
                .mapToObj(i -> ", a" + i + " nvarchar(5) NOT NULL")
                .collect(Collectors.joining());
        assertThat(cql("CREATE TABLE t (id int IDENTITY PRIMARY KEY" + columns + ")"))
                .hasSizeGreaterThan(many);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GENERATED BY DEFAULT AS IDENTITY | 1 | 1",
                "GENERATED ALWAYS AS IDENTITY (START WITH 7 INCREMENT BY 2) | 7 | 2",
                "GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY -2) | 1 | -2",
                "GENERATED BY DEFAULT AS IDENTITY (START WITH -7) | -7 | 1",
            })
    void shouldReadTheStandardsIdentity(String identity, int seed, int increment) {
        assertThat(steps("CREATE TABLE t (id int " + identity + " PRIMARY KEY)"))
                .singleElement()
                .isInstanceOfSatisfying(TsqlStep.CreateTable.class, create -> assertThat(create.identity())
                        .isEqualTo(new DeclaredIdentity("id", NumericType.INT, seed, increment)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE t ADD UNIQUE (a) WITH (PAD_INDEX = OFF) ON [PRIMARY]",
                "ALTER TABLE t ADD CONSTRAINT u UNIQUE NONCLUSTERED (a) WITH (IGNORE_DUP_KEY = OFF)"
            })
    void shouldReadUniqueWithOptions(String alter) {
        assertThat(TsqlScript.parse(alter).steps())
                .first()
                .isInstanceOfSatisfying(TsqlStep.AddColumns.class, add -> assertThat(add.constraints())
                        .extracting(ConstraintDefinition::kind, ConstraintDefinition::columns)
                        .containsExactly(tuple(ConstraintDefinition.Kind.UNIQUE, List.of("a"))));
    }
}
