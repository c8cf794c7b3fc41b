package dev.cassidy.applications.shop;

import dev.cassidy.applications.Journal;
import dev.cassidy.applications.shop.Shop.NewItem;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.sql.DataSource;

/** Some days of the shop: it is filled, customers sign up, look for goods, and buy them; its owner looks at what was sold. */
public final class ShopScenario {

    private static final LocalDateTime START = LocalDateTime.of(2024, 2, 27, 9, 30);

    private final Shop shop;
    private final Journal journal;

    private ShopScenario(Shop shop, Journal journal) {
        this.shop = shop;
        this.journal = journal;
    }

    public static Journal run(DataSource database) {
        Journal journal = new Journal();
        ShopScenario scenario = new ShopScenario(new Shop(database), journal);
        scenario.fill();
        scenario.signUps();
        scenario.browse();
        scenario.carts();
        scenario.orders();
        scenario.reports();
        scenario.closingTime();
        return journal;
    }

    private <T> T catalog(String what, Function<CatalogMapper, T> call) {
        return journal.see(what, () -> shop.with(CatalogMapper.class, call));
    }

    private <T> T accounts(String what, Function<AccountMapper, T> call) {
        return journal.see(what, () -> shop.with(AccountMapper.class, call));
    }

    private <T> T carts(String what, Function<CartMapper, T> call) {
        return journal.see(what, () -> shop.with(CartMapper.class, call));
    }

    private <T> T orders(String what, Function<OrderMapper, T> call) {
        return journal.see(what, () -> shop.with(OrderMapper.class, call));
    }

    private static BigDecimal price(String price) {
        return new BigDecimal(price);
    }

    private void fill() {
        catalog("category: fish", catalog -> catalog.insertCategory("FISH", "Fish", 1));
        catalog("category: dogs", catalog -> catalog.insertCategory("DOGS", "Dogs", 2));
        catalog("category: birds", catalog -> catalog.insertCategory("BIRDS", "Birds", 2));
        catalog("category: none yet", catalog -> catalog.insertCategory("MICE", "Mice", 0));
        journal.seeRefused(
                "a category that is there",
                () -> shop.with(CatalogMapper.class, catalog -> catalog.insertCategory("fish", "Other fish", 9)));
        NewSupplier sea = new NewSupplier("Sea & Sons", "555-1234");
        NewSupplier farm = new NewSupplier("farm", null);
        NewSupplier abc = new NewSupplier("ABC", "555-9999");
        catalog(
                "suppliers",
                catalog -> catalog.insertSupplier(sea) + catalog.insertSupplier(farm) + catalog.insertSupplier(abc));
        journal.see("ids of suppliers", () -> List.of(sea.supplierId(), farm.supplierId(), abc.supplierId()));
        add(
                new Product("FISH", "Angelfish", "Salt water fish from Australia"),
                new NewItem("EST-1", sea.supplierId(), price("16.50"), price("10.00"), "Large", 100),
                new NewItem("EST-2", sea.supplierId(), price("16.50"), price("10.00"), "Small", 3));
        add(
                new Product("FISH", "koi", "Fresh water fish from Japan"),
                new NewItem("EST-4", farm.supplierId(), price("18.75"), price("12.00"), "Spotted", 20),
                new NewItem("EST-5", null, price("8.40"), null, null, 0));
        add(
                new Product("DOGS", "Bulldog", "Friendly dog"),
                new NewItem("EST-6", farm.supplierId(), price("218.50"), price("92.00"), "Male Adult", 5));
        add(new Product("DOGS", "Dalmation", null));
        add(
                new Product("BIRDS", "Amazon Parrot", "Great companion for up to 75 years"),
                new NewItem("EST-18", farm.supplierId(), price("193.50"), price("92.00"), "Adult", 7),
                new NewItem("EST-19", abc.supplierId(), price("0.99"), price("0.10"), "Chick", 12));
        journal.seeRefused(
                "a product of which an item is there",
                () -> shop.addProduct(
                        new Product("FISH", "Tiger Shark", "Never added"),
                        List.of(
                                new NewItem("EST-3", null, price("1.00"), null, null, 1),
                                new NewItem("EST-1", null, price("1.00"), null, null, 1))));
    }

