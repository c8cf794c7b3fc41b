package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** CREATE TABLE in SQL Server's syntax. */
class TableDefinitionIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("table_definition_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    private int run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private long insert(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS);
            ResultSet keys = statement.getGeneratedKeys();
            keys.next();
            return keys.getLong(1);
        }
    }

    private Object value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getObject(1) : null;
        }
    }

    private Sequences sequences() throws SQLException {
        return connection.unwrap(IdentitySession.class).sequences();
    }

    @Test
    void shouldCreateTheTableAndItsIdentity() throws SQLException {
        try (Statement create = connection.createStatement()) {
            assertThat(create.executeUpdate(
                            "CREATE TABLE dbo.product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50)"
                                    + " NOT NULL, price MONEY, weight FLOAT, stocked BIT, rating TINYINT, added DATETIME2(7), code"
                                    + " UNIQUEIDENTIFIER, CONSTRAINT positive CHECK (price > 0))"))
                    .isZero();
            assertThat((Object) create.getWarnings()).isNull();
        }
        assertThat(insert("INSERT INTO product (name) VALUES ('first')")).isEqualTo(1);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO product (name, price, weight, stocked, rating, added, code) VALUES (?, ?, ?, ?, ?, ?, NEWID())",
                1)) {
            insert.setString(1, "Kettle");
            insert.setBigDecimal(2, new BigDecimal("34.90"));
            insert.setDouble(3, 0.1);
            insert.setBoolean(4, true);
            insert.setInt(5, 255);
            insert.setTimestamp(6, Timestamp.from(Instant.parse("2026-01-02T03:04:05.006Z")));
            insert.executeUpdate();
            ResultSet keys = insert.getGeneratedKeys();
            keys.next();
            assertThat(keys.getInt(1)).isEqualTo(2);
        }
        assertThat(value("SELECT weight FROM product WHERE id = 2")).isEqualTo(0.1);
        assertThatThrownBy(() -> run("INSERT INTO product (id, name) VALUES (3, 'x')"))
                .hasFieldOrPropertyWithValue("SQLState", "23000");
        run("ALTER TABLE product ADD note nvarchar(10) NULL, [size] float");
        run("UPDATE product SET note = N'new', size = 1.5 WHERE id = 2");
        assertThat(value("SELECT size FROM product WHERE id = 2")).isEqualTo(1.5);
        run("ALTER TABLE product DROP COLUMN note");
    }

    @Test
    void shouldContinueTheIdsOfADroppedOrTruncatedTable() throws SQLException {
        String create = "CREATE TABLE reused (id BIGINT IDENTITY(10, 10) PRIMARY KEY, v NVARCHAR(5))";
        run(create);
        assertThat(insert("INSERT INTO reused (v) VALUES ('a')")).isEqualTo(10);
        run("TRUNCATE TABLE reused");
        assertThat(insert("INSERT INTO reused (v) VALUES ('b')")).isEqualTo(20);
        assertThatThrownBy(() -> run(create))
                .hasFieldOrPropertyWithValue("SQLState", "42S01")
                .hasFieldOrPropertyWithValue("errorCode", 2714);
        run("DROP TABLE IF EXISTS reused");
        run("DROP TABLE IF EXISTS reused");
        assertThatThrownBy(() -> run("CREATE TABLE reused (id BIGINT IDENTITY(1, 1) PRIMARY KEY, v NVARCHAR(5))"))
                .hasMessageContaining("IDENTITY(1,1) of BIGINT column id of table table_definition_it.reused")
                .hasMessageContaining("table_definition_it.reused, which exists")
                .hasMessageContaining("IDENTITY(10,10) of BIGINT")
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThatThrownBy(() -> value("SELECT * FROM reused")).hasFieldOrPropertyWithValue("SQLState", "42S02");
        run("IF OBJECT_ID('dbo.reused', 'U') IS NULL " + create);
        run("IF OBJECT_ID('dbo.reused', 'U') IS NULL " + create);
        assertThat(insert("INSERT INTO reused (v) VALUES ('c')")).isEqualTo(30);
    }

    @Test
    void shouldCompleteADefinitionAfterACrash() throws SQLException {
        // The states after a crash between the steps: a sequence without its registration, then both without the table.
        sequences().create(SequenceSpec.of("table_definition_it.half", IdentityType.INT, 1, 1));
        run("CREATE TABLE half (id INT IDENTITY PRIMARY KEY, v NVARCHAR(5))");
        assertThat(insert("INSERT INTO half (v) VALUES ('a')")).isEqualTo(1);

        sequences().create(SequenceSpec.of("table_definition_it.most", IdentityType.INT, 1, 1));
        InternalAccess.tables(sequences())
                .registerIdentityAhead(
                        new IdentityColumn("table_definition_it", "most", "id", "table_definition_it.most"));
        run("CREATE TABLE most (id INT IDENTITY PRIMARY KEY, v NVARCHAR(5))");
        assertThat(insert("INSERT INTO most (v) VALUES ('a')")).isEqualTo(1);
    }

    @Test
    void shouldRegisterNothingForAnExistingTable() throws SQLException {
        cluster.cql(
                "CREATE TABLE $.taken (id int PRIMARY KEY, v text)",
                "INSERT INTO $.taken (id, v) VALUES (1, 'precious')");

        assertThatThrownBy(() -> run("CREATE TABLE taken (id INT IDENTITY(1,1) PRIMARY KEY, v NVARCHAR(5))"))
                .hasFieldOrPropertyWithValue("errorCode", 2714);
        run("CREATE TABLE IF NOT EXISTS taken (id INT IDENTITY(1,1) PRIMARY KEY, v NVARCHAR(5))");
        assertThatThrownBy(() -> run("INSERT INTO taken (v) VALUES ('x')")).hasMessageContaining("register");
        assertThat(sequences().admin().find("table_definition_it.taken")).isEmpty();
    }

    @Test
    void shouldKeepTheKeyspacesOwnTypes() throws SQLException {
        run("CREATE TYPE money (amount decimal, currency text)");
        run("CREATE TABLE priced (id INT IDENTITY PRIMARY KEY, price money, note NVARCHAR(5))");
        run("ALTER TABLE priced ADD old money");
        run("INSERT INTO priced (price) VALUES ({amount: 1.5, currency: 'CHF'})");
        assertThat(value("SELECT price.currency FROM priced")).isEqualTo("CHF");

        // Other tables here have a column of T-SQL's type with this name.
        run("DROP TABLE priced");
        run("DROP TYPE money");
    }

    @Test
    void shouldKeepTheFieldOfAColumnNamedLikeItsTable() throws SQLException {
        try (PreparedStatement early = connection.prepareStatement("UPDATE place SET place.town = ? WHERE id = 1")) {
            run("CREATE TYPE address (town text, zip int)");
            run("CREATE TABLE place (id int PRIMARY KEY, place address, name text)");
            early.clearParameters();
        }
        run("INSERT INTO place (id) VALUES (1)");
        run("UPDATE place SET place.town = 'Bern', place.name = 'x' WHERE place.id = 1");
        assertThat(value("SELECT place.town FROM place")).isEqualTo("Bern");
        assertThat(value("SELECT place.name FROM place")).isEqualTo("x");
        try (PreparedStatement update = connection.prepareStatement("UPDATE place SET place.town = ? WHERE id = 1")) {
            update.setString(1, "Basel");
            update.executeUpdate();
        }
        assertThat(value("SELECT place.town FROM place")).isEqualTo("Basel");
    }

    @Test
    void shouldRegisterNothingIfTheServersParserRefusesTheTable() throws SQLException {
        for (String refused : new String[] {
            "CREATE TABLE refused (id INT IDENTITY PRIMARY KEY, token text text)",
            "CREATE TABLE refused (id INT IDENTITY PRIMARY KEY) WITH nothing"
        }) {
            assertThatThrownBy(() -> run(refused)).hasFieldOrPropertyWithValue("SQLState", "42000");
        }
        assertThat(sequences().admin().find("table_definition_it.refused")).isEmpty();
        assertThat(connection
                        .unwrap(IdentitySession.class)
                        .catalog()
                        .find("table_definition_it", "refused")
                        .toCompletableFuture()
                        .join())
                .isEmpty();
        run("CREATE TABLE refused (id BIGINT IDENTITY(50, 5) PRIMARY KEY)");
        assertThat(insert("INSERT INTO refused DEFAULT VALUES")).isEqualTo(50);
    }

    @Test
    void shouldReportWhatRemainsOfATableThatIsRefusedLater() throws SQLException {
        try (Statement create = connection.createStatement()) {
            assertThatThrownBy(() -> create.execute(
                            "CREATE TABLE late (id INT IDENTITY PRIMARY KEY) WITH default_time_to_live = -1"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
            assertThatThrownBy(() -> create.execute("CREATE TABLE late (id INT IDENTITY PRIMARY KEY, v unknown_type)"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
            assertThat(create.getWarnings().getMessage())
                    .isEqualTo(
                            "The identity of table_definition_it.late, column id, is registered all the same; run the"
                                    + " corrected statement, and it continues from there");
        }
        run("CREATE TABLE late (id INT IDENTITY PRIMARY KEY, v NVARCHAR(5))");
        assertThat(insert("INSERT INTO late (v) VALUES ('a')")).isEqualTo(1);
    }

    @Test
    void shouldNotMakeASequenceReadyThatAwaitsItsSeed() throws SQLException {
        sequences().admin().register(SequenceSpec.of("table_definition_it.migrating", IdentityType.INT, 1, 1));
        run("CREATE TABLE migrating (id INT IDENTITY(1,1) PRIMARY KEY, v NVARCHAR(5))");
        assertThatThrownBy(() -> run("INSERT INTO migrating (v) VALUES ('x')"))
                .hasFieldOrPropertyWithValue("SQLState", "55000");
        sequences().admin().seed("table_definition_it.migrating", 348);
        assertThat(insert("INSERT INTO migrating (v) VALUES ('x')")).isEqualTo(348);
    }

    @Test
    void shouldServeAKeyOfSeveralColumnsAndAnIdentityBesideTheKey() throws SQLException {
        run("CREATE TABLE [line] ([order] int NOT NULL, no int NOT NULL, id int IDENTITY(1,1), v nvarchar(5),"
                + " CONSTRAINT pk_line PRIMARY KEY CLUSTERED ([order] ASC, no ASC))");
        assertThat(insert("INSERT INTO line ([order], no, v) VALUES (7, 1, 'x'), (7, 2, 'y')"))
                .isEqualTo(1);
        assertThat(value("SELECT id FROM line WHERE [order] = 7 AND no = 2")).isEqualTo(2);
    }

    @Test
    void shouldRefuseConstraintsThatChangeTheDataUnlessTheyMayBeLeftOut() throws SQLException {
        String create = "CREATE TABLE customer (id INT IDENTITY PRIMARY KEY, email NVARCHAR(50) UNIQUE, parent INT"
                + " REFERENCES customer (id) ON DELETE CASCADE)";
        assertThatThrownBy(() -> run("CREATE TABLE before_customer (id INT IDENTITY PRIMARY KEY); " + create))
                .hasMessageContaining("ON DELETE CASCADE is not supported")
                .hasMessageContaining("constraints=warn")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        // Nothing of the script ran.
        assertThatThrownBy(() -> value("SELECT id FROM before_customer"))
                .hasFieldOrPropertyWithValue("SQLState", "42S02");
        assertThatThrownBy(() -> connection.prepareStatement(create)).hasFieldOrPropertyWithValue("SQLState", "HYC00");
        try (Connection warning = cluster.open("constraints=warn");
                Statement statement = warning.createStatement()) {
            statement.execute(create);
            assertThat(statement.getWarnings().getMessage())
                    .contains("left out: REFERENCES customer (id) ON DELETE CASCADE of parent");
            statement.executeUpdate("INSERT INTO customer (email) VALUES ('a')", Statement.RETURN_GENERATED_KEYS);
            ResultSet keys = statement.getGeneratedKeys();
            assertThat(keys.next()).isTrue();
            assertThat(keys.getInt(1)).isEqualTo(1);
        }
    }

    @Test
    void shouldCreateATableWithTheKeyOfALaterStatement() throws SQLException {
        run("CREATE TABLE dbo.keyed_later (id int NOT NULL, v nvarchar(5))\n"
                + "ALTER TABLE dbo.keyed_later ADD CONSTRAINT pk_keyed_later PRIMARY KEY CLUSTERED (id ASC)\n"
                + "INSERT INTO keyed_later (id, v) VALUES (7, N'x')");
        assertThat(value("SELECT v FROM keyed_later WHERE id = 7")).isEqualTo("x");
    }

    @Test
    void shouldRunWhatIsBehindAnIfOnlyIfItsConditionHolds() throws SQLException {
        String seeded =
                "IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[seeded]') AND type"
                        + " IN (N'U')) BEGIN CREATE TABLE [dbo].[seeded] (id int NOT NULL PRIMARY KEY, v nvarchar(5));"
                        + " INSERT INTO seeded (id, v) VALUES (1, 'first') END";
        run(seeded);
        assertThat(value("SELECT v FROM seeded WHERE id = 1")).isEqualTo("first");
        run("UPDATE seeded SET v = 'later' WHERE id = 1");
        run(seeded);
        assertThat(value("SELECT v FROM seeded WHERE id = 1")).isEqualTo("later");

        String column = "IF COL_LENGTH('dbo.seeded', 'note') IS NULL ALTER TABLE seeded ADD note nvarchar(9)";
        run(column);
        run(column);
        run("UPDATE seeded SET note = 'n' WHERE id = 1");
        run("IF EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'SEEDED' AND COLUMN_NAME = 'NOTE')"
                + " ALTER TABLE seeded DROP COLUMN note");
        run("IF EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'seeded' AND COLUMN_NAME = 'note')"
                + " ALTER TABLE seeded DROP COLUMN note");
        assertThatThrownBy(() -> value("SELECT note FROM seeded")).hasFieldOrPropertyWithValue("SQLState", "42S22");

        String index = "IF NOT EXISTS (SELECT * FROM sys.indexes WHERE name = 'seeded_v' AND object_id ="
                + " OBJECT_ID('seeded')) CREATE CUSTOM INDEX seeded_v ON seeded (v) USING 'sai'";
        run(index);
        run(index);
        String sequence = "IF NOT EXISTS (SELECT * FROM sys.sequences WHERE name = 'numbers') CREATE SEQUENCE numbers"
                + " START WITH 5";
        run(sequence);
        run(sequence);
        assertThat(value("SELECT NEXT VALUE FOR numbers")).isEqualTo(5L);
        // Cassandra keeps no foreign keys, so there is none to drop.
        run("IF EXISTS (SELECT * FROM sys.foreign_keys WHERE name = 'f') DROP TABLE seeded");
        run("IF OBJECT_ID('seeded') IS NOT NULL BEGIN DROP TABLE seeded; CREATE TABLE seeded (id int PRIMARY KEY) END");
        assertThat(value("SELECT id FROM seeded")).isNull();
    }
}
