package dev.cassidy.reliability.transactions;

import dev.cassidy.reliability.program.Recorder;
import dev.cassidy.reliability.transactions.BankEntities.Account;
import dev.cassidy.reliability.transactions.BankEntities.Booked;
import dev.cassidy.reliability.transactions.BankEntities.Daybook;
import dev.cassidy.reliability.transactions.BankEntities.Good;
import dev.cassidy.reliability.transactions.BankEntities.Purchase;
import jakarta.persistence.OptimisticLockException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;

/**
 * One thread of code with Hibernate: it reads entities, sets their fields, and lets Hibernate write them, each under the version that was
 * read. Its operations are those of {@link Teller}: {@code transfer} and {@code order} with the flags {@code r} and {@code -}, {@code
 * cancel}, {@code find}, and {@code deposit}, which is one UPDATE in HQL. A balance is never read under a lock, so READS are {@code -}.
 */
final class HibernateTeller implements Clerk {

    private static final String NONE = "-";

    private final SessionFactory factory;
    private final Recorder recorder;
    private final Bank bank;
    private final String name;
    private final Random random;
    private final Teller.Attention attention;
    private final Connection connection;
    private final List<String> orders = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean ending;
    private int operations;

    HibernateTeller(
            SessionFactory factory,
            Recorder recorder,
            Bank bank,
            String name,
            long seed,
            String url,
            Teller.Attention attention)
            throws SQLException {
        this.factory = factory;
        this.recorder = recorder;
        this.bank = bank;
        this.name = name;
        this.random = new Random(seed);
        this.attention = attention;
        this.connection = DriverManager.getConnection(url);
    }

