package dev.cassidy.benchmarks.driver;

import java.util.ArrayList;
import java.util.List;

/** Transactions of one shape. */
final class Transactions implements Work {

    private final TransactionStore store;
    private final TransactionRace.Shape shape;
    private final OwnRows rows;

    Transactions(TransactionStore store, TransactionRace.Shape shape) {
        this.store = store;
        this.shape = shape;
        this.rows = new OwnRows(
                shape == TransactionRace.Shape.ONE_PARTITION ? store::insertPortfolios : store::insertAccounts, false);
    }

    @Override
    public void prepare() throws Exception {
        if (shape != TransactionRace.Shape.FRESH) {
            rows.prepare();
        }
    }

    @Override
    public int call() throws Exception {
        switch (shape) {
            case ONE_PARTITION -> store.rebalance(next());
            case FRESH -> store.order();
            case TWO_PARTITIONS, FIVE_PARTITIONS -> {
                List<Integer> accounts = new ArrayList<>();
                for (int row = 0; row < shape.rows(); row++) {
                    accounts.add(next());
                }
                store.transfer(accounts);
            }
        }
        return shape.rows();
    }

    private int next() {
        Integer id = rows.next();
        if (id == null) {
            throw new IllegalStateException("there are no rows");
        }
        return id;
    }

    @Override
    public void close() throws Exception {
        store.close();
    }
}
