package dev.cassidy.reliability.transactions;

import dev.cassidy.reliability.program.Recorder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * One thread of DAO code, with a connection in transactions and one without. Its operations:
 *
 * <ul>
 *   <li>{@code transfer ID MOVES FLAGS} changes balances, and inserts a row with ID and MOVES into a journal, in one transaction. MOVES is
 *       {@code a1:-5,b2:5}. The last letter of ID is {@code o} if the journal is a_book, and {@code f} if it is daybook, whose ids are
 *       drawn. FLAGS: {@code u} reads under UPDLOCK, {@code b} writes by a JDBC batch, {@code d} deletes the first account and inserts
 *       it again if it has a key of its own, {@code s} returns to a savepoint, {@code r} is rolled back, {@code o} inserts the first account, {@code -} nothing.
 *       Outcome {@code STATE COUNTS READS OWN}: the counts of the moves and the balances that were read before each, with commas
 *       between them, and whether the transaction saw what it had written: y, n, or - if it did not look
 *   <li>{@code close ID ACCOUNT,OTHER} deletes an account, and moves its money. Outcome {@code STATE}
 *   <li>{@code deposit ACCOUNT AMOUNT} changes a balance without a transaction, if there is enough. Outcome {@code count N}
 *   <li>{@code order TAG LINES FLAGS} inserts an order with lines, {@code GOOD:QUANTITY,...}, and takes them from the stock. Outcome
 *       {@code STATE ID COUNTS OWN}
 *   <li>{@code cancel TAG ID} deletes an order with its lines, and gives the goods back. Outcome {@code STATE COUNTS}
 *   <li>{@code look ACCOUNT} reads it, and the row of the journal that its note names. Outcome {@code seen NOTE JOURNAL}, where JOURNAL is
 *       found, missing or -; or {@code none}
 *   <li>{@code find ID} reads the row of the journal of a transfer that was committed. Outcome {@code found} or {@code missing}
 *   <li>{@code duty PAIR WHAT} reads both rows of a pair under UPDLOCK, and lets one leave if the other is present ({@code leave}),
 *       lets it come back ({@code come}), or does no more ({@code audit}). Outcome {@code STATE PRESENT}, as it was read: 1,0
 *   <li>{@code turn GATE FLAGS} reads the row of a gate under UPDLOCK, which nobody writes, then the turns of its turnstile without a
 *       hint, and writes one more. FLAGS: {@code r} is rolled back, {@code -} nothing. Outcome {@code STATE TURNS}, as they were read
 * </ul>
 *
 * STATE is {@code committed}, {@code rolledback}, {@code failed SQLSTATE} if it certainly wrote nothing, or {@code error SQLSTATE}. The last two
 * replace all of the outcome.
 */
final class Teller implements Clerk {

    private static final String NONE = "-";

    /** No account has so much. */
    private static final int TOO_MUCH = 500_000_000;

    private final Recorder recorder;
    private final Bank bank;
    private final String name;
    private final Random random;
    private final boolean writes;
    private final Attention attention;

    /** In transactions. */
    private final Connection connection;

    /** Each statement at once. */
    private final Connection single;

    private final List<String> orders = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean ending;
    private int operations;

    /** What those who read look at. */
    static final class Attention {

        private static final int LOOKS = 6;

        private final Semaphore looks = new Semaphore(0);
        private volatile List<String> accounts = List.of();

        /** Some accounts are about to be written. */
        void draw(List<String> written) {
            accounts = List.copyOf(written);
            looks.drainPermits();
            looks.release(LOOKS);
        }

        List<String> await() throws InterruptedException {
            looks.acquire();
            return accounts;
        }
    }

    Teller(Recorder recorder, Bank bank, String name, long seed, String url, boolean writes, Attention attention)
            throws SQLException {
        this.recorder = recorder;
        this.bank = bank;
        this.name = name;
        this.random = new Random(seed);
        this.writes = writes;
        this.attention = attention;
        this.connection = DriverManager.getConnection(url);
        this.single = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void work() throws InterruptedException {
        try {
            while (!ending) {
                next();
            }
        } finally {
            ended.countDown();
        }
    }

    @Override
    public void end() {
        ending = true;
        attention.draw(bank.hot());
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        single.close();
    }

    private void next() throws InterruptedException {
        operations++;
        if (!writes) {
            List<String> written = attention.await();
            look(random.nextInt(4) == 0 ? account() : written.get(random.nextInt(written.size())));
            return;
        }
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> transfer();
            case 7, 8 -> deposit();
            case 9, 10, 11 -> order();
            case 12 -> cancel();
            case 13, 14 -> closeOrOpen();
            case 15, 16 -> duty();
            case 17, 18 -> turn();
            default -> look(account());
        }
    }