    /** Sessions bring their own connections. */
    static SessionFactory factory() {
        Configuration configuration = new Configuration();
        BankEntities.ALL.forEach(configuration::addAnnotatedClass);
        return configuration.buildSessionFactory(new StandardServiceRegistryBuilder()
                .applySetting(AvailableSettings.DIALECT, "org.hibernate.dialect.SQLServerDialect")
                .applySetting("hibernate.boot.allow_jdbc_metadata_access", false)
                .build());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void work() {
        try {
            while (!ending) {
                operations++;
                switch (random.nextInt(12)) {
                    case 0, 1, 2, 3, 4, 5, 6 -> transfer();
                    case 7, 8 -> deposit();
                    case 9, 10 -> order();
                    default -> cancel();
                }
            }
        } finally {
            ended.countDown();
        }
    }

    @Override
    public void end() {
        ending = true;
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    // ---- outcomes

    private interface Work {
        /** Returns whether to commit. */
        boolean run(Session session);
    }

    private String transaction(String kind, String arguments, List<String> seen, Work work) {
        return recorder.record(kind, arguments, () -> run(kind + " " + arguments, seen, work));
    }

    private String run(String what, List<String> seen, Work work) {
        try (Session session = factory.withOptions().connection(connection).openSession()) {
            Transaction transaction = session.beginTransaction();
            try {
                boolean commits;
                try {
                    commits = work.run(session);
                    if (commits) {
                        // As the commit would: an entity of another version is noticed before anything is sent.
                        session.flush();
                    }
                } catch (RuntimeException e) {
                    return told(what, "failed", e);
                }
                if (!commits) {
                    return "rolledback " + String.join(" ", seen);
                }
                try {
                    transaction.commit();
                } catch (RuntimeException e) {
                    boolean sure = state(e).equals("40001") || state(e).equals("23000");
                    return told(what, sure ? "failed" : "error", e);
                }
                return "committed " + String.join(" ", seen);
            } finally {
                rollback(transaction);
            }
        }
    }

    private void rollback(Transaction transaction) {
        try {
            if (transaction.isActive()) {
                transaction.rollback();
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("a rollback failed", e);
        }
    }

    /** Returns that of a lost race if an entity had another version. */
    private static String state(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                return String.valueOf(sql.getSQLState());
            }
        }
        boolean stale = failure instanceof OptimisticLockException
                || failure.getCause() instanceof OptimisticLockException
                || failure instanceof org.hibernate.StaleStateException;
        return stale ? "40001" : "99999";
    }

    private static String told(String what, String state, RuntimeException e) {
        System.out.println(what + ": " + state(e) + ", " + e);
        return state + " " + state(e);
    }

    // ---- transfers

    private String account() {
        return random.nextInt(6) == 0
                ? bank.hot().get(random.nextInt(bank.hot().size()))
                : bank.accounts().get(random.nextInt(bank.accounts().size()));
    }

    private record Move(String account, int amount) {
        @Override
        public String toString() {
            return account + ":" + amount;
        }
    }

    private static String text(List<?> all) {
        return all.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    private void transfer() {
        int size = random.nextInt(4) == 0 ? 3 : 2;
        List<String> accounts = new ArrayList<>();
        while (accounts.size() < size) {
            String one = account();
            if (!accounts.contains(one)) {
                accounts.add(one);
            }
        }
        int amount = 2 + random.nextInt(2_000);
        List<Move> moves = new ArrayList<>();
        moves.add(new Move(accounts.get(0), -amount));
        moves.add(new Move(accounts.get(1), size == 2 ? amount : amount / 2));
        if (size == 3) {
            moves.add(new Move(accounts.get(2), amount - amount / 2));
        }
        Collections.shuffle(moves, random);
        String id = name + "-" + operations + (random.nextInt(3) == 0 ? "f" : "o");
        String flags = random.nextInt(7) == 0 ? "r" : NONE;
        List<String> seen = new ArrayList<>(List.of("", "", NONE));
        String outcome = transaction("transfer", id + " " + text(moves) + " " + flags, seen, session -> {
            List<String> counts = new ArrayList<>();
            List<Integer> balances = new ArrayList<>();
            for (Move move : moves) {
                Account account = session.get(BankEntities.account(move.account()), Bank.key(move.account()));
                boolean enough = account.balance + move.amount() >= 0 || move.amount() > 0;
                if (enough) {
                    account.balance += move.amount();
                    account.note = id;
                }
                counts.add(enough ? "1" : "0");
                balances.add(account.balance);
            }
            session.persist(id.endsWith("o") ? new Booked(id, text(moves)) : new Daybook(id, text(moves)));
            seen.set(0, text(counts));
            seen.set(1, moves.stream().map(move -> NONE).collect(Collectors.joining(",")));
            if (counts.contains("0")) {
                return false;
            }
            if (random.nextBoolean()) {
                seen.set(2, seesItsOwn(session, id, moves, balances) ? "y" : "n");
            }
            attention.draw(accounts);
            return !flags.equals("r");
        });
        if (outcome.startsWith("committed") && id.endsWith("o") && random.nextInt(4) == 0) {
            find(id);
        }
    }

    private static boolean seesItsOwn(Session session, String id, List<Move> moves, List<Integer> balances) {
        session.flush();
        session.clear();
        for (int i = 0; i < moves.size(); i++) {
            String name = moves.get(i).account();
            Account account = session.get(BankEntities.account(name), Bank.key(name));
            if (account.balance != balances.get(i) || !account.note.equals(id)) {
                return false;
            }
        }
        return !id.endsWith("o") || session.get(Booked.class, id).moves.equals(text(moves));
    }

    private void find(String id) {
        recorder.record("find", id, () -> {
            try (Session session = factory.withOptions().connection(connection).openSession()) {
                return session.get(Booked.class, id) == null ? "missing" : "found";
            } catch (RuntimeException e) {
                return told("find " + id, "error", e);
            }
        });
    }

    private void deposit() {
        String account = account();
        int amount = (1 + random.nextInt(5_000)) * (random.nextBoolean() ? 1 : -1);
        List<String> seen = new ArrayList<>(List.of(""));
        String what = account + " " + amount;
        recorder.record("deposit", what, () -> {
            String outcome = run("deposit " + what, seen, session -> {
                int count = session.createMutationQuery("update versioned "
                                + BankEntities.account(account).getSimpleName()
                                + " set balance = balance + :amount where id = :id and balance >= :least")
                        .setParameter("amount", amount)
                        .setParameter("id", Bank.key(account))
                        .setParameter("least", Math.max(0, -amount))
                        .executeUpdate();
                seen.set(0, Integer.toString(count));
                return true;
            });
            return outcome.startsWith("committed") ? "count " + seen.get(0) : outcome;
        });
    }

    // ---- orders

    private void order() {
        String tag = name + "-" + operations;
        List<Integer> goods = new ArrayList<>();
        int size = 1 + random.nextInt(3);
        while (goods.size() < size) {
            int good = random.nextInt(Bank.GOODS);
            if (!goods.contains(good)) {
                goods.add(good);
            }
        }
        List<Move> lines = goods.stream()
                .map(good -> new Move(Integer.toString(good), 1 + random.nextInt(5)))
                .toList();
        String flags = random.nextInt(5) == 0 ? "r" : NONE;
        List<String> seen = new ArrayList<>(List.of(NONE, "", NONE));
        String outcome = transaction("order", tag + " " + text(lines) + " " + flags, seen, session -> {
            Purchase purchase = new Purchase(tag, size);
            for (Move line : lines) {
                purchase.add(Integer.parseInt(line.account()), line.amount());
                session.get(Good.class, Integer.valueOf(line.account())).stock -= line.amount();
            }
            session.persist(purchase);
            session.flush();
            session.clear();
            seen.set(0, "" + purchase.id);
            seen.set(1, lines.stream().map(line -> "1").collect(Collectors.joining(",")));
            Purchase own = session.get(Purchase.class, purchase.id);
            seen.set(2, own.tag.equals(tag) && own.lines.size() == size ? "y" : "n");
            return !flags.equals("r");
        });
        if (outcome.startsWith("committed")) {
            orders.add(tag + " " + seen.get(0));
        }
    }

    private void cancel() {
        if (orders.isEmpty()) {
            return;
        }
        String[] order = orders.remove(random.nextInt(orders.size())).split(" ", -1);
        List<String> seen = new ArrayList<>(List.of(""));
        transaction("cancel", order[0] + " " + order[1], seen, session -> {
            Purchase purchase = session.get(Purchase.class, Integer.valueOf(order[1]));
            purchase.lines.forEach(line -> session.get(Good.class, line.good).stock += line.quantity);
            seen.set(0, purchase.lines.size() + ",1");
            session.remove(purchase);
            return true;
        });
    }
}
