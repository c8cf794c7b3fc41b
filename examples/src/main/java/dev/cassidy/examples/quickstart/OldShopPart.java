package dev.cassidy.examples.quickstart;

import dev.cassidy.examples.shop.Customer;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.Product;
import dev.cassidy.examples.shop.ShopDao;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** The shop in its old database: the data access inserts, renames and deletes. */
record OldShopPart(OldShop shop, Sizes sizes, RandomGenerator random) implements Narration.Part {

    private static final List<String> COLOURS = List.of("Red", "Blue", "Green", "Black", "White");
    private static final List<String> THINGS =
            List.of("kettle", "lamp", "chair", "clock", "kite", "mug", "rug", "vase");
    private static final List<String> NAMES = List.of("Ada", "Alan", "Barbara", "Edsger", "Grace", "Leslie", "Tony");

    @Override
    public void tell(Narration narration) throws SQLException {
        narration.say("H2 in SQL Server mode stands in for SQL Server. Its tables, in T-SQL:");
        narration.quote(OldShop.DDL);
        narration.say("The shop's data access is ShopDao: plain java.sql, RETURN_GENERATED_KEYS, and this URL:");
        narration.quote(OldShop.URL);
        ShopDao dao = new ShopDao(OldShop.URL);
        List<Integer> products = products(dao);
        List<Integer> customers = customers(dao);
        List<Integer> orders = orders(dao, customers, products);

        narration.blank();
        narration.say("What the tables hold now, read by another connection:");
        List<List<Object>> rows = new ArrayList<>();
        for (String table : OldShop.TABLES) {
            rows.add(List.of(table, shop.count(table), shop.maximum(table), shop.lastIdentity(table)));
        }
        narration.table(List.of("table", "rows", "MAX(id)", "last identity"), rows);
        narration.blank();
        narration.equal(
                "every key that ShopDao was given is the id of a row, and no row has another",
                List.of(products, customers, orders),
                ids());
        long maximum = shop.maximum("orders");
        long lastOrder = shop.lastIdentity("orders");
        narration.check(
                "orders " + Narration.number(maximum + 1) + " to " + Narration.number(lastOrder)
                        + " were deleted: a seed of MAX(id) would issue " + (lastOrder - maximum) + " ids twice",
                lastOrder - maximum == sizes.deletedOrders());
    }

    private List<Integer> products(ShopDao dao) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < sizes.products(); i++) {
            String name = COLOURS.get(i % COLOURS.size()) + " " + THINGS.get(i % THINGS.size());
            ids.add(dao.addProduct(name, BigDecimal.valueOf(random.nextLong(100, 20_000), 2)));
        }
        dao.renameProduct(ids.get(0), "Red kettle, 1.7 l");
        dao.deleteProduct(ids.remove(ids.size() - 1));
        return ids;
    }

    private List<Integer> customers(ShopDao dao) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < sizes.customers(); i++) {
            String name = NAMES.get(i % NAMES.size());
            ids.add(dao.addCustomer(name, name.toLowerCase(Locale.ROOT) + i + "@example.com"));
        }
        return ids;
    }

    private List<Integer> orders(ShopDao dao, List<Integer> customers, List<Integer> products) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < sizes.orders(); i++) {
            int customer = customers.get(random.nextInt(customers.size()));
            int product = products.get(random.nextInt(products.size()));
            ids.add(dao.placeOrder(customer, product, random.nextInt(1, 10)));
        }
        for (int i = 0; i < sizes.deletedOrders(); i++) {
            dao.deleteOrder(ids.remove(ids.size() - 1));
        }
        return ids;
    }

    private List<List<Integer>> ids() throws SQLException {
        return List.of(
                shop.products().stream().map(Product::id).toList(),
                shop.customers().stream().map(Customer::id).toList(),
                shop.orders().stream().map(Order::id).toList());
    }
}