    private void add(Product product, NewItem... items) {
        journal.see("product added: " + product, () -> shop.addProduct(product, List.of(items)));
    }

    private void signUps() {
        signUp("ada", "Lovelace", "ada@example.org", "Ada Lovelace", "FISH");
        signUp("Bob", "Brooks", "bob@example.org", "Bob Brooks", null);
        signUp("cy", "pwd", "cy@example.org", "Cy O'Hara", "BIRDS");
        journal.seeRefused(
                "a user's name that is there", () -> shop.signUp(new NewAccount("ADA", "x", "x@x", "Other Ada", null)));
        accounts("signed in", accounts -> accounts.signIn("ada", "Lovelace"));
        accounts("signed in by a name in capitals", accounts -> accounts.signIn("BOB", "Brooks"));
        accounts("wrong password", accounts -> accounts.signIn("ada", "Byron"));
        accounts("unknown user", accounts -> accounts.signIn("eve", "Lovelace"));
        accounts("user's name is taken", accounts -> accounts.countByUserName("Cy"));
        accounts("user's name is free", accounts -> accounts.countByUserName("dan"));
        accounts("profile changed", accounts -> accounts.updateProfile(2, null, "de", false));
        accounts("profile of nobody changed", accounts -> accounts.updateProfile(99, "Nobody", null, null));
        accounts("profile as changed", accounts -> accounts.signIn("Bob", "Brooks"));
        accounts("password changed", accounts -> accounts.changePassword("ada", "Lovelace", "Byron"));
        accounts("password not changed", accounts -> accounts.changePassword("ada", "Lovelace", "Byron"));
        accounts("signed in with the new password", accounts -> accounts.signIn("ada", "Byron"));
        accounts("readers of the newsletter", AccountMapper::readers);
    }

    private void signUp(String user, String password, String email, String name, String favourite) {
        journal.see("signed up: " + user, () -> shop.signUp(new NewAccount(user, password, email, name, favourite)));
    }

    private void browse() {
        catalog("categories", CatalogMapper::categories);
        catalog("category", catalog -> catalog.category("FISH"));
        catalog("category by small letters", catalog -> catalog.category("dogs"));
        catalog("no category", catalog -> catalog.category("CATS"));
        catalog("products of fish", catalog -> catalog.productsOf("FISH"));
        catalog("products of mice", catalog -> catalog.productsOf("MICE"));
        catalog("product", catalog -> catalog.product(3));
        catalog("no product", catalog -> catalog.product(4711));
        catalog("search: fish", catalog -> catalog.search(List.of("%fish%")));
        catalog("search: dog, japan", catalog -> catalog.search(List.of("%dog%", "%japan%")));
        catalog("search: begins with a", catalog -> catalog.search(List.of("a%")));
        catalog("search: one character", catalog -> catalog.search(List.of("ko_")));
        catalog("search: nothing", catalog -> catalog.search(List.of("%unicorn%")));
        catalog("find: all", catalog -> catalog.find(null, null, null, null, false));
        catalog("find: birds", catalog -> catalog.find("BIRDS", null, null, null, false));
        catalog("find: by name and price", catalog -> catalog.find(null, "O", price("10"), price("200"), true));
        catalog("find: in stock", catalog -> catalog.find("FISH", null, null, price("16.50"), true));
        catalog("item", catalog -> catalog.item("EST-6"));
        catalog("item without supplier", catalog -> catalog.item("est-5"));
        catalog("no item", catalog -> catalog.item("EST-99"));
        catalog("items of a product", catalog -> catalog.itemsOf(1));
        catalog("items of a product without", catalog -> catalog.itemsOf(4));
        catalog("quantity", catalog -> catalog.qty("EST-2"));
        catalog("quantity of nothing", catalog -> catalog.qty("EST-3"));
        catalog("availability", catalog -> catalog.availability(List.of(1, 2)));
        catalog("cards", CatalogMapper::cards);
        catalog("cheapest", catalog -> catalog.cheapest(3));
        catalog("suppliers of fish", catalog -> catalog.suppliersOf("FISH"));
        catalog("suppliers of birds", catalog -> catalog.suppliersOf("BIRDS"));
        catalog("above the average", CatalogMapper::aboveTheAverage);
        catalog("items of two categories", catalog -> catalog.itemsOfCategories(List.of("DOGS", "BIRDS")));
        catalog("contacts", CatalogMapper::contacts);
        catalog("products without description", CatalogMapper::withoutDescription);
        catalog("all criteria, none given", catalog -> catalog.catchAll(null, null));
        catalog("all criteria, one given", catalog -> catalog.catchAll("BIRDS", null));
        catalog("all criteria, both given", catalog -> catalog.catchAll("DOGS", price("200.00")));
        catalog("whole items", catalog -> catalog.wholeItems(2));
        catalog("an escaped pattern", catalog -> catalog.escaped("%from!%%"));
        catalog("a pattern with an escape", catalog -> catalog.escaped("Fr!esh%"));
        catalog("dearest of each category", CatalogMapper::dearestOfEach);
        catalog("dearer than a sibling", CatalogMapper::dearerSiblings);
        catalog("averages", CatalogMapper::averages);
        catalog("short names", catalog -> catalog.shortNames("al"));
        catalog("suppliers without dogs", CatalogMapper::suppliersWithoutDogs);
        catalog("names of all kinds", CatalogMapper::namesOfAllKinds);
        catalog("page with total", catalog -> catalog.pageWithTotal(2, 3));
        journal.see("products, one by one", () -> shop.products(1, 3));
        catalog("price changed", catalog -> catalog.reprice("EST-1", price("17.25")));
        catalog("delivered", catalog -> catalog.deliver("EST-5", 40));
        catalog("delivery of nothing", catalog -> catalog.deliver("EST-99", 40));
        journal.see(
                "delivered in a batch", () -> shop.deliver(new TreeMap<>(Map.of("EST-2", 1, "EST-4", 2, "EST-98", 3))));
        catalog("items as changed", catalog -> catalog.find("FISH", null, null, null, false));
    }

