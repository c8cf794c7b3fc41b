package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether Cassidy's tables are what the protocol needs: all tables are there, with their columns, in a version that
 * this client knows; nothing in them expires, removed rows stay removed for long enough, and plain reads repair
 * replicas.
 */
final class SchemaCheck {

    /** As derived in docs/adr/0004: for this long, Cassandra keeps what a node missed while it was down. */
    private static final Duration SHORTEST_GC_GRACE = Duration.ofHours(3);

    private final CqlSession session;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String datacenter;
    private final Duration timeout;

    SchemaCheck(CqlSession session, String globalKeyspace, String localKeyspace, String datacenter, Duration timeout) {
        this.session = session;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.datacenter = datacenter;
        this.timeout = timeout;
    }

    /**
     * What was found.
     *
     * @param version the newest that both keyspaces have in full; has no meaning if there is a refusal
     * @param refusal why nothing may be claimed, with the way out; empty if all is well
     */
    record Found(int version, Optional<String> refusal, boolean missing) {

        Optional<SequenceException> exception() {
            return refusal.map(message ->
                    missing ? new SequenceException.SchemaMissing(message) : new SequenceException.Conflict(message));
        }
    }

    private record Options(String comment, int timeToLive, int gcGrace, String readRepair) {}

    /**
     * What was read.
     *
     * @param replication of each of the keyspaces that exist, by name
     */
    record Looked(Found found, Map<String, Map<String, String>> replication) {}

    /** Reads both keyspaces at once, in three reads; the stage fails if there is no answer. */
    CompletionStage<Looked> look() {
        CompletionStage<Map<String, List<Row>>> tables =
                rows("SELECT keyspace_name, table_name, comment, default_time_to_live, gc_grace_seconds, read_repair"
                        + " FROM system_schema.tables WHERE keyspace_name IN (?, ?)");
        CompletionStage<Map<String, List<Row>>> columns = rows("SELECT keyspace_name, table_name, column_name"
                + " FROM system_schema.columns WHERE keyspace_name IN (?, ?)");
        CompletionStage<Map<String, List<Row>>> keyspaces = rows("SELECT keyspace_name, durable_writes, replication"
                + " FROM system_schema.keyspaces WHERE keyspace_name IN (?, ?)");
        return tables.thenCombine(
                        columns,
                        (found, names) -> worse(
                                judge(globalKeyspace, Schema.GLOBAL, found, names),
                                judge(localKeyspace, Schema.DATACENTER, found, names)))
                .thenCombine(
                        keyspaces, (found, settings) -> new Looked(durable(found, settings), replication(settings)));
    }

    private static Map<String, Map<String, String>> replication(Map<String, List<Row>> keyspaces) {
        Map<String, Map<String, String>> found = new HashMap<>();
        keyspaces.forEach((keyspace, rows) -> rows.forEach(
                row -> found.put(keyspace, new TreeMap<>(row.getMap("replication", String.class, String.class)))));
        return found;
    }

    /** The global keyspace comes first: if both are wrong, the message names that one. */
    private Found durable(Found found, Map<String, List<Row>> keyspaces) {
        return Stream.of(globalKeyspace, localKeyspace)
                .filter(keyspace -> keyspaces.getOrDefault(keyspace, List.of()).stream()
                        .anyMatch(row -> !row.getBoolean("durable_writes")))
                .findFirst()
                .map(keyspace -> worse(notDurable(keyspace, found), found))
                .orElse(found);
    }

    private static Found worse(Found one, Found other) {
        if (one.refusal().isPresent() || other.refusal().isPresent()) {
            return other.refusal().isPresent() ? other : one;
        }
        return one.version() < other.version() ? one : other;
    }

    private static Found notDurable(String keyspace, Found found) {
        return new Found(
                found.version(),
                Optional.of(
                        "Cassidy's keyspace " + keyspace + " has durable_writes = false: a node that is killed forgets"
                                + " every claim since its last flush. Nothing is claimed until this is corrected: ALTER"
                                + " KEYSPACE " + keyspace + " WITH durable_writes = true"),
                false);
    }

    private static Options options(Row row) {
        String comment = row.getString("comment");
        String readRepair = row.getString("read_repair");
        return new Options(
                comment == null ? "" : comment,
                row.getInt("default_time_to_live"),
                row.getInt("gc_grace_seconds"),
                readRepair == null ? "" : readRepair);
    }

    private Found judge(
            String keyspace,
            List<Schema.Table> tables,
            Map<String, List<Row>> optionsOf,
            Map<String, List<Row>> columnsOf) {
        Map<String, Options> options = new HashMap<>();
        optionsOf
                .getOrDefault(keyspace, List.of())
                .forEach(row -> options.put(row.getString("table_name"), options(row)));
        Map<String, Set<String>> columns = new HashMap<>();
        columnsOf.getOrDefault(keyspace, List.of()).forEach(row -> columns.computeIfAbsent(
                        row.getString("table_name"), first -> new HashSet<>())
                .add(row.getString("column_name")));
        return judged(keyspace, tables, options, columns);
    }

