package dev.cassidy.examples;

import java.io.PrintStream;
import java.sql.PreparedStatement;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/** Spring's JdbcTemplate with a KeyHolder, and SimpleJdbcInsert: neither knows that it talks to Cassandra. */
public final class SpringExample {

    private SpringExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) {
        cluster.createTable("book", "title text, pages int");
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(cluster.jdbcUrl()));

        KeyHolder keys = new GeneratedKeyHolder();
        jdbc.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO book (title, pages) VALUES (?, ?)", new String[] {"id"});
                    insert.setString(1, "Emma");
                    insert.setInt(2, 474);
                    return insert;
                },
                keys);
        out.println("KeyHolder: id " + keys.getKey());

        Number id = new SimpleJdbcInsert(jdbc)
                .withTableName("book")
                .usingGeneratedKeyColumns("id")
                .executeAndReturnKey(Map.of("title", "Persuasion", "pages", 249));
        out.println("SimpleJdbcInsert: id " + id);

        String title = jdbc.queryForObject("SELECT title FROM book WHERE id = ?", String.class, id);
        out.println("book " + id + ": " + title);
    }
}
