package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.cluster.Installation;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.sequence.SequencesConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
        return refuse(
                CqlChange.of(cql),
                session.getKeyspace().map(CqlIdentifier::asInternal).orElse(null));
    }

    /** @param unqualified the keyspace of names without one; null if there is none */
    CompletionStage<Void> refuse(List<CqlChange> changes, @Nullable String unqualified) {
        CompletionStage<Void> allowed = ALLOWED;
        for (CqlChange change : changes) {
            String in = change.keyspace() == null ? unqualified : change.keyspace();
            // Without a keyspace the server refuses the statement.
            allowed = in == null ? allowed : both(allowed, refuse(change, in));
        }
        return allowed;
    }

    /**
     * Refuses a prepared statement of which nothing shows in which keyspace it was prepared.
     *
     * @throws OwnKeyspaceException if it changes what it names without a keyspace
     */
    static void refuseUnknown(List<CqlChange> changes) {
        for (CqlChange change : changes) {
            if (change.keyspace() == null) {
                throw new OwnKeyspaceException(change.verb() + " " + change.name()
                        + ", prepared in an unknown keyspace; qualify the name if the keyspace is not Cassidy's");
            }
        }
    }

    /** Returns the names that are known to be Cassidy's. */
    Set<String> known() {
        return own;
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