    // ---- outcomes

    private interface Work {
        String run() throws SQLException;
    }

    private static String told(String what, String state, SQLException e) {
        System.out.println(what + ": " + e.getSQLState() + ", " + e.getMessage());
        return state + " " + e.getSQLState();
    }

    /** Records what is done in one transaction; work returns null to roll it back. */
    private String transaction(String kind, String arguments, List<String> seen, Work work) {
        return recorder.record(kind, arguments, () -> {
            try {
                boolean commits;
                try {
                    commits = work.run() != null;
                } catch (SQLException e) {
                    // Nothing is sent before the commit.
                    return told(kind + " " + arguments, "failed", e);
                }
                if (!commits) {
                    return "rolledback " + String.join(" ", seen);
                }
                try {
                    connection.commit();
                } catch (SQLException e) {
                    boolean sure = "40001".equals(e.getSQLState()) || e.getErrorCode() == 2627;
                    return told(kind + " " + arguments, sure ? "failed" : "error", e);
                }
                return "committed " + String.join(" ", seen);
            } finally {
                rollback();
            }
        });
    }

    private void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException("a rollback failed", e);
        }
    }

    private static int update(Connection on, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            set(statement, values);
            return statement.executeUpdate();
        }
    }

    private static void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    /** Returns the columns of a row; empty if there is none. */
    private static List<String> read(Connection on, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            set(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
                List<String> columns = new ArrayList<>();
                if (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        columns.add(value(rows.getString(i)));
                    }
                }
                return columns;
            }
        }
    }

    /** No column that is read is ever set to NULL. */
    private static String value(String read) throws SQLException {
        if (read == null) {
            throw new SQLException("a row lacks a value", "99999");
        }
        return read;
    }

    // ---- transfers

    private String account() {
        return random.nextInt(6) == 0
                ? bank.hot().get(random.nextInt(bank.hot().size()))
                : bank.accounts().get(random.nextInt(bank.accounts().size()));
    }

    private List<String> accounts(int count, boolean ofOneTable) {
        List<String> all = new ArrayList<>();
        while (all.size() < count) {
            String one = account();
            if (!all.contains(one)
                    && (!ofOneTable || all.isEmpty() || Bank.table(all.get(0)).equals(Bank.table(one)))) {
                all.add(one);
            }
        }
        return all;
    }

    private String id() {
        return name + "-" + operations + (random.nextInt(3) == 0 ? "f" : "o");
    }

    private record Move(String account, int amount) {

        String table() {
            return Bank.table(account);
        }

        Object key() {
            return Bank.key(account);
        }

        @Override
        public String toString() {
            return account + ":" + amount;
        }
    }

    private static String text(List<?> moves) {
        return moves.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    private void transfer() {
        String flags =
                switch (random.nextInt(14)) {
                    case 0, 1 -> "u";
                    case 2 -> "us";
                    case 3 -> "s";
                    case 4, 5 -> "b";
                    case 6, 7 -> "d";
                    case 8, 9 -> "r";
                    case 10 -> "br";
                    default -> NONE;
                };
        int size = random.nextInt(4) == 0 ? 3 : 2;
        List<String> accounts = accounts(size, flags.contains("b"));
        int amount = random.nextInt(12) == 0 && !flags.contains("b") && !flags.contains("d")
                ? TOO_MUCH
                : 2 + random.nextInt(2_000);
        List<Move> moves = new ArrayList<>();
        moves.add(new Move(accounts.get(0), -amount));
        moves.add(new Move(accounts.get(1), size == 2 ? amount : amount / 2));
        if (size == 3) {
            moves.add(new Move(accounts.get(2), amount - amount / 2));
        }
        if (!flags.contains("d")) {
            Collections.shuffle(moves, random);
        }
        transfer(id(), moves, flags);
    }

    private void transfer(String id, List<Move> moves, String flags) {
        List<String> seen = new ArrayList<>(List.of("", "", NONE));
        String outcome = transaction("transfer", id + " " + text(moves) + " " + flags, seen, () -> {
            List<String> counts = new ArrayList<>();
            List<String> reads = new ArrayList<>();
            boolean journalFirst = random.nextBoolean();
            if (journalFirst) {
                journal(id, text(moves));
            }
            if (flags.contains("b")) {
                batch(id, moves, counts, reads);
            } else {
                for (Move move : moves) {
                    boolean first = move.equals(moves.get(0));
                    reads.add(before(move, flags.contains("u") || (first && flags.contains("d"))));
                    counts.add("" + change(id, move, flags, first, reads.get(reads.size() - 1)));
                }
            }
            if (!journalFirst) {
                journal(id, text(moves));
            }
            if (flags.contains("s")) {
                toSavepoint(id, moves);
            }
            seen.set(0, text(counts));
            seen.set(1, text(reads));
            if (!counts.stream().allMatch("1"::equals)) {
                return null;
            }
            seen.set(2, seesItsOwn(id, moves, reads, flags) ? "y" : "n");
            attention.draw(moves.stream().map(Move::account).toList());
            return flags.contains("r") ? null : "";
        });
        if (outcome.startsWith("committed") && id.endsWith("o") && random.nextInt(4) == 0) {
            find(id);
        }
    }

    private void journal(String id, String moves) throws SQLException {
        update(
                connection,
                id.endsWith("o")
                        ? "INSERT INTO a_book (id, moves) VALUES (?, ?)"
                        : "INSERT INTO daybook (transfer, moves) VALUES (?, ?)",
                id,
                moves);
    }

    /** Returns the balance, if it cannot change before the commit; otherwise {@code -}. */
    private String before(Move move, boolean locked) throws SQLException {
        List<String> row = read(
                connection,
                "SELECT balance FROM " + move.table() + (locked ? " WITH (UPDLOCK)" : "") + " WHERE id = ?",
                move.key());
        return locked && !row.isEmpty() ? row.get(0) : NONE;
    }

    private int change(String id, Move move, String flags, boolean first, String before) throws SQLException {
        String table = move.table();
        if (first && flags.contains("o")) {
            return update(
                    connection,
                    "INSERT INTO " + table + " (id, balance, note) VALUES (?, ?, ?)",
                    move.key(),
                    move.amount(),
                    id);
        }
        if (first && flags.contains("d") && !move.table().equals("acct_c")) {
            // A row that was missing is not held: others may have inserted it since.
            return before.equals(NONE) || update(connection, "DELETE FROM " + table + " WHERE id = ?", move.key()) == 0
                    ? 0
                    : update(
                            connection,
                            "INSERT INTO " + table + " (id, balance, note) VALUES (?, ?, ?)",
                            move.key(),
                            Integer.parseInt(before) + move.amount(),
                            id);
        }
        return move.amount() < 0
                ? update(
                        connection,
                        "UPDATE " + table + " SET balance = balance - ?, note = ? WHERE id = ? AND balance >= ?",
                        -move.amount(),
                        id,
                        move.key(),
                        -move.amount())
                : update(
                        connection,
                        "UPDATE " + table + " SET balance = balance + ?, note = ? WHERE id = ?",
                        move.amount(),
                        id,
                        move.key());
    }

    /** One row of the batch is missing. */
    private void batch(String id, List<Move> moves, List<String> counts, List<String> reads) throws SQLException {
        String table = moves.get(0).table();
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + table + " SET balance = balance + ?, note = ? WHERE id = ?")) {
            for (Move move : moves) {
                set(update, move.amount(), id, move.key());
                update.addBatch();
                reads.add(NONE);
            }
            set(update, 1, id, table.equals("acct_b") ? "none" : -1);
            update.addBatch();
            int[] all = update.executeBatch();
            for (int i = 0; i < moves.size(); i++) {
                counts.add("" + all[i]);
            }
            if (all[moves.size()] != 0) {
                counts.add("missing:" + all[moves.size()]);
            }
        }
    }

    /** Nothing of this stays. */
    private void toSavepoint(String id, List<Move> moves) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        for (String account : List.of(account(), moves.get(0).account())) {
            update(
                    connection,
                    "UPDATE " + Bank.table(account) + " SET balance = balance + 777, note = ? WHERE id = ?",
                    id + "!",
                    Bank.key(account));
        }
        update(connection, "INSERT INTO a_book (id, moves) VALUES (?, '')", id + "!");
        connection.rollback(savepoint);
    }

    private boolean seesItsOwn(String id, List<Move> moves, List<String> reads, String flags) throws SQLException {
        for (int i = 0; i < moves.size(); i++) {
            Move move = moves.get(i);
            List<String> row =
                    read(connection, "SELECT balance, note FROM " + move.table() + " WHERE id = ?", move.key());
            if (row.isEmpty() || !row.get(1).equals(id)) {
                return false;
            }
            if (!reads.get(i).equals(NONE)
                    && Integer.parseInt(row.get(0)) != Integer.parseInt(reads.get(i)) + move.amount()) {
                return false;
            }
            if (flags.contains("o") && i == 0 && Integer.parseInt(row.get(0)) != move.amount()) {
                return false;
            }
        }
        return !id.endsWith("o")
                || read(connection, "SELECT moves FROM a_book WHERE id = ?", id).equals(List.of(text(moves)));
    }

    // ---- accounts come and go

    private void closeOrOpen() {
        List<String> closable = bank.closable();
        String account = closable.get(random.nextInt(closable.size()));
        String other = account();
        if (other.equals(account)) {
            return;
        }
        String table = Bank.table(account);
        Object key = Bank.key(account);
        try {
            if (read(single, "SELECT id FROM " + table + " WHERE id = ?", key).isEmpty()) {
                int amount = 1 + random.nextInt(2_000);
                transfer(id(), List.of(new Move(account, amount), new Move(other, -amount)), "o");
                return;
            }
        } catch (SQLException e) {
            told("look for " + account, "", e);
            return;
        }
        String id = id();
        transaction("close", id + " " + account + "," + other, List.of(), () -> {
            List<String> row = read(connection, "SELECT balance FROM " + table + " WITH (UPDLOCK) WHERE id = ?", key);
            if (row.isEmpty()) {
                return null;
            }
            int balance = Integer.parseInt(row.get(0));
            int gone = update(connection, "DELETE FROM " + table + " WHERE id = ? AND balance = ?", key, balance);
            int moved = update(
                    connection,
                    "UPDATE " + Bank.table(other) + " SET balance = balance + ?, note = ? WHERE id = ?",
                    balance,
                    id,
                    Bank.key(other));
            journal(id, account + ":" + -balance + "," + other + ":" + balance);
            return gone == 1 && moved == 1 ? "" : null;
        });
    }

    // ---- single statements

    private void deposit() {
        String account = account();
        int amount = 1 + random.nextInt(5_000);
        boolean in = random.nextBoolean();
        String what = account + " " + (in ? amount : -amount);
        recorder.record("deposit", what, () -> {
            try {
                String table = Bank.table(account);
                int count = in
                        ? update(
                                single,
                                "UPDATE " + table + " SET balance = balance + ? WHERE id = ?",
                                amount,
                                Bank.key(account))
                        : update(
                                single,
                                "UPDATE " + table + " SET balance = balance - ? WHERE id = ? AND balance >= ?",
                                amount,
                                Bank.key(account),
                                amount);
                return "count " + count;
            } catch (SQLException e) {
                return told("deposit " + what, "40001".equals(e.getSQLState()) ? "failed" : "error", e);
            }
        });
    }

    private void look(String account) {
        boolean inTransaction = random.nextBoolean();
        recorder.record("look", account, () -> {
            Connection on = inTransaction ? connection : single;
            try {
                List<String> row =
                        read(on, "SELECT note FROM " + Bank.table(account) + " WHERE id = ?", Bank.key(account));
                if (row.isEmpty()) {
                    return "none";
                }
                String note = row.get(0);
                String journal = note.endsWith("o")
                        ? read(on, "SELECT moves FROM a_book WHERE id = ?", note)
                                        .isEmpty()
                                ? "missing"
                                : "found"
                        : NONE;
                return "seen " + (note.isEmpty() ? NONE : note) + " " + journal;
            } catch (SQLException e) {
                return told("look " + account, "error", e);
            } finally {
                if (inTransaction) {
                    rollback();
                }
            }
        });
    }

    private void find(String id) {
        recorder.record("find", id, () -> {
            try {
                return read(single, "SELECT moves FROM a_book WHERE id = ?", id).isEmpty() ? "missing" : "found";
            } catch (SQLException e) {
                return told("find " + id, "error", e);
            }
        });
    }

    // ---- what is read and not written

    private void duty() {
        int pair = random.nextInt(Bank.PAIRS);
        int who = 2 * pair + random.nextInt(2);
        int other = 4 * pair + 1 - who;
        String what =
                switch (random.nextInt(5)) {
                    case 0, 1 -> "leave";
                    case 2, 3 -> "come";
                    default -> "audit";
                };
        List<String> seen = new ArrayList<>(List.of(""));
        transaction("duty", pair + " " + what, seen, () -> {
            String first = present(who);
            String second = present(other);
            seen.set(0, first + "," + second);
            if (what.equals("audit")) {
                return "";
            }
            if (what.equals("leave") && second.equals("0")) {
                return null;
            }
            int present = what.equals("leave") ? 0 : 1;
            int count = update(connection, "UPDATE duty SET present = ? WHERE id = ?", present, who);
            return count == 1 ? "" : null;
        });
    }

    private String present(int id) throws SQLException {
        return text(read(connection, "SELECT present FROM duty WITH (UPDLOCK) WHERE id = ?", id));
    }

    /** What Quartz does: the gate alone keeps others from the row that is written with a value that the client has computed. */
    private void turn() {
        int gate = random.nextInt(Bank.GATES);
        String flags = random.nextInt(5) == 0 ? "r" : NONE;
        List<String> seen = new ArrayList<>(List.of(""));
        transaction("turn", gate + " " + flags, seen, () -> {
            read(connection, "SELECT id FROM gate WITH (UPDLOCK) WHERE id = ?", gate);
            int turns = Integer.parseInt(text(read(connection, "SELECT turns FROM turnstile WHERE id = ?", gate)));
            seen.set(0, "" + turns);
            int count = update(connection, "UPDATE turnstile SET turns = ? WHERE id = ?", turns + 1, gate);
            return count == 1 && !flags.contains("r") ? "" : null;
        });
    }

    // ---- orders

    private record Line(int good, int quantity) {
        @Override
        public String toString() {
            return good + ":" + quantity;
        }
    }

    private void order() {
        String tag = name + "-" + operations;
        List<Line> lines = new ArrayList<>();
        int size = 1 + random.nextInt(3);
        while (lines.size() < size) {
            int good = random.nextInt(Bank.GOODS);
            if (lines.stream().noneMatch(line -> line.good() == good)) {
                lines.add(new Line(good, 1 + random.nextInt(5)));
            }
        }
        String flags = random.nextInt(5) == 0 ? "r" : NONE;
        List<String> seen = new ArrayList<>(List.of(NONE, "", NONE));
        String outcome = transaction("order", tag + " " + text(lines) + " " + flags, seen, () -> {
            int id = insertOrder(tag, size);
            seen.set(0, "" + id);
            List<String> counts = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                Line line = lines.get(i);
                update(
                        connection,
                        "INSERT INTO line (orders, no, good, qty) VALUES (?, ?, ?, ?)",
                        id,
                        i,
                        line.good(),
                        line.quantity());
                counts.add("" + take(line));
            }
            seen.set(1, text(counts));
            List<String> own = read(connection, "SELECT COUNT(*) FROM line WHERE orders = ?", id);
            List<String> order = read(connection, "SELECT tag FROM orders WHERE id = ?", id);
            seen.set(2, own.equals(List.of("" + size)) && order.equals(List.of(tag)) ? "y" : "n");
            return flags.contains("r") || !counts.stream().allMatch("1"::equals) ? null : "";
        });
        if (outcome.startsWith("committed")) {
            orders.add(tag + " " + seen.get(0) + " " + text(lines));
        }
    }

    private int insertOrder(String tag, int size) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (tag, size) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            set(insert, tag, size);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                return keys.getInt(1);
            }
        }
    }

    private int take(Line line) throws SQLException {
        return update(
                connection,
                "UPDATE goods SET stock = stock - ? WHERE id = ? AND stock >= ?",
                line.quantity(),
                line.good(),
                line.quantity());
    }

    private void cancel() {
        if (orders.isEmpty()) {
            return;
        }
        String[] order = orders.remove(random.nextInt(orders.size())).split(" ", -1);
        int id = Integer.parseInt(order[1]);
        List<String> seen = new ArrayList<>(List.of(""));
        transaction("cancel", order[0] + " " + id, seen, () -> {
            int lines = update(connection, "DELETE FROM line WHERE orders = ?", id);
            int orderRow = update(connection, "DELETE FROM orders WHERE id = ?", id);
            for (String line : order[2].split(",", -1)) {
                String[] words = line.split(":", -1);
                update(
                        connection,
                        "UPDATE goods SET stock = stock + ? WHERE id = ?",
                        Integer.parseInt(words[1]),
                        Integer.parseInt(words[0]));
            }
            seen.set(0, lines + "," + orderRow);
            return "";
        });
    }
}
