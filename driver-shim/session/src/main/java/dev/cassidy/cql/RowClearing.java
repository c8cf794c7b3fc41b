package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.insert.Clearing;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdentityType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends, with the insert of a new row, the deletion of what was written to the row before: {@link FreshRows#CLEAN}. It
 * must be used only for rows whose id was drawn for them. Never blocks. Safe for use by many threads.
 */
final class RowClearing {

    private static final int MAX_REMEMBERED = 1_000;

    /** The name that the server gives the marker of USING TIMESTAMP ?. */
    private static final CqlIdentifier TIMESTAMP_MARKER = CqlIdentifier.fromInternal("[timestamp]");

    private record Key(String insert, String keyspace, List<String> primaryKey) {}

    private final CqlSession session;
    private final TableShapes tables;
    private final Map<Key, Optional<Clearing>> clearings = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<PreparedStatement>> prepared = new ConcurrentHashMap<>();

    RowClearing(CqlSession session, TableShapes tables) {
        this.session = session;
        this.tables = tables;
    }

    /** Returns insert and deletion as one statement; only the insert if no deletion can be sent with it. */
    CompletionStage<Statement<?>> together(BatchableStatement<?> insert, Identity identity) {
        return clearing(insert, identity).thenCompose(found -> {
            long now = now(insert);
            OptionalLong at = found.isPresent() ? deletedAt(found.get(), insert, now) : OptionalLong.empty();
            return at.isPresent()
                    ? together(found.get(), insert, now, at.getAsLong())
                    : CompletableFuture.completedFuture(insert);
        });
    }

    /** Returns the write timestamp that the statement has, or that the driver would give it. */
    long now(Statement<?> statement) {
        return statement.getQueryTimestamp() == Statement.NO_DEFAULT_TIMESTAMP
                ? session.getContext().getTimestampGenerator().next()
                : statement.getQueryTimestamp();
    }

    private CompletionStage<Statement<?>> together(
            Clearing clearing, BatchableStatement<?> insert, long now, long deletedAt) {
        if (insert instanceof BoundStatement bound) {
            return prepared(clearing.together("?")).thenApply(statement -> {
                List<ByteBuffer> given = bound.getValues();
                List<Integer> markers = clearing.markers();
                ByteBuffer[] values = given.toArray(new ByteBuffer[given.size() + 1 + markers.size()]);
                values[given.size()] = GivenIds.encode(deletedAt, IdentityType.BIGINT);
                for (int i = 0; i < markers.size(); i++) {
                    values[given.size() + 1 + i] = values[markers.get(i)];
                }
                return FilledPreparedStatement.bind(statement, values, bound, now);
            });
        }
        SimpleStatement simple = (SimpleStatement) insert;
        List<Object> values = new ArrayList<>(simple.getPositionalValues());
        clearing.markers().stream()
                .filter(marker -> marker < values.size())
                .forEach(marker -> values.add(values.get(marker)));
        SimpleStatement both =
                simple.setQuery(clearing.together(Long.toString(deletedAt))).setQueryTimestamp(now);
        return CompletableFuture.completedFuture(values.isEmpty() ? both : both.setPositionalValues(values));
    }

    /**
     * Returns the deletion, for the batch that has the insert too; empty if there can be none.
     *
     * @param now the batch's write timestamp; NO_DEFAULT_TIMESTAMP to leave the deletion's to be set before it is sent, unless
     *     the insert has one of its own
     */
    CompletionStage<Optional<BatchableStatement<?>>> apart(BatchableStatement<?> insert, Identity identity, long now) {
        return clearing(insert, identity).thenCompose(found -> {
            OptionalLong at = found.isPresent() ? deletedAt(found.get(), insert, now) : OptionalLong.empty();
            return at.isPresent()
                    ? apart(found.get(), insert, at.getAsLong()).thenApply(Optional::of)
                    : CompletableFuture.completedFuture(Optional.empty());
        });
    }

    private CompletionStage<BatchableStatement<?>> apart(
            Clearing clearing, BatchableStatement<?> insert, long deletedAt) {
        boolean unstamped = deletedAt == Statement.NO_DEFAULT_TIMESTAMP;
        List<Integer> markers = clearing.markers();
        if (insert instanceof BoundStatement bound) {
            return prepared(clearing.alone("?")).thenApply(statement -> {
                BoundStatementBuilder deletion = statement.boundStatementBuilder();
                for (int i = 0; i < markers.size(); i++) {
                    deletion = deletion.setBytesUnsafe(i + 1, bound.getBytesUnsafe(markers.get(i)));
                }
                return (unstamped ? deletion : deletion.setLong(0, deletedAt)).build();
            });
        }
        SimpleStatement simple = (SimpleStatement) insert;
        List<Object> given = simple.getPositionalValues();
        SimpleStatement deletion =
                simple.setQuery(unstamped ? clearing.unstamped() : clearing.alone(Long.toString(deletedAt)));
        return CompletableFuture.completedFuture(
                given.isEmpty()
                        ? deletion
                        : deletion.setPositionalValues(markers.stream()
                                .filter(marker -> marker < given.size())
                                .map(given::get)
                                .toList()));
    }

    /**
     * Returns the deletion's write timestamp, NO_DEFAULT_TIMESTAMP if that is {@code now} and the insert has none of its own; empty
     * if the insert's is unknown: a deletion that is not older would hide the row.
     */
    private static OptionalLong deletedAt(Clearing clearing, BatchableStatement<?> insert, long now) {
        OptionalLong own = OptionalLong.empty();
        CqlInsert.Value timestamp = clearing.timestamp().orElse(null);
        if (timestamp instanceof CqlInsert.Value.IntegerLiteral literal) {
            own = OptionalLong.of(literal.value().longValueExact());
        } else if (timestamp instanceof CqlInsert.Value.Marker marker) {
            if (!(insert instanceof BoundStatement bound) || bound.isSet(marker.index())) {
                own = given(insert, marker);
                if (own.isEmpty()) {
                    return own;
                }
            }
        }
        long insertedAt = own.orElse(now);
        return OptionalLong.of(insertedAt == Statement.NO_DEFAULT_TIMESTAMP ? insertedAt : insertedAt - 1);
    }

    private static OptionalLong given(BatchableStatement<?> insert, CqlInsert.Value.Marker marker) {
        if (insert instanceof BoundStatement bound) {
            return bound.isNull(marker.index()) ? OptionalLong.empty() : OptionalLong.of(bound.getLong(marker.index()));
        }
        SimpleStatement simple = (SimpleStatement) insert;
        List<Object> positional = simple.getPositionalValues();
        CqlIdentifier name = marker.name() == null ? TIMESTAMP_MARKER : CqlIdentifier.fromInternal(marker.name());
        Object value = positional.isEmpty()
                ? simple.getNamedValues().get(name)
                : marker.index() < positional.size() ? positional.get(marker.index()) : null;
        return value instanceof Long number ? OptionalLong.of(number) : OptionalLong.empty();
    }

    private CompletionStage<Optional<Clearing>> clearing(BatchableStatement<?> insert, Identity identity) {
        return tables.find(identity.keyspace(), identity.table()).thenApply(shape -> {
            List<String> key = shape.map(TableShape::primaryKey).orElse(List.of());
            // A row that is found by another key may have existed before this insert.
            if (!key.contains(identity.column())) {
                return Optional.empty();
            }
            // A statement that contains its values rarely comes twice.
            return insert instanceof BoundStatement bound
                    ? remembered(new Key(bound.getPreparedStatement().getQuery(), identity.keyspace(), key))
                    : Clearing.of(((SimpleStatement) insert).getQuery(), identity.keyspace(), key);
        });
    }

    private Optional<Clearing> remembered(Key key) {
        Optional<Clearing> known = clearings.get(key);
        if (known == null) {
            known = Clearing.of(key.insert, key.keyspace, key.primaryKey);
            if (clearings.size() >= MAX_REMEMBERED) {
                clearings.clear();
            }
            clearings.put(key, known);
        }
        return known;
    }

    private CompletionStage<PreparedStatement> prepared(String cql) {
        CompletableFuture<PreparedStatement> known = prepared.get(cql);
        if (known != null) {
            return known;
        }
        if (prepared.size() >= MAX_REMEMBERED) {
            prepared.clear();
        }
        CompletableFuture<PreparedStatement> preparing =
                session.prepareAsync(cql).toCompletableFuture();
        prepared.put(cql, preparing);
        return preparing.whenComplete((done, failure) -> {
            if (failure != null) {
                prepared.remove(cql, preparing);
            }
        });
    }
}
