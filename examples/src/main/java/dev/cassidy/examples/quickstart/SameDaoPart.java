package dev.cassidy.examples.quickstart;

import dev.cassidy.examples.shop.Customer;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.Product;
import dev.cassidy.examples.shop.ShopDao;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The same data access class, with another URL, continues where the old database stopped. */
record SameDaoPart(OldShop oldShop, NewShop newShop) implements Narration.Part {

    @Override
    public void tell(Narration narration) throws SQLException {
        narration.say("ShopDao is the class of part 1, not a line of it changed. Its URL is now:");
        narration.quote(newShop.url());
        // One connection stays open for the part, as a pool would have it: they all share the driver's session.
        try (Connection connection = DriverManager.getConnection(newShop.url())) {
            copy(narration, connection);
            continueTheNumbers(narration);
            refuseAnIdAhead(narration, connection);
        }
    }

    private void copy(Narration narration, Connection connection) throws SQLException {
        narration.blank();
        narration.say("The old rows move with their ids, by INSERTs that name the id: allowed, because the sequences"
                + " begin after them.");
        List<Product> products = oldShop.products();
        List<Customer> customers = oldShop.customers();
        List<Order> orders = oldShop.orders();
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO product (id, name, price) VALUES (?, ?, ?)")) {
            for (Product product : products) {
                execute(insert, product.id(), product.name(), product.price());
            }
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO customer (id, name, email) VALUES (?, ?, ?)")) {
            for (Customer customer : customers) {
                execute(insert, customer.id(), customer.name(), customer.email());
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (id, customer_id, product_id, quantity) VALUES (?, ?, ?, ?)")) {
            for (Order order : orders) {
                execute(insert, order.id(), order.customerId(), order.productId(), order.quantity());
            }
        }
        narration.table(
                List.of("table", "rows, old", "rows, new"),
                List.of(
                        List.of("product", products.size(), newShop.products().size()),
                        List.of(
                                "customer",
                                customers.size(),
                                newShop.customers().size()),
                        List.of("orders", orders.size(), newShop.orders().size())));
        narration.blank();
        narration.check(
                "all " + Narration.number(products.size() + customers.size() + orders.size())
                        + " old rows are the same in both databases, field by field",
                products.equals(newShop.products())
                        && customers.equals(newShop.customers())
                        && orders.equals(newShop.orders()));
        int bookmarked = products.get(products.size() / 2).id();
        Optional<Product> before = new ShopDao(OldShop.URL).findProduct(bookmarked);
        Optional<Product> after = new ShopDao(newShop.url()).findProduct(bookmarked);
        narration.check(
                "a bookmark of 2015, /product/" + bookmarked + ", still shows the '"
                        + before.map(Product::name).orElse("?") + "'",
                before.isPresent() && before.equals(after));
    }

    private void continueTheNumbers(Narration narration) throws SQLException {
        narration.blank();
        narration.say("The first inserts into Cassandra, with the keys that RETURN_GENERATED_KEYS gave:");
        ShopDao dao = new ShopDao(newShop.url());
        int product = dao.addProduct("Samovar", new BigDecimal("129.90"));
        int customer = dao.addCustomer("Jim", "jim@example.com");
        int order = dao.placeOrder(customer, product, 2);
        narration.table(
                List.of("table", "old MAX(id)", "old last identity", "first new id"),
                List.of(row("product", product), row("customer", customer), row("orders", order)));
        narration.blank();
        narration.check(
                "each first new id is the old last identity + 1: product " + product + ", customer "
                        + Narration.number(customer) + ", order " + Narration.number(order),
                product == oldShop.lastIdentity("product") + 1
                        && customer == oldShop.lastIdentity("customer") + 1
                        && order == oldShop.lastIdentity("orders") + 1);
        narration.check(
                "ShopDao and a plain session find the new rows by these ids",
                dao.findOrder(order).equals(Optional.of(new Order(order, customer, product, 2)))
                        && newShop.orders().contains(new Order(order, customer, product, 2))
                        && newShop.customers().contains(new Customer(customer, "Jim", "jim@example.com"))
                        && newShop.products().contains(new Product(product, "Samovar", new BigDecimal("129.90"))));
        int second = dao.placeOrder(customer, product, 1);
        dao.renameProduct(product, "Samovar, 5 l");
        dao.deleteOrder(second);
        narration.check(
                "ShopDao renames and deletes: product " + product + " is the 'Samovar, 5 l', order "
                        + Narration.number(second) + " is gone",
                newShop.products().contains(new Product(product, "Samovar, 5 l", new BigDecimal("129.90")))
                        && !newShop.ids("orders").contains(second));
        narration.equal(
                "ShopDao counts the orders that a plain session reads",
                (long) newShop.orders().size(),
                dao.countOrders());
    }

    private List<Object> row(String table, int id) throws SQLException {
        return List.of(table, oldShop.maximum(table), oldShop.lastIdentity(table), id);
    }

    private void refuseAnIdAhead(Narration narration, Connection connection) throws SQLException {
        int ahead = Math.toIntExact(oldShop.lastIdentity("orders") + 1_000_000);
        narration.blank();
        narration.say("An INSERT that names an id which the sequence has yet to issue would be overwritten one day:");
        String state = "none";
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (id, quantity) VALUES (?, ?)")) {
            execute(insert, ahead, 1);
        } catch (SQLException e) {
            state = e.getSQLState();
            narration.cite("SQLState " + state + ": " + e.getMessage());
        }
        narration.check(
                "an INSERT of the explicit id " + Narration.number(ahead)
                        + " is refused (SQLState 23000) and writes nothing",
                state.equals("23000") && !newShop.ids("orders").contains(ahead));
    }

    private static void execute(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        statement.executeUpdate();
    }
}
