package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An injected statement must not use up a sequence. */
class SequenceDdlIT {

    private static final String INJECTED = "SELECT name FROM part WHERE id = 1; ";

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("sequence_ddl_it");
        cluster.cql("CREATE TABLE $.part (id int PRIMARY KEY, name text)");
        cluster.identity("part", "id", IdentityType.INT, 1);
    }

    private static void run(String options, String... texts) throws SQLException {
        try (Connection connection = DriverManager.getConnection(cluster.url() + options);
                Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    private static int insertedId() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO part (name) VALUES ('bolt')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                return keys.getInt(1);
            }
        }
    }

    @Test
    void shouldWantAConfirmationByNameForALargeRaise() throws Exception {
        for (String raise : new String[] {
            "ALTER SEQUENCE part RESTART WITH 2147483647", "DBCC CHECKIDENT ('part', RESEED, 200000000)"
        }) {
            assertThatThrownBy(() -> run("", INJECTED + raise))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("never issue the ids between them")
                    .hasMessageMatching(
                            "(?s).*sequences\\.admin\\(\\)\\.restart\\(\"sequence_ddl_it\\.part\", \\d+, \"sequence_ddl_it\\.part\"\\).*");
        }
        assertThatThrownBy(() -> run(
                        "",
                        INJECTED + "ALTER SEQUENCE part RESTART WITH 100000001;"
                                + " DBCC CHECKIDENT ('part', RESEED, 200000000)"))
                .hasMessageContaining("restarts sequence part more than once");
        assertThat(insertedId()).isLessThan(100_000);

        // 4.7 % of an int's ids.
        run("", "ALTER SEQUENCE part RESTART WITH 100000001");
        assertThat(insertedId()).isBetween(100_000_001, 100_100_000);

        // 42 %: as the refusal says.
        assertThatThrownBy(() -> run("", "ALTER SEQUENCE part RESTART WITH 1000000001"))
                .hasMessageContaining(
                        "sequences.admin().restart(\"sequence_ddl_it.part\", 1000000001, \"sequence_ddl_it.part\")");
        try (Connection connection = cluster.connect()) {
            connection
                    .unwrap(IdentitySession.class)
                    .sequences()
                    .admin()
                    .restart("sequence_ddl_it.part", 1_000_000_001, "sequence_ddl_it.part");
        }
        assertThat(insertedId()).isGreaterThan(1_000_000_000);
    }

    @Test
    void shouldRefuseSequenceDdlIfAsked() throws Exception {
        for (String text : new String[] {
            "CREATE SEQUENCE refused START WITH 1",
            "ALTER SEQUENCE part RESTART WITH 50000",
            "DROP SEQUENCE part",
            "DBCC CHECKIDENT ('part', RESEED, 50000)",
            INJECTED + "ALTER SEQUENCE part RESTART WITH 50000",
            "IF NOT EXISTS (SELECT 1 FROM sys.tables WHERE name = 'x') CREATE TABLE x (id INT IDENTITY PRIMARY KEY)",
            "CREATE TABLE refused (id INT IDENTITY(1,1) PRIMARY KEY)"
        }) {
            assertThatThrownBy(() -> run("&sequenceDdl=refused", text))
                    .as(text)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("sequenceDdl=refused");
        }
        run(
                "&sequenceDdl=refused",
                "CREATE TABLE served (id INT PRIMARY KEY)",
                "DBCC CHECKIDENT ('part')",
                "INSERT INTO part (name) VALUES ('nut'); SELECT SCOPE_IDENTITY()");
    }

    @Test
    void shouldRefuseSeveralStatementsIfAsked() throws Exception {
        for (String text : new String[] {
            INJECTED + "DELETE FROM part WHERE id = 1",
            INJECTED + "INSERT INTO part (name) VALUES ('x')",
            "INSERT INTO part (name) VALUES ('x') INSERT INTO part (name) VALUES ('y')",
            "BEGIN INSERT INTO part (name) VALUES ('x'); DELETE FROM part WHERE id = 1 END"
        }) {
            assertThatThrownBy(() -> run("&multipleStatements=false", text))
                    .as(text)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("A script of 2 statements is refused by multipleStatements=false");
        }
        run(
                "&multipleStatements=false",
                "SET NOCOUNT ON; INSERT INTO part (name) VALUES ('nut'); SELECT SCOPE_IDENTITY()",
                "INSERT INTO part (name) VALUES ('nut'), ('bolt'); SELECT @@ROWCOUNT",
                "DECLARE @ids TABLE (id INT); INSERT INTO part (name) OUTPUT INSERTED.id INTO @ids VALUES ('nut');"
                        + " SELECT id FROM @ids",
                "SET IDENTITY_INSERT part ON; INSERT INTO part (id, name) VALUES (-5, 'old'); SET IDENTITY_INSERT part OFF",
                "CREATE TABLE shelf (id INT PRIMARY KEY, name NVARCHAR(9), INDEX by_name (name))",
                "ALTER TABLE shelf ADD weight INT DEFAULT 5",
                "IF OBJECT_ID('part') IS NULL BEGIN CREATE TABLE part (id INT PRIMARY KEY) END");
    }

    // ---- an attack: every way to run a text, every way to append to one

    private interface Way {
        void run(Connection connection, String text) throws SQLException;
    }

    private static final List<Way> WAYS = List.of(
            (connection, text) -> statement(connection, statement -> statement.execute(text)),
            (connection, text) -> statement(connection, statement -> statement.executeQuery(text)),
            (connection, text) -> statement(connection, statement -> statement.executeUpdate(text)),
            (connection, text) ->
                    statement(connection, statement -> statement.execute(text, Statement.RETURN_GENERATED_KEYS)),
            (connection, text) -> statement(connection, statement -> {
                statement.addBatch("SELECT name FROM part WHERE id = 1");
                statement.addBatch(text);
                statement.executeBatch();
            }),
            (connection, text) -> {
                try (PreparedStatement statement = connection.prepareStatement(text)) {
                    statement.execute();
                }
            },
            (connection, text) -> {
                try (PreparedStatement statement = connection.prepareStatement(text, Statement.RETURN_GENERATED_KEYS)) {
                    statement.addBatch();
                    statement.addBatch();
                    statement.executeBatch();
                }
            },
            (connection, text) -> {
                try (PreparedStatement statement = connection.prepareCall(text)) {
                    statement.execute();
                }
            },
            (connection, text) -> statement(connection, statement -> statement.execute(connection.nativeSQL(text))));

    private interface Use {
        void with(Statement statement) throws SQLException;
    }

    private static void statement(Connection connection, Use use) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            use.with(statement);
        }
    }

    private static final List<String> BEGINNINGS = List.of(
            "", "SELECT name FROM part WHERE id = 1", "INSERT INTO part (name) VALUES ('injected')", "SET NOCOUNT ON");

    private static final List<String> JOINTS = List.of(
            "; %s",
            " %s",
            "\n%s",
            "\r%s",
            ";\r\n%s;",
            "\nGO\n%s\nGO",
            "\r\nGO\r\n%s",
            ";\u00a0\ufeff%s",
            ";\u000b\f%s",
            ";\u2003%s",
            "\u2028%s",
            ";/* /* ' */ */%s",
            ";--'\n%s",
            "--\r\n%s",
            " //\r%s",
            "; %s -- ' GO",
            "; BEGIN %s END",
            "; BEGIN; BEGIN %s; END; END",
            "; IF OBJECT_ID('part') IS NOT NULL %s",
            "; IF OBJECT_ID('part') IS NOT NULL BEGIN %s END",
            "; IF NOT EXISTS (SELECT 1 FROM sys.tables WHERE name = 'x') %s",
            "; SELECT 1; %s",
            "; SET IDENTITY_INSERT part ON; %s",
            "; DECLARE @x INT; %s; SELECT @@ROWCOUNT",
            "; ALTER TABLE part NOCHECK CONSTRAINT ALL; %s",
            "; CREATE TABLE IF NOT EXISTS shelves (id INT PRIMARY KEY); %s");

    private static List<String> texts(List<String> beginnings, String... injected) {
        List<String> texts = new ArrayList<>();
        for (String begin : beginnings) {
            for (String joint : JOINTS) {
                for (String each : injected) {
                    texts.add(begin + joint.replace("%s", each));
                }
            }
        }
        return texts;
    }

    /** Runs each text in one of the ways, in turn, and returns the texts that were served. */
    private static List<String> attack(Connection connection, List<String> texts) throws SQLException {
        List<String> served = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            try {
                WAYS.get(i % WAYS.size()).run(connection, text);
                served.add(text);
            } catch (SQLException expected) {
                assertThat(expected.getSQLState()).as(text).isNotNull();
            }
        }
        return served;
    }

    private static final String[] OF_SEQUENCES = {
        "ALTER SEQUENCE part RESTART WITH 70000",
        "aLTeR/**/sequence [dbo].[part] RESTART--\n WITH 70000",
        "ALTER SEQUENCE \"part\" RESTART WITH 2147483647",
        "ALTER\u00a0SEQUENCE sequence_ddl_it.part RESTART WITH +70000",
        "DBCC CHECKIDENT (part, RESEED, 70000)",
        "dbcc\tcheckident(N'dbo.part',reseed,70000)with no_infomsgs",
        "DBCC CHECKIDENT (\"part\", RESEED, 70000)",
        "ALTER SEQUENCE part RESTART",
        "DROP SEQUENCE part",
        "DROP SEQUENCE IF EXISTS ticket, part",
        "CREATE SEQUENCE other START WITH 5",
        "CREATE TABLE other (id INT IDENTITY(70000, 1) PRIMARY KEY)",
        "CREATE TABLE part (id INT IDENTITY(70000, 1) PRIMARY KEY)",
        "EXEC('ALTER SEQUENCE part RESTART WITH 70000')",
        "EXECUTE sp_executesql N'ALTER SEQUENCE part RESTART WITH 70000'",
        "SELECT 'x'; ALTER SEQUENCE ticket RESTART WITH 70000",
    };

    @Test
    void shouldRefuseEveryFormOfAStatementThatChangesASequence() throws Exception {
        run("", "CREATE SEQUENCE ticket START WITH 1");
        for (String options : List.of(
                "&sequenceDdl=refused", "&sequenceDdl=refused&multipleStatements=false&identityInsert=strict")) {
            try (Connection connection = DriverManager.getConnection(cluster.url() + options)) {
                Sequences sequences = connection.unwrap(IdentitySession.class).sequences();
                List<String> before = own(sequences);

                assertThat(attack(connection, texts(BEGINNINGS, OF_SEQUENCES))).isEmpty();

                assertThat(own(sequences)).isEqualTo(before);
                assertThat(rows(connection, "injected"))
                        .as("nothing of a text has run")
                        .isZero();
            }
        }
    }

    private static final String[] OF_TABLES = {
        "DELETE FROM part WHERE id = -7",
        "DELETE part WHERE id = -7",
        "UPDATE part SET name = 'injected' WHERE id = -7",
        "INSERT INTO part (name) VALUES ('injected')",
        "INSERT INTO part (id, name) VALUES (-8, 'injected') IF NOT EXISTS",
        "BEGIN BATCH DELETE FROM part WHERE id = -7; APPLY BATCH",
        "ALTER TABLE part DROP CONSTRAINT df_part",
        "ALTER TABLE part ADD CONSTRAINT df_part DEFAULT 'injected' FOR name",
        "ALTER TABLE part ADD extra INT",
        "CREATE INDEX by_name ON part (name)",
        "DROP TABLE part",
        "TRUNCATE TABLE part",
        "SELECT NEXT VALUE FOR spare",
    };

    @Test
    void shouldRefuseEveryFormOfASecondStatement() throws Exception {
        run("", "CREATE SEQUENCE spare START WITH 1", "INSERT INTO part (id, name) VALUES (-7, 'kept')");
        for (String options : List.of(
                "&multipleStatements=false", "&multipleStatements=false&sequenceDdl=refused&identityInsert=strict")) {
            try (Connection connection = DriverManager.getConnection(cluster.url() + options)) {
                Sequences sequences = connection.unwrap(IdentitySession.class).sequences();
                List<String> before = own(sequences);
                List<String> begun = List.of(BEGINNINGS.get(1), BEGINNINGS.get(2));

                assertThat(attack(connection, texts(begun, OF_TABLES))).isEmpty();
                assertThat(attack(connection, texts(begun, OF_SEQUENCES))).isEmpty();
                // These are comments, for SQL Server.
                for (String text : OF_TABLES) {
                    attack(
                            connection,
                            List.of(BEGINNINGS.get(1) + " --\r" + text, BEGINNINGS.get(1) + " /* " + text + " */"));
                }

                assertThat(own(sequences)).isEqualTo(before);
                assertThat(rows(connection, "injected")).isZero();
                assertThat(rows(connection, "kept")).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldRefuseToWriteCassidysTablesAndIdsThatNoSequenceHasIssued() throws Exception {
        for (String options : List.of("&sequenceDdl=refused", "&multipleStatements=false&identityInsert=strict")) {
            try (Connection connection = DriverManager.getConnection(cluster.url() + options)) {
                Sequences sequences = connection.unwrap(IdentitySession.class).sequences();
                List<String> before = own(sequences);
                String where = " WHERE seq = 'sequence_ddl_it.part'";
                List<String> texts = new ArrayList<>();
                for (String text : List.of(
                        "UPDATE cassidy.seq SET next = 2147483647" + where,
                        "UPDATE [cassidy].[seq] SET [next] = 2147483647" + where,
                        "UPDATE cassidy..seq SET next = 2147483647" + where,
                        "UPDATE s SET next = 2147483647 FROM cassidy.dbo.seq s" + where,
                        "UPDATE \"cassidy\".\"seq\" SET next = 2147483647" + where,
                        "DELETE FROM cassidy.seq" + where,
                        "DELETE cassidy.seq" + where,
                        "BEGIN BATCH DELETE FROM part WHERE id = -1; DELETE FROM cassidy.seq" + where + "; APPLY BATCH",
                        "BEGIN UNLOGGED BATCH /* */ UPDATE Cassidy.Seq SET next = 2147483647" + where + " APPLY BATCH",
                        "INSERT INTO cassidy.contracts (keyspace_name, table_name) VALUES ('a', 'b')",
                        "INSERT INTO cassidy.seq JSON '{\"seq\": \"sequence_ddl_it.part\", \"next\": 2147483647}'",
                        "TRUNCATE cassidy.seq",
                        "TRUNCATE TABLE cassidy_dc1.reserve",
                        "ALTER TABLE cassidy.seq WITH default_time_to_live = 1",
                        "DROP TABLE cassidy.seq",
                        "DROP TABLE IF EXISTS cassidy_dc1.reserve",
                        "DROP KEYSPACE cassidy",
                        "ALTER KEYSPACE cassidy WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 0}",
                        "CREATE INDEX ON cassidy.seq (next)",
                        "INSERT INTO part (id, name) VALUES (2147483647, 'injected')",
                        "INSERT INTO part (id, name) VALUES (1, 'injected'), (2147483647, 'injected')",
                        "INSERT INTO part JSON '{\"id\": 2147483647, \"name\": \"injected\"}'",
                        "BEGIN BATCH INSERT INTO part (id, name) VALUES (2147483647, 'injected'); APPLY BATCH")) {
                    texts.addAll(List.of(text, "SET IDENTITY_INSERT part ON; " + text, "SELECT 1; " + text));
                }

                assertThat(attack(connection, texts)).isEmpty();

                assertThat(own(sequences)).isEqualTo(before);
                assertThat(rows(connection, "injected")).isZero();
            }
        }
        assertThat(insertedId()).isPositive();
    }

    @Test
    void shouldRestartASequenceOnceInATextUnderWhateverName() throws Exception {
        cluster.cql("CREATE TABLE $.left (id int PRIMARY KEY)", "CREATE TABLE $.right (id int PRIMARY KEY)");
        try (Connection connection = cluster.connect()) {
            Sequences sequences = connection.unwrap(IdentitySession.class).sequences();
            // By the session that runs the text, so that it knows of them at once.
            sequences.create(SequenceSpec.of("sequence_ddl_it.left", IdentityType.INT, 1, 1));
            sequences.registerIdentity(new IdentityColumn(cluster.keyspace(), "left", "id", "sequence_ddl_it.left"));
            sequences.registerIdentity(new IdentityColumn(cluster.keyspace(), "right", "id", "sequence_ddl_it.left"));

            assertThatThrownBy(
                            () -> run(
                                    "",
                                    "DBCC CHECKIDENT ('right', RESEED, 100000000); DBCC CHECKIDENT ('left', RESEED, 200000000)"))
                    .hasMessageContaining("restarts sequence sequence_ddl_it.left more than once");
            assertThat(sequences
                            .admin()
                            .find("sequence_ddl_it.left")
                            .orElseThrow()
                            .next()
                            .getAsLong())
                    .isLessThan(200_000_000);
        }
    }

    private static int rows(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT id FROM part WHERE name = '" + name + "' ALLOW FILTERING")) {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            return count;
        }
    }

    /** Returns the sequences of this class, without what draws of ids change. */
    private static List<String> own(Sequences sequences) {
        return sequences.admin().list().stream()
                .filter(state -> state.spec().name().startsWith("sequence_ddl_it."))
                .map(state -> state.spec() + " " + state.incarnation() + " " + state.dropped() + " " + state.floor())
                .toList();
    }

    @Test
    void shouldRefuseValuesOutsideTheRule() {
        assertThatThrownBy(() -> run("&sequenceDdl=off", "SELECT 1")).hasMessageContaining("allowed, refused");
    }
}
