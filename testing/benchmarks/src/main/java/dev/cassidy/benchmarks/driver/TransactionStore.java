package dev.cassidy.benchmarks.driver;

import java.util.Collection;
import java.util.List;

/** Accounts, portfolios and orders, as one contestant of {@link TransactionRace} writes them. Used by one thread alone. */
interface TransactionStore extends AutoCloseable {

    /** How many rows the partition of a portfolio has. */
    int POSITIONS = 3;

    /** How many lines an order has. */
    int LINES = 3;

    /** Inserts accounts, each with {@link OwnRows#QUANTITY}, and returns their ids. It is not measured. */
    Collection<Integer> insertAccounts(int count) throws Exception;

    /** Inserts portfolios, each a partition of {@link #POSITIONS} rows with {@link OwnRows#QUANTITY}. It is not measured. */
    Collection<Integer> insertPortfolios(int count) throws Exception;

    /** Reads the accounts, and moves one from each of the others to the first, in one transaction. */
    void transfer(List<Integer> accounts) throws Exception;

    /** Reads a portfolio, and moves one from each of its other positions to the first, in one transaction. */
    void rebalance(int portfolio) throws Exception;

    /** Inserts an order and its lines, each in a partition of its own and with an id that was drawn for it. */
    void order() throws Exception;

    @Override
    void close() throws Exception;
}
