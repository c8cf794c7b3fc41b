package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads, and then one logged batch of plain writes, as one writes them by hand on the java-driver alone. A batch is applied whole
 * at last, but of two that meet one loses its changes in silence.
 */
final class BatchesByHand implements TransactionStore {

    private final CqlSession session;
    private final AtomicInteger ids;
    private final PreparedStatement insertAccount;
    private final PreparedStatement readAccount;
    private final PreparedStatement updateAccount;
    private final PreparedStatement insertPosition;
    private final PreparedStatement readPositions;
    private final PreparedStatement updatePosition;
    private final PreparedStatement insertPurchase;
    private final PreparedStatement insertLine;

    /** @param ids those of the rows of all threads so far */
    BatchesByHand(CqlSession session, AtomicInteger ids) {
        this.session = session;
        this.ids = ids;
        this.insertAccount = session.prepare("INSERT INTO account_by_hand (id, balance) VALUES (?, ?)");
        this.readAccount = session.prepare("SELECT balance FROM account_by_hand WHERE id = ?");
        this.updateAccount = session.prepare("UPDATE account_by_hand SET balance = ? WHERE id = ?");
        this.insertPosition =
                session.prepare("INSERT INTO position_by_hand (portfolio, number, quantity) VALUES (?, ?, ?)");
        this.readPositions = session.prepare("SELECT number, quantity FROM position_by_hand WHERE portfolio = ?");
        this.updatePosition =
                session.prepare("UPDATE position_by_hand SET quantity = ? WHERE portfolio = ? AND number = ?");
        this.insertPurchase = session.prepare("INSERT INTO purchase_by_hand (id, customer, total) VALUES (?, ?, ?)");
        this.insertLine =
                session.prepare("INSERT INTO line_by_hand (id, purchase, name, quantity) VALUES (?, ?, ?, ?)");
    }

    /** Creates its tables in the session's keyspace. */
    static void createTables(CqlSession session, String keyspace) {
        session.execute("CREATE TABLE " + keyspace + ".account_by_hand (id int PRIMARY KEY, balance int)");
        session.execute("CREATE TABLE " + keyspace
                + ".position_by_hand (portfolio int, number int, quantity int, PRIMARY KEY (portfolio, number))");
        session.execute(
                "CREATE TABLE " + keyspace + ".purchase_by_hand (id int PRIMARY KEY, customer text, total int)");
        session.execute("CREATE TABLE " + keyspace
                + ".line_by_hand (id int PRIMARY KEY, purchase int, name text, quantity int)");
    }

    @Override
    public Collection<Integer> insertAccounts(int count) {
        List<Integer> inserted = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            int id = ids.incrementAndGet();
            session.execute(insertAccount.bind(id, OwnRows.QUANTITY));
            inserted.add(id);
        }
        return inserted;
    }

    @Override
    public Collection<Integer> insertPortfolios(int count) {
        List<Integer> inserted = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            int id = ids.incrementAndGet();
            for (int number = 0; number < POSITIONS; number++) {
                session.execute(insertPosition.bind(id, number, OwnRows.QUANTITY));
            }
            inserted.add(id);
        }
        return inserted;
    }

    @Override
    public void transfer(List<Integer> accounts) {
        List<Integer> balances = new ArrayList<>();
        for (int id : accounts) {
            Row row = session.execute(readAccount.bind(id)).one();
            balances.add(Objects.requireNonNull(row, "the account is missing").getInt("balance"));
        }
        BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
        for (int each = 0; each < accounts.size(); each++) {
            int change = each == 0 ? accounts.size() - 1 : -1;
            batch.addStatement(updateAccount.bind(balances.get(each) + change, accounts.get(each)));
        }
        session.execute(batch.build());
    }

    @Override
    public void rebalance(int portfolio) {
        BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
        for (Row row : session.execute(readPositions.bind(portfolio))) {
            int number = row.getInt("number");
            int change = number == 0 ? POSITIONS - 1 : -1;
            batch.addStatement(updatePosition.bind(row.getInt("quantity") + change, portfolio, number));
        }
        session.execute(batch.build());
    }

    @Override
    public void order() {
        int purchase = ids.incrementAndGet();
        BatchStatementBuilder batch =
                BatchStatement.builder(BatchType.LOGGED).addStatement(insertPurchase.bind(purchase, "Miller", LINES));
        for (int line = 0; line < LINES; line++) {
            batch.addStatement(insertLine.bind(ids.incrementAndGet(), purchase, "Kettle", line));
        }
        session.execute(batch.build());
    }

    @Override
    public void close() {
        // The session is that of all threads.
    }
}
