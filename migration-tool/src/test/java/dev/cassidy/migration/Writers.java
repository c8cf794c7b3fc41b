package dev.cassidy.migration;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Threads that insert orders, each with a line, until they are stopped: what fails is tried again with another row. They
 * remember what the database acknowledged, and what it may have done without saying so.
 */
final class Writers implements AutoCloseable {

    /** What was acknowledged of an order. */
    record Order(String ref, int x, long line) {}

    private static final long PAUSE_NANOS = 20_000_000;

    private final String name;
    private final String url;
    private final Properties login;
    private final boolean transactions;
    private final List<Thread> threads;
    private final Map<Long, Order> orders = new ConcurrentHashMap<>();
    private final Queue<String> twice = new ConcurrentLinkedQueue<>();
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final AtomicInteger[] refused;
    private final Queue<SQLException> refusals = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    /** @param transactions whether an order and its line are one transaction, and some of those are rolled back */
    Writers(String name, String url, String user, boolean transactions, int count) {
        this.name = name;
        this.url = url;
        this.transactions = transactions;
        this.login = new Properties();
        if (user != null) {
            login.setProperty("user", user);
            login.setProperty("password", "");
        }
        this.refused =
                IntStream.range(0, count).mapToObj(i -> new AtomicInteger()).toArray(AtomicInteger[]::new);
        this.threads = IntStream.range(0, count)
                .mapToObj(i -> new Thread(() -> write(i), name + i))
                .toList();
        threads.forEach(Thread::start);
    }

    /** Returns what was acknowledged, by the order's id. */
    Map<Long, Order> orders() {
        return orders;
    }

    /** Returns ids that were issued a second time. */
    Queue<String> twice() {
        return twice;
    }

    /** Returns the refs of rows that may be there, or not. */
    Set<String> unknown() {
        return unknown;
    }

    /** Returns how often the thread that was refused least was refused. */
    int refusedEach() {
        return IntStream.range(0, refused.length)
                .map(i -> refused[i].get())
                .min()
                .orElseThrow();
    }

    /** Returns why rows were refused since the last look. */
    List<SQLException> refusals() {
        List<SQLException> some = List.copyOf(refusals);
        refusals.removeAll(some);
        return some;
    }

    private void write(int thread) {
        int number = 0;
        while (!stopped) {
            try (Connection connection = DriverManager.getConnection(url, login)) {
                while (!stopped) {
                    number++;
                    String ref = name + thread + "-" + number;
                    try {
                        insert(connection, ref, number);
                    } catch (SQLException e) {
                        refused[thread].incrementAndGet();
                        refusals.add(e);
                        unknown.add(ref);
                        if (transactions) {
                            connection.rollback();
                            unknown.remove(ref);
                        }
                    }
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (SQLException e) {
                refusals.add(e);
            }
        }
    }

    private void insert(Connection connection, String ref, int number) throws SQLException {
        connection.setAutoCommit(!transactions);
        long id = key(connection, "INSERT INTO [dbo].[Orders] (ref, x) VALUES (?, ?)", ref, number);
        long line = key(connection, "INSERT INTO [dbo].[Lines] (order_id, ref) VALUES (?, ?)", id, ref);
        if (transactions && number % 10 == 0) {
            connection.rollback();
            return;
        }
        if (transactions) {
            connection.commit();
        }
        Order before = orders.put(id, new Order(ref, number, line));
        if (before != null) {
            twice.add(id + " of " + ref + " and " + before.ref());
        }
    }

    private static long key(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < values.length; i++) {
                insert.setObject(i + 1, values[i]);
            }
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                return keys.getLong(1);
            }
        }
    }

    /** Stops the threads, and waits for them. */
    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
