package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.data.cassandra.core.mapping.CassandraMappingContext;
import org.springframework.data.cassandra.core.mapping.CassandraPersistentEntity;
import org.springframework.data.mapping.MappingException;
import org.springframework.util.ClassUtils;

/**
 * Gives entities the ids that they lack, before Spring Data makes statements of them. Safe for use by many threads. The
 * asynchronous method never blocks.
 */
final class EntityIds {

    private final Supplier<CqlSession> session;
    private final Supplier<CassandraMappingContext> mapping;
    private final Map<Mapped, Optional<IdentityProperty>> properties = new ConcurrentHashMap<>();

    private record Mapped(Class<?> type, IdentityColumn column) {}

    /** An entity that lacks its id. */
    private record Lacking(IdentityProperty property, IdentityColumn column, Sequences sequences) {}

    /** @param session looked up at the first entity */
    EntityIds(Supplier<CqlSession> session, Supplier<CassandraMappingContext> mapping) {
        this.session = session;
        this.mapping = mapping;
    }

    /**
     * Returns the entity with an id; as it is, if it has one, or if its table has no identity column.
     *
     * @throws MappingException if its property cannot hold the ids
     */
    <T> T fill(T entity, CqlIdentifier table) {
        Optional<Lacking> lacking = await(lacking(entity, table));
        if (lacking.isEmpty()) {
            return entity;
        }
        IdAllocator ids =
                lacking.get().sequences().allocator(lacking.get().column().sequence());
        requireRoom(lacking.get(), ids);
        return lacking.get().property().with(ids.nextLong(), entity);
    }

    /** Most lookups are complete already. */
    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** As {@link #fill}; a failure is the stage's. */
    <T> CompletionStage<T> fillAsync(T entity, CqlIdentifier table) {
        return lacking(entity, table)
                .thenCompose(lacking -> lacking.isEmpty()
                        ? CompletableFuture.completedFuture(entity)
                        : lacking.get()
                                .sequences()
                                .allocatorAsync(lacking.get().column().sequence())
                                .thenCompose(ids -> {
                                    requireRoom(lacking.get(), ids);
                                    return ids.nextLongAsync();
                                })
                                .thenApply(id -> lacking.get().property().with(id, entity)));
    }

    private CompletionStage<Optional<Lacking>> lacking(Object entity, CqlIdentifier table) {
        CassandraPersistentEntity<?> type = mapping.get().getPersistentEntity(ClassUtils.getUserClass(entity));
        Optional<CqlIdentifier> keyspace = Optional.ofNullable(type)
                .map(CassandraPersistentEntity::getKeyspace)
                .or(() -> session.get().getKeyspace());
        if (type == null || keyspace.isEmpty()) {
            // Without a keyspace the server refuses the statement.
            return CompletableFuture.completedFuture(Optional.empty());
        }
        IdentitySession identities = IdentitySessions.of(session.get());
        return identities
                .catalog()
                .drawn(keyspace.get().asInternal(), table.asInternal())
                .thenApply(drawn -> drawn.stream()
                        .findFirst()
                        .map(key -> new IdentityColumn(key.keyspace(), key.table(), key.column(), key.sequence()))
                        .flatMap(known -> properties
                                .computeIfAbsent(new Mapped(type.getType(), known), mapped -> find(type, known))
                                .filter(property -> property.isMissing(entity))
                                .map(property -> new Lacking(property, known, identities.sequences()))));
    }

    private Optional<IdentityProperty> find(CassandraPersistentEntity<?> type, IdentityColumn column) {
        return IdentityProperty.find(type, key -> mapping.get().getPersistentEntity(key), column);
    }

    private void requireRoom(Lacking lacking, IdAllocator ids) {
        lacking.property().requireRoom(ids.spec(), columnType(lacking.column()));
    }

    private Optional<DataType> columnType(IdentityColumn column) {
        return session.get()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(column.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(column.table())))
                .flatMap(table -> table.getColumn(CqlIdentifier.fromInternal(column.column())))
                .map(found -> found.getType());
    }
}
