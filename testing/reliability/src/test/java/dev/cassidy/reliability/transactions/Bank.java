package dev.cassidy.reliability.transactions;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables of the bank. An account is named by its table's letter and its key: {@code a7} is row 7 of {@code acct_a}, {@code b7} row
 * 'b7' of {@code acct_b}, and {@code c7} row 7 of {@code acct_c}, whose ids are drawn.
 *
 * @param accounts the names of all accounts, those of hot ones first
 */
record Bank(List<String> accounts) {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** SQL Server's number for a table that is there. */
    private static final int EXISTS = 2714;

    static final int BALANCE = 10_000;
    static final int GOODS = 20;
    static final int STOCK = 1_000_000;

    /** Pairs of which one has to be on duty: rows 2n and 2n + 1. */
    static final int PAIRS = 3;

    /** Gates with a turnstile each: a row that each transaction reads under UPDLOCK and none writes. */
    static final int GATES = 2;

    /** How many accounts of {@code acct_a}, and of {@code acct_b}, are closed and opened again. */
    private static final int CLOSABLE = 3;

    /** How many accounts of each table are in every second operation. */
    private static final int HOT = 2;

    // The journal is locked before the accounts, and the lines of an order after its goods.
    private static final List<String> TABLES = List.of(
            "CREATE TABLE a_book (id VARCHAR(40) COLLATE Latin1_General_BIN2 PRIMARY KEY, moves VARCHAR(200), touched INT)",
            "CREATE TABLE acct_a (id INT PRIMARY KEY, balance INT, note VARCHAR(40), touched INT)",
            "CREATE TABLE acct_b (id VARCHAR(20) COLLATE Latin1_General_BIN2 PRIMARY KEY, balance INT, note VARCHAR(40), touched INT)",
            "CREATE TABLE acct_c (id INT IDENTITY PRIMARY KEY, balance INT, note VARCHAR(40), touched INT)",
            "CREATE TABLE daybook (id INT IDENTITY PRIMARY KEY, transfer VARCHAR(40), moves VARCHAR(200), touched INT)",
            "CREATE TABLE duty (id INT PRIMARY KEY, present INT, touched INT)",
            "CREATE TABLE gate (id INT PRIMARY KEY, touched INT)",
            "CREATE TABLE goods (id INT PRIMARY KEY, stock INT, touched INT)",
            "CREATE TABLE line (orders INT, no INT, good INT, qty INT, touched INT, PRIMARY KEY (orders, no))",
            "CREATE TABLE orders (id INT IDENTITY PRIMARY KEY, tag VARCHAR(40), size INT, touched INT)",
            "CREATE TABLE turnstile (id INT PRIMARY KEY, turns INT, touched INT)");

    static Bank create(Connection connection, int size) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                await().atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(SQLTransientException.class)
                        .until(() -> isCreated(statement, table));
            }
        }
        List<String> drawn = new ArrayList<>();
        try (PreparedStatement a = connection.prepareStatement(
                        "INSERT INTO acct_a (id, balance, note, touched) VALUES (?, ?, '', 0)");
                PreparedStatement b = connection.prepareStatement(
                        "INSERT INTO acct_b (id, balance, note, touched) VALUES (?, ?, '', 0)");
                PreparedStatement c = connection.prepareStatement(
                        "INSERT INTO acct_c (balance, note, touched) VALUES (?, '', 0)",
                        Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < size / 3; i++) {
                a.setInt(1, i);
                a.setInt(2, BALANCE);
                a.addBatch();
                b.setString(1, "b" + i);
                b.setInt(2, BALANCE);
                b.addBatch();
            }
            a.executeBatch();
            b.executeBatch();
            for (int i = 2 * (size / 3); i < size; i++) {
                c.setInt(1, BALANCE);
                c.addBatch();
            }
            c.executeBatch();
            try (ResultSet keys = c.getGeneratedKeys()) {
                while (keys.next()) {
                    drawn.add("c" + keys.getLong(1));
                }
            }
        }
        try (PreparedStatement goods =
                connection.prepareStatement("INSERT INTO goods (id, stock, touched) VALUES (?, ?, 0)")) {
            for (int i = 0; i < GOODS; i++) {
                goods.setInt(1, i);
                goods.setInt(2, STOCK);
                goods.addBatch();
            }
            goods.executeBatch();
        }
        try (PreparedStatement duty = connection.prepareStatement("INSERT INTO duty (id, present) VALUES (?, 1)")) {
            for (int i = 0; i < 2 * PAIRS; i++) {
                duty.setInt(1, i);
                duty.addBatch();
            }
            duty.executeBatch();
        }
        try (PreparedStatement gate = connection.prepareStatement("INSERT INTO gate (id) VALUES (?)");
                PreparedStatement turnstile =
                        connection.prepareStatement("INSERT INTO turnstile (id, turns) VALUES (?, 0)")) {
            for (int i = 0; i < GATES; i++) {
                gate.setInt(1, i);
                gate.executeUpdate();
                turnstile.setInt(1, i);
                turnstile.executeUpdate();
            }
        }
        List<String> accounts = new ArrayList<>();
        for (int i = 0; i < drawn.size(); i++) {
            if (i < size / 3) {
                accounts.add("a" + i);
                accounts.add("b" + i);
            }
            accounts.add(drawn.get(i));
        }
        return new Bank(accounts);
    }

    /** On a busy machine the driver may not have created a sequence within the 20 s that it waits for that. */
    private static boolean isCreated(Statement statement, String table) throws SQLException {
        try {
            statement.execute(table);
        } catch (SQLException e) {
            if (e.getErrorCode() != EXISTS) {
                throw e;
            }
        }
        return true;
    }

    static Bank parse(String accounts) {
        return new Bank(List.of(accounts.split(",", -1)));
    }

    String named() {
        return String.join(",", accounts);
    }

    List<String> hot() {
        return accounts.subList(0, 3 * HOT);
    }

    /** Returns those that may be missing for a while; they are not hot. */
    List<String> closable() {
        return accounts.stream()
                .filter(name -> !name.startsWith("c"))
                .skip(2L * HOT)
                .limit(2L * CLOSABLE)
                .toList();
    }

    static String table(String account) {
        return "acct_" + account.charAt(0);
    }

    static Object key(String account) {
        return account.startsWith("b") ? account : Integer.valueOf(account.substring(1));
    }
}
