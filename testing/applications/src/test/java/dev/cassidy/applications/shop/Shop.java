package dev.cassidy.applications.shop;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.LocalCacheScope;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/**
 * A web shop, written for SQL Server with MyBatis as it has been for ten years: its statements join, sort and group as they
 * need, and nothing in it knows of Cassandra.
 */
public final class Shop {

    private final SqlSessionFactory sessions;

    public Shop(DataSource database) {
        Configuration configuration =
                new Configuration(new Environment("shop", new JdbcTransactionFactory(), database));
        configuration.setMapUnderscoreToCamelCase(true);
        configuration.setArgNameBasedConstructorAutoMapping(true);
        // Rows that were read before a write are not kept.
        configuration.setLocalCacheScope(LocalCacheScope.STATEMENT);
        configuration.addMapper(AccountMapper.class);
        configuration.addMapper(CatalogMapper.class);
        configuration.addMapper(CartMapper.class);
        configuration.addMapper(OrderMapper.class);
        sessions = new SqlSessionFactoryBuilder().build(configuration);
    }

    /** A call of one mapper, committed by itself. */
    <M, T> T with(Class<M> mapper, Function<M, T> call) {
        try (SqlSession session = sessions.openSession(true)) {
            return call.apply(session.getMapper(mapper));
        }
    }

    private <T> T inTransaction(Function<SqlSession, T> work) {
        try (SqlSession session = sessions.openSession(false)) {
            T result = work.apply(session);
            session.commit();
            return result;
        }
    }

    /** Signs a customer up, with an empty cart. */
    int signUp(NewAccount account) {
        return inTransaction(session -> {
            AccountMapper accounts = session.getMapper(AccountMapper.class);
            accounts.insertAccount(account);
            accounts.insertProfile(account);
            session.getMapper(CartMapper.class).open(new Cart(account.accountId()));
            return account.accountId();
        });
    }

    /** Puts items into a customer's cart, beside those of their kind that are there. */
    int putIntoCart(int accountId, String code, int quantity) {
        return inTransaction(session -> {
            CartMapper carts = session.getMapper(CartMapper.class);
            int cart = carts.cartOf(accountId);
            if (carts.addTo(cart, code, quantity) == 1) {
                return 1;
            }
            carts.put(cart, code, quantity);
            return 0;
        });
    }

    /** Returns what a customer's cart would cost with more of an item in it, which it does not get. */
    BigDecimal costWith(int accountId, String code, int quantity) {
        try (SqlSession session = sessions.openSession(false)) {
            CartMapper carts = session.getMapper(CartMapper.class);
            int cart = carts.cartOf(accountId);
            if (carts.addTo(cart, code, quantity) == 0) {
                carts.put(cart, code, quantity);
            }
            BigDecimal total = carts.total(cart);
            session.rollback();
            return total;
        }
    }

    /** Adds stock of many items in one batch. */
    List<Integer> deliver(Map<String, Integer> quantities) {
        try (SqlSession session = sessions.openSession(ExecutorType.BATCH, false)) {
            CatalogMapper catalog = session.getMapper(CatalogMapper.class);
            quantities.forEach(catalog::deliver);
            List<Integer> counts = session.flushStatements().stream()
                    .flatMapToInt(result -> Arrays.stream(result.getUpdateCounts()))
                    .boxed()
                    .toList();
            session.commit();
            return counts;
        }
    }

    /** Returns some of the products, which are read one by one. */
    List<String> products(int skipped, int size) {
        try (SqlSession session = sessions.openSession(false)) {
            List<String> names = new ArrayList<>();
            session.<Product>select(
                    CatalogMapper.class.getName() + ".search",
                    Map.of("words", List.of("%")),
                    new RowBounds(skipped, size),
                    row -> names.add(row.getResultObject().toString()));
            return names;
        }
    }

    /** Adds a product with its items; a failure adds none of them. */
    int addProduct(Product product, List<NewItem> items) {
        return inTransaction(session -> {
            CatalogMapper catalog = session.getMapper(CatalogMapper.class);
            catalog.insertProduct(product);
            for (NewItem item : items) {
                catalog.insertItem(
                        item.code(),
                        product.productId(),
                        item.supplierId(),
                        item.listPrice(),
                        item.unitCost(),
                        item.attribute());
                catalog.insertInventory(item.code(), item.qty());
            }
            return product.productId();
        });
    }

    /** An item to add. */
    record NewItem(
            String code, Integer supplierId, BigDecimal listPrice, BigDecimal unitCost, String attribute, int qty) {}

    /**
     * Makes an order of a customer's cart. If there is too little of an item, the table's CHECK refuses it, and nothing is
     * written.
     *
     * @return the order's number; null if the cart is empty
     */
    Integer checkOut(int accountId, LocalDateTime now, String shipTo, String notes) {
        return inTransaction(session -> {
            CartMapper carts = session.getMapper(CartMapper.class);
            OrderMapper orders = session.getMapper(OrderMapper.class);
            int cart = carts.cartOf(accountId);
            List<CartLine> lines = carts.lines(cart);
            if (lines.isEmpty()) {
                return null;
            }
            Order order = new Order(accountId, now, shipTo, carts.total(cart), notes);
            orders.insert(order);
            int number = 0;
            for (CartLine line : lines) {
                number++;
                orders.insertLine(
                        new OrderLine(order.orderId(), number, line.itemCode(), line.quantity(), line.listPrice()));
                orders.take(line.itemCode(), line.quantity());
            }
            carts.empty(cart);
            return order.orderId();
        });
    }
}