    private void carts() {
        journal.see("put into the cart", () -> shop.putIntoCart(1, "EST-1", 2));
        journal.see("put another item into it", () -> shop.putIntoCart(1, "EST-19", 1));
        journal.see("put one more into it", () -> shop.putIntoCart(1, "est-1", 1));
        journal.see("put one into it that goes again", () -> shop.putIntoCart(1, "EST-6", 1));
        carts("cart's number", carts -> carts.cartOf(1));
        carts("cart", carts -> carts.lines(1));
        carts("taken out", carts -> carts.takeOut(1, "EST-6"));
        carts("taken out again", carts -> carts.takeOut(1, "EST-6"));
        carts("total", carts -> carts.total(1));
        carts("pieces", carts -> carts.pieces(1));
        journal.see("cost with one more", () -> shop.costWith(1, "EST-1", 1));
        journal.see("cost with another item", () -> shop.costWith(1, "EST-6", 1));
        carts("total as it was", carts -> carts.total(1));
        carts("empty cart", carts -> carts.lines(2));
        carts("total of an empty cart", carts -> carts.total(2));
        carts("pieces of an empty cart", carts -> carts.pieces(2));
    }

    private Integer checkOut(int account, int hours, String notes) {
        return journal.see(
                "checked out: " + account + " after " + hours + " hours",
                () -> shop.checkOut(account, START.plusHours(hours), account == 1 ? "1 Main St" : "2 High St", notes));
    }

    private void order(int account, int hours, String notes, String code, int quantity) {
        journal.see("put into the cart: " + code, () -> shop.putIntoCart(account, code, quantity));
        checkOut(account, hours, notes);
    }

