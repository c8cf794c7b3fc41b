package dev.cassidy.examples.quickstart;

/**
 * How much the quickstart does.
 *
 * @param products that the old shop inserts; the last one is deleted again
 * @param customers that the old shop inserts
 * @param orders that the old shop inserts
 * @param deletedOrders how many of them, the last ones, are deleted again
 * @param threads that insert orders at once in Cassandra
 * @param ordersPerThread how many orders each of them inserts
 * @param trades that are counted
 * @param retriedTrades how many of them are sent twice
 */
record Sizes(
        int products,
        int customers,
        int orders,
        int deletedOrders,
        int threads,
        int ordersPerThread,
        int trades,
        int retriedTrades) {

    Sizes {
        if (products < 2
                || customers < 1
                || deletedOrders < 1
                || orders <= deletedOrders
                || threads < 1
                || ordersPerThread < 1
                || retriedTrades < 1
                || trades < retriedTrades) {
            throw new IllegalArgumentException("must be products > 1, customers > 0, orders > deletedOrders > 0,"
                    + " threads > 0, ordersPerThread > 0, trades >= retriedTrades > 0: products=" + products
                    + " customers=" + customers + " orders=" + orders + " deletedOrders=" + deletedOrders + " threads="
                    + threads + " ordersPerThread=" + ordersPerThread + " trades=" + trades + " retriedTrades="
                    + retriedTrades);
        }
    }

    static Sizes defaults() {
        return new Sizes(40, 120, 1_200, 13, 32, 250, 5_000, 500);
    }
}
