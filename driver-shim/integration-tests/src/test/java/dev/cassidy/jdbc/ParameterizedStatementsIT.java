package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.sequence.IdentityType;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What is prepared holds no values, and a literal is the value that it was before. {@code -Dstatements=N} executes N texts;
 * the default is for every build.
 */
class ParameterizedStatementsIT {

    private static final int TEXTS = Integer.getInteger("statements", 400);

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("marked_texts_it");
        cluster.cql(
                "CREATE TABLE $.marked_many (id int PRIMARY KEY, name text, n int)",
                "CREATE TABLE $.marked_numbered (id int PRIMARY KEY, name text)",
                "CREATE TABLE $.explicit_ids (id int PRIMARY KEY, name text)",
                "CREATE TABLE $.marked_functions (id timeuuid PRIMARY KEY, name text, at timestamp)",
                "CREATE TYPE $.person (name text, born date)",
                "CREATE TABLE $.every (id int PRIMARY KEY, i int, b bigint, s smallint, ti tinyint, v varint, d decimal, f double,"
                        + " r float, bit boolean, t text, a ascii, raw blob, u uuid, at timestamp, born date, clock time, ip inet,"
                        + " du duration, l list<int>, se set<text>, m map<text, int>, tu tuple<int, text>, p person,"
                        + " fl frozen<list<timestamp>>)",
                "CREATE TABLE $.clicks (id int PRIMARY KEY, n counter)");
        cluster.identity("marked_numbered", "id", IdentityType.INT, 1);
        cluster.identity("explicit_ids", "id", IdentityType.INT, 1);
    }

    private int run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private List<String> values(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    /** The texts that the node has prepared for a table. */
    private Set<String> prepared(String table) throws SQLException {
        Set<String> texts = new TreeSet<>();
        for (Row row :
                connection.unwrap(CqlSession.class).execute("SELECT query_string FROM system.prepared_statements")) {
            String text = row.getString("query_string");
            // An insert that is filled in names the keyspace.
            if (text != null && text.matches("(?s).*[ .]" + table + " .*")) {
                texts.add(text);
            }
        }
        return texts;
    }

    @Test
    void shouldPrepareOneTextForAllThatDifferInLiterals() throws SQLException {
        Random random = new Random(7);
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < TEXTS; i++) {
                switch (i % 8) {
                    case 0 ->
                        statement.executeUpdate(
                                "INSERT INTO marked_many (id, name) VALUES (" + i + ", 'secret" + i + "')");
                    case 1 ->
                        statement.executeUpdate(
                                "UPDATE marked_many SET n = " + -i + ", name = N'secret" + i + "' WHERE id = " + i);
                    case 2 -> values("SELECT name FROM marked_many WHERE id = " + i);
                    case 3 -> statement.executeUpdate("DELETE FROM marked_many WHERE id = " + i);
                    case 4 ->
                        values("SELECT TOP " + (i + 1) + " id FROM marked_many WHERE id IN (" + i
                                + ", 1".repeat(random.nextInt(9)) + ")");
                    case 5 -> {
                        try (PreparedStatement select = connection.prepareStatement(
                                "SELECT 'secret" + i + "' AS s FROM marked_many WHERE id = ?")) {
                            select.setInt(1, i);
                            select.executeQuery();
                        }
                    }
                    case 6 -> {
                        try (PreparedStatement update = connection.prepareStatement(
                                "UPDATE marked_many SET name = 'secret" + i + "' WHERE id = ?")) {
                            update.setInt(1, i);
                            update.addBatch();
                            update.executeBatch();
                        }
                    }
                    default -> statement.addBatch("INSERT INTO marked_many (id, n) VALUES (" + i + ", " + i + ")");
                }
            }
            statement.executeBatch();
        }

        assertThat(prepared("marked_many"))
                .containsExactlyInAnyOrder(
                        "INSERT INTO marked_many (id, name) VALUES (?, ?)",
                        "UPDATE marked_many SET n = ?, name = ? WHERE id = ?",
                        "SELECT name FROM marked_many WHERE id = ?",
                        "DELETE FROM marked_many WHERE id = ?",
                        "SELECT id FROM marked_many WHERE id IN ? LIMIT ?",
                        "SELECT (text)? AS s FROM marked_many WHERE id = ?",
                        "UPDATE marked_many SET name = ? WHERE id = ?",
                        "INSERT INTO marked_many (id, n) VALUES (?, ?)");
    }

    @Test
    void shouldPrepareOneTextWithIdentitiesAndInTransactions() throws SQLException {
        for (int i = 0; i < 20; i++) {
            try (Statement insert = connection.createStatement()) {
                insert.executeUpdate(
                        "INSERT INTO marked_numbered (name) VALUES ('secret" + i + "')",
                        Statement.RETURN_GENERATED_KEYS);
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    assertThat(keys.next()).isTrue();
                    assertThat(values("SELECT name FROM marked_numbered WHERE id = " + keys.getInt(1)))
                            .containsExactly("secret" + i);
                }
                try (ResultSet rows = insert.executeQuery(
                        "INSERT INTO marked_numbered (name) OUTPUT INSERTED.id, INSERTED.name VALUES ('a" + i
                                + "'), ('b')")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(2)).isEqualTo("a" + i);
                }
            }
            connection.setAutoCommit(false);
            run("INSERT INTO marked_numbered (name) VALUES ('secret" + i + "')");
            run("UPDATE marked_numbered SET name = 'x" + i + "' WHERE id = 1");
            run("UPDATE marked_numbered SET name = 'y" + i + "' WHERE id = 1");
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(values("SELECT name FROM marked_numbered WHERE id = 1")).containsExactly("y" + i);
        }

        assertThat(prepared("marked_numbered")).hasSize(4).allSatisfy(text -> assertThat(text)
                .doesNotContain("'"));
    }

    @Test
    void shouldLeaveAnArgumentWhoseTypeTheServerCannotTell() throws SQLException {
        for (int i = 0; i < 3; i++) {
            run("INSERT INTO marked_functions (id, name, at) VALUES (now(), blobAsText(0x6" + i + "), '2024-01-31')");
            run("UPDATE marked_functions SET at = toTimestamp(50554550-7bc4-11d8-8cb4-1a62c1b52ff0) WHERE id = now()");
            assertThat(values("SELECT COUNT(1) FROM marked_many WHERE id = " + i))
                    .hasSize(1);
        }
        assertThatThrownBy(() -> values(
                        "SELECT name FROM marked_functions WHERE id > minTimeuuid('2024-02-30') ALLOW FILTERING"))
                .isInstanceOf(SQLException.class);
        assertThat(
                        values(
                                "SELECT name FROM marked_functions WHERE token(id) > token(50554550-7bc4-11d8-8cb4-1a62c1b52ff0)"))
                .isNotNull();
    }

    @Test
    void shouldKeepWhatSqlMeansByTheLiteral() throws SQLException {
        for (int i = 1; i < 4; i++) {
            run("UPDATE clicks SET n = n + 5 WHERE id = 1");
            run("UPDATE clicks SET n = n - 1 WHERE id = 1");
            assertThat(values("SELECT n FROM clicks WHERE id = 1")).containsExactly(String.valueOf(4 * i));
            run("INSERT INTO every (id, l, se, m) VALUES (900, [1], {'a'}, {'k': 1})");
            run("UPDATE every SET l = l + [2], se = se + {'b'}, m = m + {'j': 2} WHERE id = 900");
            run("UPDATE every SET l = [0] + l, m['k'] = 5, se = se - {'a'} WHERE id = 900");
            run("UPDATE every SET l[0] = 7 WHERE id = 900");
            assertThat(values("SELECT l FROM every WHERE id = 900")).containsExactly("[7,1,2]");
            assertThat(values("SELECT m FROM every WHERE id = 900")).containsExactly("{'j':2,'k':5}");
            assertThat(values("SELECT se FROM every WHERE id = 900")).containsExactly("{'b'}");
            run("DELETE m['k'] FROM every WHERE id = 900");
            assertThat(values("SELECT m FROM every WHERE id = 900")).containsExactly("{'j':2}");
            run("UPDATE every USING TTL 1000 SET i = NULL, t = 'x' WHERE id = 900 IF t != 'y'");
            assertThat(values("SELECT i FROM every WHERE id = 900")).containsExactly((String) null);
            run("INSERT INTO every JSON '{\"id\": 901, \"i\": " + i + "}'");
            assertThat(values("SELECT i FROM every WHERE id = 901")).containsExactly(String.valueOf(i));
        }
    }

    /** A random literal, and its form in which Cassandra's own parser reads it as SQL Server would. */
    private record Sample(String column, String literal, String canonical, Object value) {}

    private static Sample same(String column, String literal, Object value) {
        return new Sample(column, literal, literal, value);
    }

    private static List<Sample> samples(Random random) {
        int i = random.nextInt();
        long b = random.nextLong();
        String text = random.ints(random.nextInt(12), 32, 0x2000)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        String quoted = "'" + text.replace("'", "''") + "'";
        double f = random.nextGaussian() * Math.pow(10, random.nextInt(20));
        float r = (float) random.nextGaussian();
        byte[] raw = new byte[random.nextInt(6)];
        random.nextBytes(raw);
        String hex = "0x" + java.util.HexFormat.of().formatHex(raw);
        UUID uuid = new UUID(random.nextLong(), random.nextLong());
        java.math.BigDecimal decimal = new java.math.BigDecimal(java.math.BigInteger.valueOf(b), random.nextInt(12));
        java.time.LocalDate date = java.time.LocalDate.ofEpochDay(random.nextInt(40_000));
        java.time.LocalTime time = java.time.LocalTime.ofNanoOfDay(Math.floorMod(b, 86_400_000_000_000L));
        java.time.Instant at = java.time.Instant.ofEpochMilli(Math.floorMod(b, 2_000_000_000_000L));
        String day = date.getYear() + "-" + date.getMonthValue() + "-" + date.getDayOfMonth();
        return List.of(
                same("i", String.valueOf(i), i),
                new Sample("i", "'" + i + "'", String.valueOf(i), i),
                same("b", String.valueOf(b), b),
                same("s", String.valueOf((short) i), (short) i),
                same("ti", String.valueOf((byte) i), (byte) i),
                same("v", b + "" + Math.floorMod(i, 1000), new java.math.BigInteger(b + "" + Math.floorMod(i, 1000))),
                same("d", decimal.toPlainString(), decimal),
                new Sample("d", "'" + decimal.toPlainString() + "'", decimal.toPlainString(), decimal),
                same("f", String.valueOf(f), f),
                same("r", String.valueOf(r), r),
                new Sample("bit", i % 2 == 0 ? "0" : "1", i % 2 == 0 ? "false" : "true", i % 2 != 0),
                same("bit", i % 2 == 0 ? "False" : "true", i % 2 != 0),
                same("t", quoted, text),
                new Sample("t", "N" + quoted, quoted, text),
                same("raw", hex, raw),
                same("u", uuid.toString(), uuid),
                new Sample("u", "'" + uuid + "'", uuid.toString(), uuid),
                new Sample("born", "'" + day + "'", "'" + date + "'", date),
                new Sample("born", "'" + date.toString().replace("-", "") + "'", "'" + date + "'", date),
                same("clock", "'" + time + "'", time),
                same("at", "'" + at + "'", at),
                same("ip", "'10." + Math.floorMod(i, 256) + ".0.1'", "10." + Math.floorMod(i, 256) + ".0.1"),
                same("du", Math.floorMod(i, 1000) + "h30m", Math.floorMod(i, 1000) + "h30m"),
                same("l", "[" + i + ", 1, -1]", List.of(i, 1, -1)),
                same("se", "{" + quoted + ", 'é'}", Set.of(text, "é")),
                same("m", "{" + quoted + ": " + i + "}", Map.of(text, i)),
                same("tu", "(" + i + ", " + quoted + ")", List.of(i, text)),
                new Sample(
                        "p",
                        "{name: " + quoted + ", born: '" + day + "'}",
                        "{name: " + quoted + ", born: '" + date + "'}",
                        Map.of("name", text, "born", date)),
                same("fl", "['" + at + "']", List.of(at)));
    }

    @Test
    void shouldStoreTheSameAsTheBoundValueAndAsCassandraItself() throws SQLException {
        long seed = 20240131;
        Random random = new Random(seed);
        CqlSession bare = connection.unwrap(CqlSession.class);
        TimeZone zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        try {
            for (int round = 0; round < 8; round++) {
                for (Sample sample : samples(random)) {
                    String column = sample.column();
                    run("INSERT INTO every (id, " + column + ") VALUES (1, " + sample.literal() + ")");
                    run("UPDATE every SET " + column + " = " + sample.literal() + " WHERE id = 2");
                    try (PreparedStatement bound =
                            connection.prepareStatement("INSERT INTO every (id, " + column + ") VALUES (3, ?)")) {
                        bound.setObject(1, sample.value());
                        bound.executeUpdate();
                    }
                    bare.execute("INSERT INTO marked_texts_it.every (id, " + column + ") VALUES (4, "
                            + sample.canonical() + ")");
                    Map<Integer, ByteBuffer> stored = new HashMap<>();
                    for (Row row : bare.execute(
                            "SELECT id, " + column + " FROM marked_texts_it.every WHERE id IN (1, 2, 3, 4)")) {
                        stored.put(row.getInt(0), row.getBytesUnsafe(1));
                    }
                    for (int id = 1; id < 4; id++) {
                        assertThat(stored.get(id))
                                .as("seed %d, row %d, %s = %s", seed, id, column, sample.literal())
                                .isEqualTo(stored.get(4));
                    }
                }
            }
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    @Test
    void shouldReadATextAnewAfterItsTableIsReplaced() throws SQLException {
        for (String type : List.of("INT", "NVARCHAR(10)", "DATETIME")) {
            run("CREATE TABLE replaced (id INT NOT NULL PRIMARY KEY, v " + type + ")");
            run("INSERT INTO replaced (id, v) VALUES (1, '20240131')");
            assertThat(values("SELECT v FROM replaced WHERE id = 1"))
                    .containsExactly(type.equals("DATETIME") ? "2024-01-31 00:00:00.0" : "20240131");
            run("DROP TABLE replaced");
        }
    }

    @Test
    void shouldFindTheExplicitIdOfATextInQuotes() throws SQLException {
        try (Connection careful = cluster.open("identityInsert=strict");
                Statement insert = careful.createStatement()) {
            insert.execute("SET IDENTITY_INSERT explicit_ids ON");
            insert.executeUpdate("INSERT INTO explicit_ids (id, name) VALUES ('-5', 'first')");
            assertThatThrownBy(
                            () -> insert.executeUpdate("INSERT INTO explicit_ids (id, name) VALUES ('-5', 'second')"))
                    .hasFieldOrPropertyWithValue("errorCode", 2627);
            assertThatThrownBy(() -> insert.executeUpdate("INSERT INTO explicit_ids (id, name) VALUES (-5, 'third')"))
                    .hasFieldOrPropertyWithValue("errorCode", 2627);
        }
        assertThat(values("SELECT name FROM explicit_ids WHERE id = '-5'")).containsExactly("first");
        assertThatThrownBy(() -> run("INSERT INTO explicit_ids (id, name) VALUES ('999999', 'x')"))
                .hasFieldOrPropertyWithValue("SQLState", "23000");
    }
}
