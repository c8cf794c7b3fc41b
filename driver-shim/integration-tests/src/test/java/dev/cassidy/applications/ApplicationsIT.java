package dev.cassidy.applications;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.applications.PetShop.Line;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Two whole applications, unchanged, on H2 in SQL Server's mode and on Cassidy. They must see the same values. */
class ApplicationsIT {

    private static final BigDecimal PRICE = new BigDecimal("12.50");

    private static TestCluster cluster;
    private static Connection h2;
    private static DataSource onH2;
    private static DataSource onCassidy;

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("applications_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        String url =
                "jdbc:h2:mem:applications;MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
                        + ";INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo";
        // H2 keeps a database in memory as long as a connection to it is open.
        h2 = DriverManager.getConnection(url);
        onH2 = new DriverManagerDataSource(url);
        onCassidy = new DriverManagerDataSource(cluster.url() + "&constraints=warn");
        // H2 does not know how SQL Server stores rows, nor names of defaults.
        PetShop.createTables(onH2, PetShop.SCHEMA.replaceAll(" (NON)?CLUSTERED| ASC| CONSTRAINT .DF_\\w+.", ""));
        PetShop.createTables(onCassidy, PetShop.SCHEMA);
        Clinic.createTables(onH2, false);
        Clinic.createTables(onCassidy, true);
    }

    @AfterAll
    static void close() throws SQLException {
        h2.close();
    }

    /**
     * Shows a value by itself. Rows have no order unless a statement gives one. H2 makes an Integer of a SMALLINT, SQL
     * Server's driver and this one a Short; a DECIMAL here keeps the scale that it was given.
     */
    private static String shown(Object value) {
        if (value instanceof Number number) {
            return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
        }
        if (value instanceof Map<?, ?> row) {
            Map<String, String> sorted = new TreeMap<>();
            row.forEach((column, content) -> sorted.put(String.valueOf(column), shown(content)));
            return sorted.toString();
        }
        if (value instanceof List<?> rows) {
            return rows.stream().map(ApplicationsIT::shown).sorted().collect(joining("\n"));
        }
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    private static final class Seen {
        private final Map<String, String> seen = new LinkedHashMap<>();

        void see(String what, Object value) {
            assertThat(seen.put(what, shown(value))).as(what).isNull();
        }
    }

    @Test
    void shouldRunThePetShop() {
        assertThat(dayOfTheShop(onCassidy)).containsExactlyEntriesOf(dayOfTheShop(onH2));
    }

    private static Map<String, String> dayOfTheShop(DataSource database) {
        Seen day = new Seen();
        PetShop shop = new PetShop(database);
        try (SqlSession session = shop.open()) {
            PetShop.Catalogue catalogue = session.getMapper(PetShop.Catalogue.class);
            PetShop.Stock stock = session.getMapper(PetShop.Stock.class);
            day.see(
                    "categories added",
                    List.of(catalogue.addCategory("FISH", "Fish"), catalogue.addCategory("DOGS", "Dogs")));
            day.see("product added", catalogue.addProduct("FI-1", "FISH", "Angelfish", "Salt water"));
            day.see("product without description", catalogue.addProduct("FI-2", "FISH", "Koi", null));
            day.see("product of another category", catalogue.addProduct("K9-1", "DOGS", "Bulldog", "Friendly"));
            day.see("item added", catalogue.addItem("EST-1", "FI-1", PRICE, "Large"));
            day.see("second item", catalogue.addItem("EST-2", "FI-1", new BigDecimal("7.05"), "Small"));
            day.see("item by defaults", catalogue.addItemWithoutAPrice("EST-3", "FI-2"));
            day.see("stock by default", List.of(stock.add("EST-1"), stock.add("EST-2")));
            day.see("delivered", List.of(stock.deliver("EST-1", 10), stock.deliver("EST-2", 5)));
            day.see("delivery of an unknown item", stock.deliver("EST-9", 10));
            day.see("stock of an unknown item", stock.quantity("EST-9"));
            day.see("categories", catalogue.categories());
            day.see("products of fish", catalogue.products("FISH"));
            day.see("products of nothing", catalogue.products("CATS"));
            day.see("product", catalogue.product("FI-1"));
            day.see("items", catalogue.items("FI-1"));
            day.see("item page", shop.itemPage("EST-1"));
            day.see("item page of what has defaults", shop.itemPage("EST-3"));
            day.see("item page of nothing", shop.itemPage("EST-9"));

            PetShop.Accounts accounts = session.getMapper(PetShop.Accounts.class);
            day.see("signed up", accounts.signUp("ada", "secret", "ada@example.org"));
            day.see("exists", accounts.exists("ada"));
            day.see("does not exist", accounts.exists("bob"));
            day.see("signed in", shop.signIn("ada", "secret"));
            day.see("wrong password", shop.signIn("ada", "Secret"));
            day.see("unknown customer", shop.signIn("bob", "secret"));
            Instant created = accounts.created("ada").toInstant();
            day.see(
                    "created just now",
                    created.isAfter(Instant.now().minusSeconds(600))
                            && created.isBefore(Instant.now().plusSeconds(600)));
            day.see("changed", accounts.change("ada", "ada@example.com", false));
            day.see("account", accounts.account("ada"));

            int first = shop.checkOut(
                    "ada", List.of(new Line("EST-1", 2, PRICE), new Line("EST-2", 1, new BigDecimal("7.05"))));
            day.see("first purchase", first);
            day.see("second purchase", shop.checkOut("ada", List.of(new Line("EST-1", 1, PRICE))));
            day.see(
                    "too many",
                    shop.checkOut("ada", List.of(new Line("EST-2", 1, PRICE), new Line("EST-1", 99, PRICE))));
            day.see("left", List.of(stock.quantity("EST-1"), stock.quantity("EST-2")));
            PetShop.Purchases purchases = session.getMapper(PetShop.Purchases.class);
            day.see("purchase", purchases.purchase(first));
            day.see("sent", purchases.send(first));
            day.see("purchase that was sent", purchases.purchase(first));
            day.see("gift with the default quantity", purchases.addGift(first));
            day.see(
                    "lines in order",
                    String.valueOf(purchases.lines(first).stream()
                            .map(ApplicationsIT::shown)
                            .toList()));
            day.see("purchases of ada", purchases.of("ada"));
            day.see("purchases of bob", purchases.of("bob"));
            day.see("number of lines", purchases.lineCount(first));
            day.see("pieces", purchases.pieces(first));
            day.see("pieces of no purchase", purchases.pieces(4711));
            day.see("last line", purchases.lastLine(first));
        }
        return day.seen;
    }

    @Test
    void shouldNeverSellMoreThanThereIs() throws Exception {
        PetShop shop = new PetShop(onCassidy);
        try (SqlSession session = shop.open()) {
            PetShop.Stock stock = session.getMapper(PetShop.Stock.class);
            stock.add("RARE");
            stock.deliver("RARE", 20);
        }
        ExecutorService customers = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> sold = IntStream.range(0, 8)
                    .mapToObj(customer -> customers.submit(() -> {
                        try (SqlSession session = shop.open()) {
                            PetShop.Stock stock = session.getMapper(PetShop.Stock.class);
                            return IntStream.range(0, 4)
                                    .map(i -> stock.take("RARE", 1))
                                    .sum();
                        }
                    }))
                    .toList();
            int total = 0;
            for (Future<Integer> one : sold) {
                total += one.get();
            }
            assertThat(total).isEqualTo(20);
        } finally {
            customers.shutdownNow();
        }
        try (SqlSession session = shop.open()) {
            assertThat(session.getMapper(PetShop.Stock.class).quantity("RARE")).isZero();
        }
    }

