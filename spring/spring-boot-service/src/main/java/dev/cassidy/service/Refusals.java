package dev.cassidy.service;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.cassandra.core.CassandraTemplate;
import org.springframework.data.cassandra.core.mapping.Column;
import org.springframework.data.cassandra.core.mapping.Table;
import org.springframework.stereotype.Component;

/** What is refused, and with which words. */
@Component
class Refusals {

    private final CassandraTemplate template;

    Refusals(CassandraTemplate template) {
        this.template = template;
    }

    /** Its column is a bigint, and so is its sequence. */
    @Table("purchase")
    record Narrow(@Id @Nullable Integer id, String item) {}

    /** Two properties of the identity column. */
    @Table("purchase")
    record Twice(
            @Id @Nullable Long id, @Column("id") @Nullable Long number) {}

    /** Nobody registered its table. */
    @Table("stray")
    record Stray(@Id @Nullable Integer id, String item) {}

    Map<String, ?> all() {
        return Map.of(
                "narrow", refusal(new Narrow(null, "Kettle")),
                "twice", refusal(new Twice(null, null)),
                "stray", refusal(new Stray(null, "Kettle")));
    }

    private String refusal(Object entity) {
        try {
            template.insert(entity);
            return "none";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }
}