    private void orders() {
        checkOut(1, 0, "Ring twice");
        orders("order", orders -> orders.order(1000));
        catalog("left of what was bought", catalog -> catalog.qty("EST-1"));
        carts("cart after that", carts -> carts.lines(1));
        checkOut(1, 1, null);
        order(1, 24, null, "EST-4", 2);
        order(2, 30, "A gift", "EST-2", 3);
        order(1, 72, null, "EST-18", 1);
        journal.see("put too many into the cart", () -> shop.putIntoCart(2, "EST-18", 70));
        journal.seeRefused("checked out too many", () -> shop.checkOut(2, START.plusHours(80), "2 High St", null));
        carts("cart as it was", carts -> carts.lines(2));
        catalog("left of what was not bought", catalog -> catalog.qty("EST-18"));
        orders("orders of that customer", orders -> orders.history(2, 0, 10));
        orders("first page of the history", orders -> orders.history(1, 0, 2));
        orders("second page of the history", orders -> orders.history(1, 2, 2));
        orders("page after the last", orders -> orders.history(1, 4, 2));
        orders("history of nobody", orders -> orders.history(99, 0, 2));
        orders("history by row number", orders -> orders.historyByRowNumber(1, 2, 3));
        orders("last order", orders -> orders.last(1));
        orders("no last order", orders -> orders.last(3));
        orders("number of orders", orders -> orders.countOf(1));
        orders("shipped", orders -> orders.changeStatus(1000, "NEW", "SHIPPED"));
        orders("shipped again", orders -> orders.changeStatus(1000, "NEW", "SHIPPED"));
        orders("order as shipped", orders -> orders.order(1000));
        orders("no order", orders -> orders.order(4711));
        orders("open orders", orders -> orders.open(List.of("NEW", "PAID")));
        orders("placed on two days", orders -> orders.placedBetween(START.plusHours(1), START.plusHours(48)));
        orders("placed in the last two days", orders -> orders.placedSince(START.plusHours(72), 2));
    }

    private void reports() {
        orders("sales by category", OrderMapper::salesByCategory);
        orders("best sellers", orders -> orders.bestSellers(2));
        orders("spending", OrderMapper::spending);
        orders("orders by month", OrderMapper::byMonth);
        orders("buyers of one item", orders -> orders.buyersOf("EST-2"));
        orders("journal", OrderMapper::journal);
        orders("big spenders", orders -> orders.bigSpenders(START.plusDays(30)));
        orders("orders by day", OrderMapper::byDay);
        orders("lines with a running total", orders -> orders.linesWithRunningTotal(1));
        orders("states", OrderMapper::states);
        catalog("never ordered", CatalogMapper::neverOrdered);
        accounts("profile page", accounts -> accounts.profilePage(1));
        accounts("profile page without favourite", accounts -> accounts.profilePage(2));
    }

    private void closingTime() {
        orders("all orders cancelled", orders -> orders.cancelAllOf(1));
        orders("orders as cancelled", orders -> orders.history(1, 0, 10));
        orders("lines deleted", orders -> orders.deleteLines(1001));
        orders("order without lines", orders -> orders.order(1001));
        catalog("product discontinued", catalog -> catalog.discontinueProduct(1));
        carts("all items of a product put into a cart", carts -> carts.putAllOf(3, 1, 2));
        journal.seeRefused(
                "put into the cart again", () -> shop.with(CartMapper.class, carts -> carts.putAllOf(3, 1, 2)));
        carts("put others into it", carts -> carts.putAllOf(3, 2, 1));
        carts("cart of all these", carts -> carts.lines(3));
        carts("taken out what is gone", CartMapper::takeOutWhatIsGone);
        carts("cart without these", carts -> carts.lines(3));
        orders("lines copied", orders -> orders.copyLines(1000, 1001));
        orders("added up", OrderMapper::addUp);
        orders("order with copied lines", orders -> orders.order(1001));
        orders("lines deleted again", orders -> orders.deleteLines(1001));
        orders("orders without lines deleted", OrderMapper::deleteOrdersWithoutLines);
        orders("orders that are left", orders -> orders.history(1, 0, 10));
        catalog("dearer items repriced", catalog -> catalog.repriceDearerThan(price("100.00")));
        catalog("items as repriced", catalog -> catalog.find(null, null, price("100.00"), null, false));
        catalog("products renamed", catalog -> catalog.renameByPattern("%d%o%"));
        catalog("products as renamed", catalog -> catalog.productsOf("DOGS"));
        catalog("cheapest of what is left", catalog -> catalog.cheapest(2));
        accounts("account closed", accounts -> accounts.closeAccount(2));
        accounts("signed in after that", accounts -> accounts.signIn("Bob", "Brooks"));
    }
}
