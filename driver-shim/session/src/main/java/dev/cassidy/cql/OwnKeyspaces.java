package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.cluster.Installation;
import dev.cassidy.cluster.Schema;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.sequence.SequencesConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Cassidy's own keyspaces, and the refusal to change them: an application that sets a sequence back gets the same ids
 * again. The global one and those of the cluster's datacenters are known by name. Every other one, such as that of a
 * datacenter that joins later or that has a name of its own, is recognised by the comment of its tables, which is
 * looked up before the first write to a keyspace passes. Never blocks. Safe for use by many threads.
 */
public final class OwnKeyspaces {

    /** How the comment of each of Cassidy's tables begins, in every version. */
    private static final String COMMENT = "cassidy schema ";

    private static final CqlIdentifier COMMENT_OPTION = CqlIdentifier.fromInternal("comment");

    /** Of any version. */
    private static final Set<String> TABLES = Schema.tableNames();

    private static final CompletionStage<Void> ALLOWED = CompletableFuture.completedFuture(null);

    private final CqlSession session;

    /** Kept for good: a keyspace that was Cassidy's once is not looked up again. */
    private final Set<String> own = ConcurrentHashMap.newKeySet();

    private volatile Others others;

    /**
     * Keyspaces with tables that are not Cassidy's.
     *
     * @param asOf the schema may have changed when the driver has another one
     */
    private record Others(Metadata asOf, Set<String> keyspaces) {}

    private OwnKeyspaces(CqlSession session, Set<String> named) {
        this.session = session;
        this.own.addAll(named);
        this.others = new Others(session.getMetadata(), ConcurrentHashMap.newKeySet());
    }

    /**
     * Returns those of the session's cluster.
     *
     * @param session the driver's own
     */
    public static OwnKeyspaces of(CqlSession session, SequencesConfig config) {
        return new OwnKeyspaces(session, Installation.keyspaces(session, config));
    }

    /**
     * Refuses a statement that changes one of these keyspaces; names without a keyspace are of the session's own.
     *
     * @return a stage that fails with an {@link OwnKeyspaceException}
     */
    public CompletionStage<Void> refuse(String cql) {
        return refuse(CqlChange.of(cql), null);
    }

    /** @param keyspace that of the statement itself, which takes precedence over the session's */
    CompletionStage<Void> refuse(List<CqlChange> changes, @Nullable CqlIdentifier keyspace) {
        if (changes.isEmpty()) {
            return ALLOWED;
        }
        Optional<String> unqualified =
                Optional.ofNullable(keyspace).or(session::getKeyspace).map(CqlIdentifier::asInternal);
        CompletionStage<Void> allowed = ALLOWED;
        for (CqlChange change : changes) {
            // Without a keyspace the server refuses the statement.
            Optional<String> in = Optional.ofNullable(change.keyspace()).or(() -> unqualified);
            allowed = in.isPresent() ? both(allowed, refuse(change, in.get())) : allowed;
        }
        return allowed;
    }

    /** Refuses a statement that may have been prepared elsewhere, where another keyspace was the session's. */
    CompletionStage<Void> refuseBound(List<CqlChange> changes, BoundStatement statement) {
        PreparedStatement prepared = statement.getPreparedStatement();
        CompletionStage<Void> allowed = ALLOWED;
        for (CqlChange change : changes) {
            Optional<String> known = Optional.ofNullable(change.keyspace())
                    .or(() -> keyspace(change, changes, prepared.getVariableDefinitions()));
            allowed = both(allowed, known.isPresent() ? refuse(change, known.get()) : refuseByName(change, prepared));
        }
        return allowed;
    }