    private Found judged(
            String keyspace,
            List<Schema.Table> tables,
            Map<String, Options> options,
            Map<String, Set<String>> columns) {
        int version = Schema.VERSION;
        for (Schema.Table table : tables) {
            Options found = options.get(table.name());
            if (found == null && table.since() > Schema.OLDEST) {
                version = Math.min(version, table.since() - 1);
                continue;
            }
            if (found == null && !options.isEmpty()) {
                return lost("Cassidy's table " + keyspace + "." + table.name() + " is missing", table.create(keyspace));
            }
            if (found == null) {
                return missing("Cassidy's keyspace " + keyspace + " of datacenter " + datacenter + " (globalKeyspace="
                        + globalKeyspace + ") is missing or empty");
            }
            OptionalInt told = Schema.version(found.comment());
            if (told.isEmpty()) {
                return lost(
                        "The comment of Cassidy's table " + keyspace + "." + table.name()
                                + " does not tell its version: '" + found.comment() + "'",
                        "ALTER TABLE " + keyspace + "." + table.name() + " WITH comment = 'cassidy schema "
                                + Schema.VERSION + "'");
            }
            if (told.getAsInt() < Schema.OLDEST) {
                return missing("Cassidy's table " + keyspace + "." + table.name()
                        + " is of another version: comment='" + found.comment()
                        + "'; this client knows 'cassidy schema "
                        + Schema.OLDEST + "' and later");
            }
            version = Math.min(version, told.getAsInt());
            Optional<String> unfit = unfit(keyspace + "." + table.name(), found);
            if (unfit.isPresent()) {
                return new Found(version, unfit, false);
            }
        }
        for (Schema.Table table : tables) {
            List<String> lacking = new ArrayList<>(table.since() > version ? List.of() : table.columnsOf(version));
            lacking.removeAll(columns.getOrDefault(table.name(), Set.of()));
            if (!lacking.isEmpty()) {
                return lost(
                        "Cassidy's table " + keyspace + "." + table.name() + " lacks the columns " + lacking,
                        lacking.stream()
                                .map(column -> table.add(keyspace, column))
                                .collect(Collectors.joining("; ")));
            }
        }
        return new Found(version, Optional.empty(), false);
    }

    private Found missing(String what) {
        return new Found(
                0,
                Optional.of(what + ". Create it: java -jar migration-tool/target/migration-tool.jar init --replication "
                        + datacenter + ":3, or have a DBA run what init --print prints"),
                true);
    }

    private static Found lost(String what, String way) {
        return new Found(
                0,
                Optional.of(what + ". Nothing is claimed until this is corrected: " + way
                        + ". That brings back nothing of what was dropped: better restore Cassidy's keyspaces"),
                true);
    }

    private static Optional<String> unfit(String table, Options found) {
        if (found.timeToLive() != 0) {
            return Optional.of(unfit(
                    table,
                    "default_time_to_live = " + found.timeToLive(),
                    "what a live process holds would expire, and be issued again",
                    "default_time_to_live = 0. What was written meanwhile still expires: restart Cassidy's clients, and"
                            + " seed each sequence past every id that was issued"));
        }
        if (found.gcGrace() < SHORTEST_GC_GRACE.toSeconds()) {
            return Optional.of(unfit(
                    table,
                    "gc_grace_seconds = " + found.gcGrace(),
                    "what was removed comes back from a node that was down; at least " + SHORTEST_GC_GRACE.toSeconds()
                            + " are needed",
                    "gc_grace_seconds = 864000"));
        }
        if (!found.readRepair().isEmpty() && !found.readRepair().equalsIgnoreCase("BLOCKING")) {
            return Optional.of(unfit(
                    table,
                    "read_repair = '" + found.readRepair() + "'",
                    "a claim that was read back could still be forgotten",
                    "read_repair = 'BLOCKING'"));
        }
        return Optional.empty();
    }

    private static String unfit(String table, String found, String why, String way) {
        return "Cassidy's table " + table + " has " + found + ": " + why
                + ". Nothing is claimed until this is corrected: ALTER" + " TABLE " + table + " WITH " + way;
    }

    /** Returns the rows of each of both keyspaces, by name. */
    private CompletionStage<Map<String, List<Row>>> rows(String cql) {
        return session.executeAsync(SimpleStatement.newInstance(cql, globalKeyspace, localKeyspace)
                        .setIdempotent(true)
                        .setTimeout(timeout))
                .thenCompose(page -> rest(page, new ArrayList<>()))
                .thenApply(rows -> rows.stream().collect(Collectors.groupingBy(row -> row.getString("keyspace_name"))));
    }

    private static CompletionStage<List<Row>> rest(AsyncResultSet page, List<Row> before) {
        page.currentPage().forEach(before::add);
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rest(next, before))
                : CompletableFuture.completedFuture(before);
    }
}
