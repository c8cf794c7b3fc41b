package dev.cassidy.reliability.unique;

import dev.cassidy.reliability.program.Recorder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * One thread of DAO code that writes accounts with few values, with a connection in transactions and one without. Its operations:
 *
 * <ul>
 *   <li>{@code write MODE CHANGES} makes changes, see {@link Change}; MODE is {@code t} in one transaction, {@code s} without, and {@code x}
 *       in one where two rows exchange their values. Outcome {@code STATE COUNTS IDS}: for each change the number of rows and the id of a
 *       new row, {@code -} where none is known
 *   <li>{@code look EMAIL} reads the row of an address. Outcome {@code seen ID EMAIL N} or {@code none}
 * </ul>
 *
 * STATE is {@code committed}; {@code failed:SQLSTATE} if it certainly wrote nothing; {@code duplicate:COLUMN}, for which that is
 * so, too; or {@code error:SQLSTATE}.
 */
final class Registrar implements AutoCloseable {

    /** As they are compared. */
    static final List<String> EMAILS = List.of("ann@x", "bob@x", "cid@x", "dan@x", "eve@x", "fay@x", Change.NULL);

    static final List<String> CODES = List.of("1", "2", "3", "4", "5", "6", Change.NULL);

    /** Of one thread. */
    private static final int STAMPS = 1_000_000;

    /** A row that was seen. */
    private record Account(String id, String email, String code) {}

    private final Recorder recorder;
    private final int number;
    private final Random random;
    private final Connection connection;
    private final Connection single;
    private volatile boolean ending;
    private int stamps;

    Registrar(Recorder recorder, String url, int number) throws SQLException {
        this.recorder = recorder;
        this.number = number;
        this.random = new Random(number);
        this.connection = DriverManager.getConnection(url);
        this.single = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
    }

    int number() {
        return number;
    }

    void work() {
        while (!ending) {
            next();
        }
    }

    void end() {
        ending = true;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        single.close();
    }

    // ---- what it does

    private void next() {
        switch (random.nextInt(40)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 -> write("s", List.of(insert()));
            case 12, 13, 14, 15, 16 -> look();
            case 17 -> write("s", List.of(byEmail(Change.Kind.TOUCH)));
            case 18 -> write("s", List.of(byEmail(Change.Kind.ERASE)));
            default -> byId();
        }
    }

    private void byId() {
        List<Account> accounts;
        try {
            accounts = accounts();
        } catch (SQLException e) {
            System.out.println("accounts: " + e.getSQLState() + ", " + e.getMessage());
            return;
        }
        Collections.shuffle(accounts, random);
        if (accounts.size() < 2) {
            write("t", List.of(insert(), insertApart()));
            return;
        }
        Account one = accounts.get(0);
        Account two = accounts.get(1);
        switch (random.nextInt(12)) {
            case 0 -> write("s", List.of(update(one, email(), Change.NONE)));
            case 1 -> write("s", List.of(update(one, Change.NONE, code())));
            case 2 -> write("s", List.of(update(one, email(), code())));
            case 3 -> write("s", List.of(Change.delete(stamp(), one.id())));
            case 4 -> write("t", List.of(insert(), insertApart()));
            // What one row leaves, the other takes.
            case 5 -> write("t", List.of(update(one, email(), code()), update(two, one.email(), Change.NONE)));
            case 6 ->
                write("t", List.of(Change.delete(stamp(), one.id()), Change.insert(stamp(), one.email(), one.code())));
            case 7 -> write("t", List.of(Change.delete(stamp(), one.id()), update(two, one.email(), code())));
            // As frameworks write all columns.
            case 8, 9 -> write("s", List.of(update(one, one.email(), one.code())));
            case 10 ->
                write("x", List.of(update(one, two.email(), Change.NONE), update(two, one.email(), Change.NONE)));
            default -> write("x", List.of(update(one, two.email(), two.code()), update(two, one.email(), one.code())));
        }
    }

    private int stamp() {
        return STAMPS * (number + 1) + stamps++;
    }

    private Change insert() {
        return Change.insert(stamp(), email(), code());
    }

    private Change byEmail(Change.Kind kind) {
        return new Change(kind, stamp(), Change.NONE, email(), Change.NONE);
    }

    /** Both values are nobody else's. */
    private Change insertApart() {
        int stamp = stamp();
        return Change.insert(stamp, "own-" + stamp, "" + stamp);
    }

    private Change update(Account account, String email, String code) {
        return Change.update(stamp(), account.id(), email, code);
    }

    /** One of few, written in one of many ways. */
    private String email() {
        String email = EMAILS.get(random.nextInt(EMAILS.size()));
        if (email.equals(Change.NULL)) {
            return email;
        }
        return switch (random.nextInt(4)) {
            case 0 -> email.toUpperCase(Locale.ROOT);
            case 1 -> Change.word(email + " ");
            default -> email;
        };
    }

    private String code() {
        return CODES.get(random.nextInt(CODES.size()));
    }