    @Test
    void shouldRunTheClinic() {
        assertThat(dayOfTheClinic(onCassidy)).containsExactlyEntriesOf(dayOfTheClinic(onH2));
    }

    private static Map<String, String> dayOfTheClinic(DataSource database) {
        Seen day = new Seen();
        Clinic clinic = new Clinic(database);
        Number cat = clinic.addType("cat");
        Number dog = clinic.addType("dog");
        day.see("types added", List.of(cat, dog));
        day.see("types", clinic.types());
        Number surgery = clinic.addSpecialty("surgery");
        Number dentistry = clinic.addSpecialty("dentistry");
        Number carter = clinic.addVet("James", "Carter");
        Number douglas = clinic.addVet("Linda", "Douglas", surgery, dentistry);
        day.see("specialties of one", clinic.specialtiesOf(douglas));
        day.see("specialties of another", clinic.specialtiesOf(carter));

        Number ada = clinic.save(new Clinic.Owner(null, "Ada", "Davis", "London", "12345"));
        Number eve = clinic.save(new Clinic.Owner(null, "Eve", "Davis", null, null));
        clinic.save(new Clinic.Owner(null, "Max", "O'Hara", "Cork", null));
        day.see("owners by name", clinic.ownersByLastName("Davis"));
        day.see("owners by a name with a quote", clinic.ownersByLastName("O'Hara"));
        day.see("owners by no name", clinic.ownersByLastName("Nobody"));
        day.see("moved", clinic.save(new Clinic.Owner(ada.intValue(), "Ada", "Davis", "Paris", "67890")));
        day.see("owner", clinic.owner(ada));
        day.see("no owner", clinic.owner(4711));

        Number leo = clinic.addPet(ada, cat, "Leo", LocalDate.of(2010, 9, 7), 4.5f);
        Number max = clinic.addPet(ada, dog, "Max", LocalDate.of(1899, 12, 31), null);
        Number tom = clinic.addPet(eve, cat, "Tom", null, null);
        day.see("pets", clinic.pets(ada));
        day.see("pets of nobody", clinic.pets(4711));
        day.see("chips differ", !clinic.chip(leo).equals(clinic.chip(max)));
        Number visit = clinic.addVisit(leo, "rabies shot");
        clinic.addVisit(leo, LocalDate.of(2024, 2, 29), 45, PRICE, "spayed");
        clinic.addVisit(max, LocalDate.of(2024, 3, 1), 15, new BigDecimal("0.99"), "neutered");
        day.see("first visit", visit);
        day.see("visits", clinic.visits(List.of(leo, max)));
        day.see("visits of one without", clinic.visits(List.of(tom)));
        day.see(
                "today",
                Math.abs(clinic.visitDate(visit).toEpochDay() - LocalDate.now().toEpochDay()) <= 1);
        day.see("minutes", clinic.minutesOf(leo));
        day.see("deleted", clinic.deleteVisit(visit));
        day.see("visits after that", clinic.visits(List.of(leo)));
        return day.seen;
    }
}
