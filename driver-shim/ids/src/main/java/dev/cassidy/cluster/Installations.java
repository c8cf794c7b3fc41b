package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The installations of Cassidy on a cluster. Each has a global keyspace, by whose name it is known, and the comments of the
 * tables there tell that they are Cassidy's. Each node has the whole schema, so a datacenter that is cut off knows them too.
 */
public final class Installations {

    /** Reads the rows of which {@link #of} makes the installations; at ONE, since a node answers it alone. */
    public static final String SELECT =
            "SELECT keyspace_name, comment FROM system_schema.tables WHERE table_name = 'seq' ALLOW FILTERING";

    private static final Set<String> GLOBAL = names(Schema.GLOBAL);
    private static final Set<String> DATACENTER_ALONE = datacenterAlone();

    private static final CqlIdentifier COMMENT = CqlIdentifier.fromInternal("comment");

    private Installations() {}

    private static Set<String> names(List<Schema.Table> tables) {
        return tables.stream().map(Schema.Table::name).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<String> datacenterAlone() {
        Set<String> names = new HashSet<>(names(Schema.DATACENTER));
        names.removeAll(GLOBAL);
        return names;
    }

    /** Returns the installations by name. */
    public static List<String> of(List<Row> tables) {
        return tables.stream()
                .filter(table -> Schema.isOurs(comment(table)))
                .map(table -> String.valueOf(table.getString("keyspace_name")))
                .sorted()
                .toList();
    }

    /** Returns whether the driver knows this installation. It may not know one that is there. Asks nobody. */
    public static boolean isKnown(CqlSession session, String name) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(name))
                .filter(Installations::isOne)
                .isPresent();
    }

    /** Returns whether a keyspace is one of any installation's, as far as the driver knows. Asks nobody. */
    public static boolean isOwn(CqlSession session, String keyspace) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .filter(found -> found.getTables().values().stream().anyMatch(table -> Schema.isOurs(comment(table))))
                .isPresent();
    }

    private static boolean isOne(KeyspaceMetadata keyspace) {
        return isOne(keyspace.getTables().values().stream()
                .filter(table -> Schema.isOurs(comment(table)))
                .map(table -> table.getName().asInternal()));
    }

    /** Returns whether the tables of a keyspace are those of an installation, some of which may be lost. */
    static boolean isOne(List<Row> tables) {
        return isOne(tables.stream()
                .filter(table -> Schema.isOurs(comment(table)))
                .map(table -> String.valueOf(table.getString("table_name"))));
    }

    /** A datacenter's keyspace has tables of the same names, and further ones. */
    private static boolean isOne(Stream<String> ours) {
        Set<String> names = ours.collect(Collectors.toSet());
        return names.stream().anyMatch(GLOBAL::contains) && names.stream().noneMatch(DATACENTER_ALONE::contains);
    }

    private static String comment(Row table) {
        return String.valueOf(table.getString("comment"));
    }

    private static String comment(TableMetadata table) {
        return String.valueOf(table.getOptions().get(COMMENT));
    }

    /**
     * Looks up whether an installation is there.
     *
     * @param datacenter the session's local one
     * @return the error that says that it is not, and which ones are; empty if it is. The stage fails if nobody answers
     */
    public static CompletionStage<Optional<SequenceException>> refusal(
            CqlSession session, String name, String datacenter, Duration timeout) {
        return read(
                        session,
                        "SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = ?",
                        timeout,
                        name)
                .thenCompose(tables -> isOne(tables)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : absent(session, name, timeout)
                                .thenApply(why -> Optional.of(
                                        new SequenceException.SchemaMissing(why, remedy(session, datacenter)))));
    }

    /** Returns what says that an installation is not there, and which ones are. */
    static CompletionStage<String> absent(CqlSession session, String name, Duration timeout) {
        return read(session, SELECT, timeout)
                .thenApply(Installations::of)
                .thenApply(there -> "globalKeyspace=" + name
                        + " names no installation of Cassidy"
                        + (there.isEmpty()
                                ? ", and this cluster has none"
                                : ": this cluster has " + String.join(", ", there)
                                        + ". Correct the name, or create this installation"));
    }

    /** Returns how an installation is created, or brought up to date. */
    static Remedy remedy(CqlSession session, String datacenter) {
        long nodes = session.getMetadata().getNodes().values().stream()
                .filter(node -> datacenter.equals(node.getDatacenter()))
                .count();
        return new Remedy.Init(datacenter, (int) Math.max(1, Math.min(3, nodes)));
    }

    /** Reads what the node that is asked has itself. */
    static CompletionStage<List<Row>> read(CqlSession session, String cql, Duration timeout, Object... values) {
        return session.executeAsync(SimpleStatement.newInstance(cql, values)
                        .setConsistencyLevel(ConsistencyLevel.ONE)
                        .setIdempotent(true)
                        .setTimeout(timeout))
                .thenCompose(page -> rest(page, new ArrayList<>()));
    }

    private static CompletionStage<List<Row>> rest(AsyncResultSet page, List<Row> before) {
        page.currentPage().forEach(before::add);
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rest(next, before))
                : CompletableFuture.completedFuture(before);
    }
}
