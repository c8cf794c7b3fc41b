package dev.cassidy.service;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The session that Boot makes, in table {@code customer}. */
@Component
class CqlWays {

    private final CqlSession session;
    private final Sequences sequences;

    CqlWays(CqlSession session, Sequences sequences) {
        this.session = session;
        this.sequences = sequences;
    }

    Map<String, ?> session() {
        ResultSet result = session.execute(
                session.prepare("INSERT INTO customer (name) VALUES (?)").bind("Ann"));
        int id = GeneratedKeys.of(result).ids().get(0).intValue();
        String inserted = name(id);
        session.execute(SimpleStatement.newInstance("UPDATE customer SET name = 'Bea' WHERE id = ?", id));
        String changed = name(id);
        session.execute(SimpleStatement.newInstance("DELETE FROM customer WHERE id = ?", id));
        return Map.of(
                "id", id,
                "inserted", inserted,
                "changed", changed,
                "left", select(id) == null ? 0 : 1);
    }

    /** An id without a row. */
    Map<String, ?> allocator() {
        String keyspace = session.getKeyspace().orElseThrow().asInternal();
        return Map.of("id", sequences.allocator(keyspace + ".customer").nextInt());
    }

    private String name(int id) {
        return String.valueOf(Objects.requireNonNull(select(id)).getString("name"));
    }

    private @Nullable Row select(int id) {
        return session.execute(SimpleStatement.newInstance("SELECT name FROM customer WHERE id = ?", id))
                .one();
    }
}
