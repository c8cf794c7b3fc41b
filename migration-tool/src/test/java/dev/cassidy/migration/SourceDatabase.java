package dev.cassidy.migration;

import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.source.Sources;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A source database that tests may fill: H2 in SQL Server mode, or a genuine SQL Server given by {@code -Dmssql.url}
 * (its password in the environment variable SOURCE_PASSWORD). The tables of {@link MusicShop} and of the tests are
 * dropped.
 */
abstract class SourceDatabase implements AutoCloseable {

    private final Connection connection;

    private SourceDatabase(Connection connection) {
        this.connection = connection;
    }

    static SourceDatabase h2(String name) {
        return new H2("jdbc:h2:mem:" + name + ";MODE=MSSQLServer;CASE_INSENSITIVE_IDENTIFIERS=TRUE");
    }

    /**
     * Returns an H2 whose IDENT_SEED, IDENT_INCR and IDENT_CURRENT answer nothing, so that the catalogue view alone counts. For
     * tests with many commands: each call of the functions reads H2's whole catalogue, which took a third of their time.
     */
    static SourceDatabase h2WithoutFunctions(String name) {
        SourceDatabase database = h2(name);
        for (String function : List.of("IDENT_SEED", "IDENT_INCR", "IDENT_CURRENT")) {
            database.execute("DROP ALIAS " + function);
            database.execute("CREATE ALIAS " + function + " FOR '" + NoAnswer.class.getName() + ".of'");
        }
        return database;
    }

    /** A function that knows no table. */
    public static final class NoAnswer {

        private NoAnswer() {}

        public static BigDecimal of(String table) {
            return null;
        }
    }

    static SourceDatabase sqlServer() {
        return new SqlServer(
                System.getProperty("mssql.url"),
                System.getProperty("mssql.user", "sa"),
                System.getenv("SOURCE_PASSWORD"));
    }

    abstract String url();

    /** Returns the arguments that name this source. */
    abstract List<String> arguments();

    abstract Map<String, String> environment();

    /** Inserts a row with an explicit id; the only other column is {@code x}. */
    abstract void insertWithId(String table, long id);

    /** Sets the value that the table remembers as its last id. */
    abstract void reseed(String table, long lastValue, long increment);

    /** Translates a batch of T-SQL for this engine. */
    abstract String portable(String batch);

    /** Creates {@code table} with an identity column {@code id} and a column {@code x}, without rows. */
    void createTable(String table, String type, long seed, long increment) {
        execute("CREATE TABLE " + table + " ([id] " + type + " NOT NULL IDENTITY(" + seed + "," + increment
                + ") PRIMARY KEY, [x] INT)");
    }

    void insert(String table, int rows) {
        for (int i = 0; i < rows; i++) {
            execute("INSERT INTO " + table + " ([x]) VALUES (" + i + ")");
        }
    }

    void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    Source open() {
        return Sources.open(
                new SourceUrl(url()),
                user(),
                Optional.ofNullable(environment().get("SOURCE_PASSWORD")),
                null,
                new java.util.Properties(),
                java.time.Duration.ofMinutes(1));
    }

    abstract String user();

    void loadMusicShop() {
        MusicShop.batches().forEach(batch -> execute(portable(batch)));
    }

    void dropTables(List<String> tables) {
        tables.forEach(table -> execute("DROP TABLE IF EXISTS " + table));
    }

    void dropMusicShop() {
        dropTables(
                MusicShop.TABLES.stream().map(table -> "[dbo].[" + table + "]").toList());
    }

    private static Connection connect(String url, String user, String password) {
        try {
            return DriverManager.getConnection(url, user, password);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot connect to the test source", e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class H2 extends SourceDatabase {

        private final String url;

        H2(String url) {
            super(connect(url, "sa", ""));
            this.url = url;
            execute("RUNSCRIPT FROM 'classpath:dev/cassidy/migration/h2-sqlserver-catalog.sql'");
        }

        @Override
        String url() {
            return url;
        }

        @Override
        List<String> arguments() {
            return List.of("--source-url", url, "--source-user", "sa");
        }

        @Override
        Map<String, String> environment() {
            return Map.of("SOURCE_PASSWORD", "");
        }

        @Override
        String user() {
            return "sa";
        }

        @Override
        void insertWithId(String table, long id) {
            execute("INSERT INTO " + table + " ([id], [x]) VALUES (" + id + ", 0)");
        }

        @Override
        void reseed(String table, long lastValue, long increment) {
            long next = lastValue + increment;
            if (next < 1 && increment > 0) {
                // H2 limits a sequence by its seed, SQL Server only by its type.
                execute("ALTER TABLE " + table + " ALTER COLUMN [id] SET MINVALUE " + next);
            }
            execute("ALTER TABLE " + table + " ALTER COLUMN [id] RESTART WITH " + next);
        }

        @Override
        String portable(String batch) {
            return batch.replaceAll("PRIMARY KEY (NON)?CLUSTERED", "PRIMARY KEY")
                    .replaceAll(
                            "DBCC CHECKIDENT \\('(.*)', RESEED, (-?[0-9]+)\\)",
                            "ALTER TABLE $1 ALTER COLUMN [id] RESTART WITH $2")
                    .replace("ROLLBACK TRANSACTION", "ROLLBACK");
        }
    }

    private static final class SqlServer extends SourceDatabase {

        private final String url;
        private final String user;
        private final String password;

        SqlServer(String url, String user, String password) {
            super(connect(url, user, password));
            this.url = url;
            this.user = user;
            this.password = password;
        }

        @Override
        String url() {
            return url;
        }

        @Override
        List<String> arguments() {
            return List.of("--source-url", url, "--source-user", user);
        }

        @Override
        Map<String, String> environment() {
            return Map.of("SOURCE_PASSWORD", password);
        }

        @Override
        String user() {
            return user;
        }

        @Override
        void insertWithId(String table, long id) {
            execute("SET IDENTITY_INSERT " + table + " ON; INSERT INTO " + table + " ([id], [x]) VALUES (" + id
                    + ", 0); SET IDENTITY_INSERT " + table + " OFF");
        }

        @Override
        void reseed(String table, long lastValue, long increment) {
            execute("DBCC CHECKIDENT ('" + table + "', RESEED, " + lastValue + ")");
        }

        @Override
        String portable(String batch) {
            return batch;
        }
    }
}