    /** A table's variables name the keyspace in which the statement was prepared. */
    private static Optional<String> keyspace(CqlChange change, List<CqlChange> all, ColumnDefinitions variables) {
        for (ColumnDefinition variable : variables) {
            if (variable.getTable().asInternal().equals(change.name())) {
                // If two tables have one name, it may be the other table's.
                return all.size() == 1 || all.stream().noneMatch(other -> isOther(other, change))
                        ? Optional.of(variable.getKeyspace().asInternal())
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static boolean isOther(CqlChange other, CqlChange change) {
        return other.keyspace() != null && Objects.equals(other.name(), change.name());
    }

    /** For a statement whose keyspace at the preparation shows only in its id. */
    private CompletionStage<Void> refuseByName(CqlChange change, PreparedStatement prepared) {
        Optional<String> preparedIn = own.stream()
                .filter(keyspace -> isPreparedIn(CqlIdentifier.fromInternal(keyspace), prepared))
                .findFirst();
        if (preparedIn.isPresent()) {
            return refuse(change, preparedIn.get());
        }
        boolean named = change.name() != null && TABLES.contains(change.name());
        if (named
                && !session.getKeyspace()
                        .filter(keyspace -> isPreparedIn(keyspace, prepared))
                        .isPresent()) {
            return CompletableFuture.failedFuture(new OwnKeyspaceException(change.verb() + " " + change.name()
                    + ", prepared in an unknown keyspace; qualify the name if the keyspace is not Cassidy's"));
        }
        return refuse(List.of(change), null);
    }

    /** Cassandra's id of a statement that names no keyspace is the digest of the session's keyspace and its CQL. */
    private static boolean isPreparedIn(CqlIdentifier keyspace, PreparedStatement prepared) {
        byte[] hashed = (keyspace.asInternal() + prepared.getQuery()).getBytes(StandardCharsets.UTF_8);
        try {
            return prepared.getId()
                    .equals(ByteBuffer.wrap(MessageDigest.getInstance("MD5").digest(hashed)));
        } catch (NoSuchAlgorithmException e) {
            return false;
        }
    }

    private CompletionStage<Void> refuse(CqlChange change, String keyspace) {
        if (own.contains(keyspace)) {
            return CompletableFuture.failedFuture(new OwnKeyspaceException(change.shown(keyspace)));
        }
        Others known = others();
        if (known.keyspaces.contains(keyspace)) {
            return ALLOWED;
        }
        return comments(keyspace).thenCompose(comments -> {
            if (comments.stream().anyMatch(comment -> comment.startsWith(COMMENT))) {
                own.add(keyspace);
                return refuse(change, keyspace);
            }
            // A keyspace without tables may become Cassidy's; until then it has nothing to write to.
            if (!comments.isEmpty()) {
                known.keyspaces.add(keyspace);
            }
            return ALLOWED;
        });
    }

    private static CompletionStage<Void> both(CompletionStage<Void> first, CompletionStage<Void> second) {
        return first == ALLOWED ? second : first.thenCompose(allowed -> second);
    }

    private Others others() {
        Others known = others;
        Metadata now = session.getMetadata();
        if (known.asOf != now) {
            known = new Others(now, ConcurrentHashMap.newKeySet());
            others = known;
        }
        return known;
    }

    /** Returns the comments of a keyspace's tables; asks the cluster if the driver knows of none. */
    private CompletionStage<List<String>> comments(String keyspace) {
        Collection<TableMetadata> tables = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .map(found -> found.getTables().values())
                .orElse(List.of());
        if (!tables.isEmpty()) {
            return CompletableFuture.completedFuture(tables.stream()
                    .map(table -> String.valueOf(table.getOptions().get(COMMENT_OPTION)))
                    .toList());
        }
        return session.executeAsync(SimpleStatement.newInstance(
                                "SELECT comment FROM system_schema.tables WHERE keyspace_name = ?", keyspace)
                        .setIdempotent(true))
                .thenCompose(page -> comments(page, List.of()));
    }

    private static CompletionStage<List<String>> comments(AsyncResultSet page, List<String> before) {
        List<String> comments = new ArrayList<>(before);
        page.currentPage().forEach(row -> comments.add(String.valueOf(row.getString("comment"))));
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> comments(next, comments))
                : CompletableFuture.completedFuture(comments);
    }
}