    private List<Account> accounts() throws SQLException {
        List<Account> accounts = new ArrayList<>();
        try (Statement statement = single.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, email, code FROM account")) {
            while (rows.next()) {
                accounts.add(new Account(
                        Change.word(rows.getObject(1)),
                        Change.word(rows.getObject(2)),
                        Change.word(rows.getObject(3))));
            }
        }
        return accounts;
    }

    private void look() {
        String email = EMAILS.get(random.nextInt(EMAILS.size() - 1));
        String asked = random.nextBoolean() ? email : email.toUpperCase(Locale.ROOT);
        recorder.record("look", asked, () -> {
            try (PreparedStatement statement =
                    single.prepareStatement("SELECT id, email, n FROM account WHERE email = ?")) {
                statement.setString(1, asked);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? "seen " + rows.getInt(1) + " " + Change.word(rows.getObject(2)) + " " + rows.getInt(3)
                            : "none";
                }
            } catch (SQLException e) {
                return told("look " + asked, e, "error");
            }
        });
    }

    // ---- changes

    private void write(String mode, List<Change> changes) {
        String what = mode + " " + Change.text(changes);
        List<String> counts = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        recorder.record("write", what, () -> {
            String state;
            if (mode.equals("s")) {
                state = attempt(what, "error", () -> run(single, changes.get(0), counts, ids));
            } else {
                // Nothing is sent before the commit.
                state = attempt(what, "failed", () -> all(mode, changes, counts, ids));
                if (state.equals("committed")) {
                    state = attempt(what, "error", connection::commit);
                }
                rollback();
            }
            while (counts.size() < changes.size()) {
                counts.add(Change.NONE);
            }
            while (ids.size() < changes.size()) {
                ids.add(Change.NONE);
            }
            return state + " " + String.join(",", counts) + " " + String.join(",", ids);
        });
    }

    private interface Call {
        void run() throws SQLException;
    }

    private static String attempt(String what, String otherwise, Call call) {
        try {
            call.run();
            return "committed";
        } catch (SQLException e) {
            return told(what, e, otherwise);
        }
    }

    private static String told(String what, SQLException e, String otherwise) {
        System.out.println(what + ": " + e.getSQLState() + ", " + e.getMessage());
        if (e.getErrorCode() == 2627) {
            return "duplicate:"
                    + (e.getMessage().contains("UQ_account_email")
                            ? "email"
                            : e.getMessage().contains("UQ_account_code") ? "code" : "none");
        }
        if (e.getMessage().contains("is not reserved for it")) {
            return "failed:unreserved";
        }
        return ("40001".equals(e.getSQLState()) ? "failed" : otherwise) + ":" + e.getSQLState();
    }

    private void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException("a rollback failed", e);
        }
    }

    private void all(String mode, List<Change> changes, List<String> counts, List<String> ids) throws SQLException {
        if (mode.equals("x")) {
            // Each statement has to find its values free.
            Change first = changes.get(0);
            String aside = "aside-" + first.stamp();
            update(
                    connection,
                    first.stamp(),
                    aside,
                    first.code().equals(Change.NONE) ? Change.NONE : "" + first.stamp(),
                    first.id());
            run(connection, changes.get(1), counts, ids);
            String second = counts.remove(0);
            ids.remove(0);
            run(connection, first, counts, ids);
            counts.add(second);
            return;
        }
        for (Change change : changes) {
            run(connection, change, counts, ids);
        }
    }

    private static void run(Connection on, Change change, List<String> counts, List<String> ids) throws SQLException {
        switch (change.kind()) {
            case INSERT -> {
                try (PreparedStatement insert = on.prepareStatement(
                        "INSERT INTO account (email, code, n) VALUES (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                    insert.setString(1, Change.emailOf(change.email()));
                    insert.setObject(2, Change.codeOf(change.code()), Types.INTEGER);
                    insert.setInt(3, change.stamp());
                    counts.add("" + insert.executeUpdate());
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                        ids.add(keys.next() ? "" + keys.getInt(1) : Change.NONE);
                    }
                }
                return;
            }
            case UPDATE -> counts.add("" + update(on, change.stamp(), change.email(), change.code(), change.id()));
            case DELETE ->
                counts.add("" + execute(on, "DELETE FROM account WHERE id = ?", Integer.valueOf(change.id())));
            case TOUCH ->
                counts.add(""
                        + execute(
                                on,
                                "UPDATE account SET n = ? WHERE email = ?",
                                change.stamp(),
                                Change.emailOf(change.email())));
            case ERASE ->
                counts.add("" + execute(on, "DELETE FROM account WHERE email = ?", Change.emailOf(change.email())));
        }
        ids.add(Change.NONE);
    }

    private static int update(Connection on, int stamp, String email, String code, String id) throws SQLException {
        List<Object> values = new ArrayList<>(List.of(stamp));
        StringBuilder set = new StringBuilder("UPDATE account SET n = ?");
        if (!email.equals(Change.NONE)) {
            set.append(", email = ?");
            values.add(Change.emailOf(email));
        }
        if (!code.equals(Change.NONE)) {
            set.append(", code = ?");
            values.add(Change.codeOf(code));
        }
        values.add(Integer.valueOf(id));
        return execute(on, set + " WHERE id = ?", values.toArray());
    }

    private static int execute(Connection on, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
