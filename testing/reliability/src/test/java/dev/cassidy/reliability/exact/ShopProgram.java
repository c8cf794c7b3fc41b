package dev.cassidy.reliability.exact;

import dev.cassidy.reliability.program.Recorder;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * DAO code in a JVM of its own: {@code NAME URL SEED} writes rows that other processes write, too, until its input ends.
 *
 * <p>Its operations: {@code claim CODE TAG} and {@code free CODE TAG} insert and delete a row of a key of the program's own;
 * {@code take ROW} and {@code give ROW} change n by one; {@code version ROW SEEN TAG} writes the version after SEEN; {@code mark
 * TAG} writes two rows of three, of which one is missing; {@code order TAG} inserts a row whose id is drawn; {@code bump ID}, {@code
 * drop ID} and {@code read ID} update, delete and read such a row, if it is there. Outcomes are {@code count N}, {@code key ID}, {@code
 * duplicate} and {@code error STATE}.
 */
final class ShopProgram {

    /** Rows that every process writes, and that nobody deletes: 1 to this. */
    static final int ACCOUNTS = 4;

    /** Keys that processes insert and delete in turn. */
    private static final int CODES = 5;

    /** Ids around these may be drawn by others, or by nobody. */
    private static final int IDS = 4_000;

    private static final int REMEMBERED = 12;

    private final Recorder recorder = new Recorder();
    private final Connection connection;
    private final String name;
    private final SplittableRandom random;
    private final List<Long> orders = new ArrayList<>();
    private final List<String> held = new ArrayList<>();
    private int operations;

    private ShopProgram(Connection connection, String name, long seed) {
        this.connection = connection;
        this.name = name;
        this.random = new SplittableRandom(seed);
    }

    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(args[1])) {
            ShopProgram program = new ShopProgram(connection, args[0], Long.parseLong(args[2]));
            program.recorder.ready();
            while (System.in.available() == 0) {
                program.next();
            }
        }
    }

    private interface Call {
        String run() throws SQLException;
    }

    private String tag() {
        return name + "-" + operations;
    }

    private String perform(String kind, String arguments, Call call) {
        operations++;
        return recorder.record(kind, arguments, () -> {
            try {
                return call.run();
            } catch (SQLException e) {
                System.out.println(kind + " " + arguments + ": " + e.getSQLState() + ", " + e.getMessage());
                return e.getErrorCode() == 2627 ? "duplicate" : "error " + e.getSQLState();
            }
        });
    }

    private String count(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            return "count " + statement.executeUpdate();
        }
    }

    private static void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private void next() throws IOException {
        switch (random.nextInt(14)) {
            case 0, 1 -> claim();
            case 2, 3 -> free();
            case 4 -> {
                int row = 1 + random.nextInt(ACCOUNTS);
                perform("take", "" + row, () -> count("UPDATE account SET n = n - 1 WHERE id = ? AND n >= 1", row));
            }
            case 5 -> {
                int row = 1 + random.nextInt(ACCOUNTS);
                perform("give", "" + row, () -> count("UPDATE account SET n = n + 1 WHERE id = ?", row));
            }
            case 6 -> version();
            case 7 -> {
                String tag = tag();
                int missing = 1_000 + random.nextInt(1_000);
                perform(
                        "mark",
                        tag,
                        () -> count("UPDATE account SET mark = ? WHERE id IN (?, ?, ?)", tag, 1, missing, 2));
            }
            case 8, 9 -> order();
            case 10, 11 -> {
                long id = id();
                perform("bump", "" + id, () -> count("UPDATE orders SET n = n + 1 WHERE id = ?", id));
            }
            case 12 -> {
                long id = id();
                perform("drop", "" + id, () -> count("DELETE FROM orders WHERE id = ?", id));
            }
            default -> {
                long id = id();
                perform(
                        "read",
                        "" + id,
                        () -> "count " + (read("SELECT n FROM orders WHERE id = ?", id) == null ? 0 : 1));
            }
        }
    }

    private void claim() {
        String code = "c" + random.nextInt(CODES);
        String tag = tag();
        String outcome = perform(
                "claim",
                code + " " + tag,
                () -> count("INSERT INTO code (code, owner) VALUES (?, ?)", written(code), tag));
        if (!outcome.equals("duplicate")) {
            held.add(code + " " + tag);
        }
    }

    private void free() {
        if (held.isEmpty()) {
            return;
        }
        String[] one = held.remove(random.nextInt(held.size())).split(" ", -1);
        perform(
                "free",
                one[0] + " " + one[1],
                () -> count("DELETE FROM code WHERE code = ? AND owner = ?", written(one[0]), one[1]));
    }

    /** In one case or the other: it is one key. */
    private String written(String code) {
        return random.nextBoolean() ? code : code.toUpperCase(Locale.ROOT);
    }

    private void version() {
        int row = 1 + random.nextInt(ACCOUNTS);
        String tag = tag();
        try {
            Object seen = read("SELECT v FROM account WHERE id = ?", row);
            if (seen != null) {
                int next = (Integer) seen + 1;
                perform(
                        "version",
                        row + " " + seen + " " + tag,
                        () -> count("UPDATE account SET v = ?, name = ? WHERE id = ? AND v = ?", next, tag, row, seen));
            }
        } catch (SQLException e) {
            System.out.println("read of account " + row + ": " + e.getMessage());
        }
    }

    private Object read(String sql, Object key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getObject(1) : null;
            }
        }
    }

    private void order() {
        String tag = tag();
        perform("order", tag, () -> {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO orders (tag, n) VALUES (?, 0)", Statement.RETURN_GENERATED_KEYS)) {
                insert.setString(1, tag);
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    long id = keys.getLong(1);
                    orders.add(id);
                    if (orders.size() > REMEMBERED) {
                        orders.remove(0);
                    }
                    return "key " + id;
                }
            }
        });
    }

    /** Returns an id of its own, one that is near to one, or any. */
    private long id() {
        if (orders.isEmpty() || random.nextInt(6) == 0) {
            return 1 + random.nextInt(IDS);
        }
        long own = orders.get(random.nextInt(orders.size()));
        return Math.max(1, random.nextInt(3) == 0 ? own + random.nextInt(9) - 4 : own);
    }
}
