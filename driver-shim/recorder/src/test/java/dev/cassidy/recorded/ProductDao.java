package dev.cassidy.recorded;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** A small DAO of an application, by Spring; not in the recorder's package, whose frames are no call sites. */
public final class ProductDao {

    private final JdbcTemplate template;

    public ProductDao(JdbcTemplate template) {
        this.template = template;
    }

    public void add(String name) {
        template.update("INSERT INTO product (name, price) VALUES (?, 7)", name);
    }

    public List<String> cheaperThan(int price) {
        return template.queryForList("SELECT name FROM product WHERE price < " + price, String.class);
    }

    public int[] addAll(List<String> names) {
        return template.batchUpdate(
                "INSERT INTO product (name, price) VALUES (?, 7)",
                names.stream().map(name -> new Object[] {name}).toList());
    }

    public static void setSavepoint(Connection connection) throws SQLException {
        connection.setSavepoint();
    }
}
