package dev.cassidy.service;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.data.domain.Limit;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Component;

/** All of table {@code product}. */
@Component
class JdbcWays {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcWays.class);
    private static final String COUNT = "SELECT COUNT(*) FROM product WHERE id = ?";

    private final CountDownLatch ending = new CountDownLatch(1);
    private final JdbcTemplate template;
    private final JdbcClient client;
    private final Products products;

    JdbcWays(JdbcTemplate template, JdbcClient client, Products products) {
        this.template = template;
        this.client = client;
        this.products = products;
    }

    Map<String, ?> template() {
        KeyHolder keys = new GeneratedKeyHolder();
        template.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO product (name, price) VALUES (?, ?)", new String[] {"id"});
                    insert.setString(1, "Kettle");
                    insert.setBigDecimal(2, new BigDecimal("34.90"));
                    return insert;
                },
                keys);
        int id = Objects.requireNonNull(keys.getKey()).intValue();
        String inserted = name(id);
        template.update("UPDATE product SET name = ? WHERE id = ?", "Teapot", id);
        String changed = name(id);
        template.update("DELETE FROM product WHERE id = ?", id);
        return Map.of("id", id, "inserted", inserted, "changed", changed, "left", count(id));
    }

    private String name(int id) {
        return String.valueOf(template.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id));
    }

    private Object count(int id) {
        return Objects.requireNonNull(template.queryForObject(COUNT, Integer.class, id));
    }

    /** A request that began before the service was ended, and wants ids after that. */
    Map<String, ?> late() throws InterruptedException {
        LOG.info("A request waits for the end of the service");
        ending.await();
        int rows = 200;
        for (int row = 0; row < rows; row++) {
            template.update("INSERT INTO product (name, price) VALUES (?, ?)", "Kettle", new BigDecimal("34.90"));
        }
        return Map.of("inserted", rows);
    }

    @EventListener(ContextClosedEvent.class)
    void end() {
        ending.countDown();
    }

    Map<String, ?> client() {
        KeyHolder keys = new GeneratedKeyHolder();
        client.sql("INSERT INTO product (name, price) VALUES (:name, :price)")
                .param("name", "Kettle")
                .param("price", new BigDecimal("34.90"))
                .update(keys, "id");
        int id = Objects.requireNonNull(keys.getKey()).intValue();
        Product inserted = find(id);
        client.sql("UPDATE product SET name = :name WHERE id = :id")
                .param("name", "Teapot")
                .param("id", id)
                .update();
        String changed = find(id).name();
        client.sql("DELETE FROM product WHERE id = ?").param(id).update();
        return Map.of("id", id, "inserted", inserted.name(), "changed", changed, "left", count(id));
    }

    private Product find(int id) {
        return client.sql("SELECT id, name, price FROM product WHERE id = ?")
                .param(id)
                .query(Product.class)
                .single();
    }

    Map<String, ?> repository() {
        Product saved = products.save(new Product(null, "Kettle", new BigDecimal("34.90")));
        int id = Objects.requireNonNull(saved.id());
        Product loaded = products.findById(id).orElseThrow();
        Product changed = products.save(new Product(id, "Teapot", loaded.price()));
        List<Product> all = products.saveAll(
                List.of(new Product(null, "Cup", BigDecimal.ONE), new Product(null, "Jug", BigDecimal.ONE)));
        List<Integer> ids = all.stream().map(Product::id).toList();
        int limited = products.findByIdIn(ids, Limit.of(1)).size();
        String name = products.findById(id).orElseThrow().name();
        products.deleteById(id);
        return Map.of(
                "id", id,
                "inserted", loaded.name(),
                "changed", name,
                "sameId", Objects.equals(changed.id(), id),
                "all", ids,
                "limited", limited,
                "left", count(id));
    }
}
