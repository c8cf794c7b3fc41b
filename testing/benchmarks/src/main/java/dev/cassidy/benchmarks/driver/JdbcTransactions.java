package dev.cassidy.benchmarks.driver;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** DAO code on plain java.sql, with {@code setAutoCommit(false)} and {@code commit()}, on exact tables. */
final class JdbcTransactions implements TransactionStore {

    private final Connection connection;
    private final AtomicInteger portfolios;
    private final PreparedStatement insertAccount;
    private final PreparedStatement readAccount;
    private final PreparedStatement updateAccount;
    private final PreparedStatement insertPosition;
    private final PreparedStatement readPositions;
    private final PreparedStatement updatePosition;
    private final PreparedStatement insertPurchase;
    private final PreparedStatement insertLine;

    /**
     * @param connection is closed with the store
     * @param portfolios the ids of those of all threads so far
     */
    JdbcTransactions(Connection connection, AtomicInteger portfolios) throws SQLException {
        this.connection = connection;
        this.portfolios = portfolios;
        connection.setAutoCommit(false);
        this.insertAccount = connection.prepareStatement(
                "INSERT INTO account (balance) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
        this.readAccount = connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
        this.updateAccount = connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
        this.insertPosition =
                connection.prepareStatement("INSERT INTO position (portfolio, number, quantity) VALUES (?, ?, ?)");
        this.readPositions = connection.prepareStatement("SELECT number, quantity FROM position WHERE portfolio = ?");
        this.updatePosition =
                connection.prepareStatement("UPDATE position SET quantity = ? WHERE portfolio = ? AND number = ?");
        this.insertPurchase = connection.prepareStatement(
                "INSERT INTO purchase (customer, total) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
        this.insertLine = connection.prepareStatement("INSERT INTO line (purchase, name, quantity) VALUES (?, ?, ?)");
    }

    @Override
    public Collection<Integer> insertAccounts(int count) throws SQLException {
        connection.setAutoCommit(true);
        for (int row = 0; row < count; row++) {
            insertAccount.setInt(1, OwnRows.QUANTITY);
            insertAccount.addBatch();
        }
        insertAccount.executeBatch();
        List<Integer> ids = generated(insertAccount);
        connection.setAutoCommit(false);
        return ids;
    }

    @Override
    public Collection<Integer> insertPortfolios(int count) throws SQLException {
        connection.setAutoCommit(true);
        List<Integer> ids = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            int portfolio = portfolios.incrementAndGet();
            for (int number = 0; number < POSITIONS; number++) {
                insertPosition.setInt(1, portfolio);
                insertPosition.setInt(2, number);
                insertPosition.setInt(3, OwnRows.QUANTITY);
                insertPosition.addBatch();
            }
            ids.add(portfolio);
        }
        insertPosition.executeBatch();
        connection.setAutoCommit(false);
        return ids;
    }

    @Override
    public void transfer(List<Integer> accounts) throws SQLException {
        List<Integer> balances = new ArrayList<>();
        for (int id : accounts) {
            readAccount.setInt(1, id);
            try (ResultSet row = readAccount.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("no account " + id);
                }
                balances.add(row.getInt(1));
            }
        }
        for (int each = 0; each < accounts.size(); each++) {
            updateAccount.setInt(1, balances.get(each) + (each == 0 ? accounts.size() - 1 : -1));
            updateAccount.setInt(2, accounts.get(each));
            requireOne(updateAccount.executeUpdate());
        }
        connection.commit();
    }

    @Override
    public void rebalance(int portfolio) throws SQLException {
        int[] quantities = new int[POSITIONS];
        readPositions.setInt(1, portfolio);
        try (ResultSet row = readPositions.executeQuery()) {
            while (row.next()) {
                quantities[row.getInt(1)] = row.getInt(2);
            }
        }
        for (int number = 0; number < POSITIONS; number++) {
            updatePosition.setInt(1, quantities[number] + (number == 0 ? POSITIONS - 1 : -1));
            updatePosition.setInt(2, portfolio);
            updatePosition.setInt(3, number);
            requireOne(updatePosition.executeUpdate());
        }
        connection.commit();
    }

    @Override
    public void order() throws SQLException {
        insertPurchase.setString(1, "Miller");
        insertPurchase.setInt(2, LINES);
        requireOne(insertPurchase.executeUpdate());
        int purchase = generated(insertPurchase).get(0);
        for (int line = 0; line < LINES; line++) {
            insertLine.setInt(1, purchase);
            insertLine.setString(2, "Kettle");
            insertLine.setInt(3, line);
            insertLine.addBatch();
        }
        insertLine.executeBatch();
        connection.commit();
    }

    private static List<Integer> generated(PreparedStatement insert) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (ResultSet generated = insert.getGeneratedKeys()) {
            while (generated.next()) {
                ids.add(generated.getInt(1));
            }
        }
        return ids;
    }

    private static void requireOne(int count) {
        if (count != 1) {
            throw new IllegalStateException("a row was to be written: " + count);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
