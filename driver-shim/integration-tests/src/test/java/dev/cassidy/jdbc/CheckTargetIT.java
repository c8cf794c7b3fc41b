package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The cluster that an application will move to also judges its statements. It runs none of them. */
@ExtendWith(CheckSwitch.class)
class CheckTargetIT {

    @TempDir
    Path folder;

    @Test
    void shouldLetTheTargetJudge() throws Exception {
        TestCluster cluster = TestCluster.fresh("check_it");
        cluster.cql(
                "CREATE TABLE $.product (id int PRIMARY KEY, name text, price int)",
                "CREATE TABLE $.note (what text, id int PRIMARY KEY) WITH comment = '[columns: what, id]'",
                "CREATE TABLE $.basket (id int PRIMARY KEY, name text)",
                "CREATE TABLE $.member (login text PRIMARY KEY, age int)");
        cluster.identity("product", "id", IdentityType.INT, 100);
        try (Connection target = cluster.connect();
                Statement statement = target.createStatement()) {
            statement.execute("CREATE TABLE part (id INT PRIMARY KEY, qty INT DEFAULT 5, size INT)");
        }
        String old = "jdbc:h2:mem:check_it;MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;DB_CLOSE_DELAY=-1";
        Properties properties = new Properties();
        properties.setProperty(
                "cassidy.check.report", folder.resolve("report.json").toString());
        properties.setProperty("cassidy.check.target", cluster.url() + "&constraints=warn");

        try (Connection plain = DriverManager.getConnection(old);
                Connection connection = DriverManager.getConnection("jdbc:cassidy:check:" + old, properties);
                Statement statement = connection.createStatement()) {
            for (String table : List.of("product", "basket", "forgotten")) {
                plain.createStatement()
                        .execute("CREATE TABLE " + table
                                + " (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(9), price INT)");
            }
            plain.createStatement().execute("CREATE TABLE note (what NVARCHAR(9), id INT PRIMARY KEY)");
            plain.createStatement().execute("CREATE TABLE member (login NVARCHAR(9) PRIMARY KEY, age INT)");
            statement.executeUpdate("INSERT INTO product (name) VALUES ('a')", Statement.RETURN_GENERATED_KEYS);
            statement.executeUpdate("INSERT INTO basket (name) VALUES ('b')", Statement.RETURN_GENERATED_KEYS);
            statement.executeQuery("SELECT name FROM product WHERE price > 3");
            statement.executeQuery("SELECT name FROM forgotten");
            statement.executeUpdate("UPDATE product SET price = 1 WHERE id = 1");
            // What only the target's schema tells.
            statement.executeQuery("SELECT name FROM product WHERE id = 1 OR id = 2");
            statement.executeQuery("SELECT name FROM product WHERE price = 1 OR price = 2");
            statement.executeUpdate("INSERT INTO note VALUES ('c', 3)");
            statement.executeQuery("SELECT name FROM product WHERE 1 = 0");
            plain.createStatement()
                    .execute("CREATE TABLE part (id INT PRIMARY KEY, qty INT DEFAULT 5, size INT DEFAULT 3)");
            statement.executeQuery("SELECT age FROM member WHERE login = 'ada'");
            statement.executeQuery("SELECT age FROM member");
            statement.executeQuery("SELECT age FROM member WHERE age = 3");
            statement.execute("CREATE UNIQUE INDEX ux ON product (price)");
            statement.execute("CREATE INDEX ix ON basket (price, id)");
        }

        assertThat(Files.readString(folder.resolve("report.txt")))
                .contains(
                        "4 served as they are, 4 rewritten, 6 refused",
                        "by a fan-out 1, by no way 3",
                        "REFUSED  SELECT name FROM product WHERE price = ? OR price = ?",
                        // The target's own table lacks the column.
                        "Column name 'price' does not exist in the target table check_it.basket",
                        "REFUSED  INSERT INTO basket (name) VALUES (?)",
                        "has no registered identity column",
                        "REFUSED  SELECT name FROM product WHERE price > ?",
                        "check_it.product is read by price, which neither gives its partition key (id)",
                        "REFUSED  SELECT name FROM n1")
                .contains(
                        "Column login of check_it.member is text",
                        "costs: Reading check_it.member as a whole without its partition key asks about 1 node",
                        "CREATE INDEX member_age ON check_it.member (age) USING 'sai';\n"
                                + "  serves: SELECT age FROM member WHERE age = ?",
                        "cassidy ids register --table check_it.basket --column id --contact-points ")
                .doesNotContain("Judged by their text alone");
        assertThat(planFor("20", old, properties))
                .contains(
                        "judged for a datacenter of 20 nodes",
                        "REFUSED  SELECT age FROM member\n",
                        "asks about 20 nodes",
                        "CREATE TABLE check_it.member_by_age (login text, age int, PRIMARY KEY (age, login));",
                        // The target has a default of qty.
                        "differs: It leaves out size, which got its default 3",
                        "cassidy tables declare --table check_it.part --defaults size=3\n  serves: INSERT INTO part (id)")
                .doesNotContain("leaves out qty");
        // The target's own option leaves UNIQUE out.
        assertThat(Files.readString(folder.resolve("report.json")))
                .contains("CREATE CUSTOM INDEX ux ON product (price) USING ?");
        try (Connection connection = cluster.connect();
                ResultSet rows = connection.createStatement().executeQuery("SELECT id FROM product")) {
            assertThat(rows.next()).as("a row of the target").isFalse();
        }
    }

    @Test
    void shouldHoldTheTargetToWhatThePropertiesAsk() throws Exception {
        TestCluster cluster = TestCluster.fresh("check_options_it");
        cluster.cql("CREATE TABLE $.product (id int PRIMARY KEY, name text, price int)");
        String old = "jdbc:h2:mem:check_options_it;MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE";
        for (String option : List.of("redactValues", "requireTls")) {
            Path report = folder.resolve(option + ".json");
            Properties properties = new Properties();
            properties.setProperty("cassidy.check.report", report.toString());
            properties.setProperty("cassidy.check.target", cluster.url());
            properties.setProperty(option, "true");
            try (Connection connection = DriverManager.getConnection("jdbc:cassidy:check:" + old, properties);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE product (id INT PRIMARY KEY, name NVARCHAR(9), price NVARCHAR(9))");
                statement.executeUpdate("UPDATE product SET price = 'O''Brien' WHERE id = 1");
            }
            String text = Files.readString(folder.resolve(option + ".txt"));
            assertThat(text).doesNotContain("Brien");
            if (option.equals("requireTls")) {
                assertThat(text).contains("Judged by their text alone");
            } else {
                assertThat(text)
                        .contains("for column price is not int (a number such as ***): ***")
                        .doesNotContain("Judged by their text alone");
            }
        }
    }

    /** Returns the summary for a larger cluster. */
    private String planFor(String nodes, String old, Properties properties) throws Exception {
        properties.setProperty("cassidy.check.nodes", nodes);
        properties.setProperty(
                "cassidy.check.report", folder.resolve("larger.json").toString());
        try (Connection connection = DriverManager.getConnection("jdbc:cassidy:check:" + old, properties);
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT age FROM member");
            statement.executeUpdate("INSERT INTO part (id) VALUES (1)");
            statement.executeQuery("SELECT age FROM member WHERE age = 3");
        }
        return Files.readString(folder.resolve("larger.txt"));
    }
}
