package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
 * Whether Cassidy's tables are what the protocol needs: all tables are there, with their columns, in the version of
 * this release; nothing in them expires, removed rows stay removed for long enough, and plain reads repair
 * replicas.
 */
final class SchemaCheck {

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
     * @param refusal why nothing may be claimed, and how to correct it; empty if all is well
     * @param remedy what else corrects it
     * @param missing whether the refusal is a {@link SequenceException.SchemaMissing}
     * @param later why nothing more may be opened, if a table is of a later version; what is open continues, because a
     *     later version only adds to the tables
     */
    record Found(Optional<String> refusal, Optional<Remedy> remedy, boolean missing, Optional<String> later) {

        static final Found SOUND = new Found(Optional.empty(), Optional.empty(), false, Optional.empty());

        private static Found refused(String why, boolean missing) {
            return new Found(Optional.of(why), Optional.empty(), missing, Optional.empty());
        }

        /** Keeps the other's refusal, if both have one. */
        private Found or(Found other) {
            Found worse = other.refusal.isPresent() ? other : this;
            return new Found(worse.refusal, worse.remedy, worse.missing, later.or(other::later));
        }

        Optional<SequenceException> exception() {
            return refusal.map(why -> missing
                    ? remedy.map(what -> new SequenceException.SchemaMissing(why, what))
                            .orElseGet(() -> new SequenceException.SchemaMissing(why))
                    : remedy.map(what -> new SequenceException.Conflict(why, what))
                            .orElseGet(() -> new SequenceException.Conflict(why)));
        }
    }

    private record Options(String comment, int timeToLive, int gcGrace, String readRepair) {}

    /**
     * What was read.
     *
     * @param replication of each of the keyspaces that exist, by name
     */
    record Looked(Found found, Map<String, Map<String, String>> replication) {}

    /**
     * Reads both keyspaces at once, in three reads, and in a fourth one which installations there are if this one is not. The
     * stage fails if there is no answer.
     */
    CompletionStage<Looked> look() {
        CompletionStage<Map<String, List<Row>>> tables =
                rows("SELECT keyspace_name, table_name, comment, default_time_to_live, gc_grace_seconds, read_repair"
                        + " FROM system_schema.tables WHERE keyspace_name IN (?, ?)");
        CompletionStage<Map<String, List<Row>>> columns = rows("SELECT keyspace_name, table_name, column_name"
                + " FROM system_schema.columns WHERE keyspace_name IN (?, ?)");
        CompletionStage<Map<String, List<Row>>> keyspaces = rows("SELECT keyspace_name, durable_writes, replication"
                + " FROM system_schema.keyspaces WHERE keyspace_name IN (?, ?)");
        return tables.thenCombine(columns, (found, names) -> judge(globalKeyspace, Schema.GLOBAL, found, names)
                        .or(judge(localKeyspace, Schema.DATACENTER, found, names)))
                .thenCombine(tables.thenCompose(this::absent), (found, absent) -> absent.orElse(found))
                .thenCombine(
                        keyspaces, (found, settings) -> new Looked(durable(found, settings), replication(settings)));
    }

    private CompletionStage<Optional<Found>> absent(Map<String, List<Row>> tables) {
        return Installations.isOne(tables.getOrDefault(globalKeyspace, List.of()))
                ? CompletableFuture.completedFuture(Optional.empty())
                : Installations.absent(session, globalKeyspace, timeout).thenApply(why -> Optional.of(missing(why)));
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
                .map(keyspace -> notDurable(keyspace).or(found))
                .orElse(found);
    }

    private static Found notDurable(String keyspace) {
        return Found.refused(
                "Cassidy's keyspace " + keyspace + " has durable_writes = false: a node that is killed forgets"
                        + " every claim since its last flush. Nothing is claimed until this is corrected: ALTER"
                        + " KEYSPACE " + keyspace + " WITH durable_writes = true",
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
        if (options.isEmpty()) {
            return missing("Cassidy's keyspace " + keyspace + " of datacenter " + datacenter + " (globalKeyspace="
                    + globalKeyspace + ") is missing or empty");
        }
        Optional<String> later = Optional.empty();
        // Before anything is called lost: tables of another version may lack what this one has.
        for (Schema.Table table : tables) {
            Options found = options.get(table.name());
            if (found == null) {
                continue;
            }
            String name = keyspace + "." + table.name();
            OptionalInt version = Schema.version(found.comment());
            if (version.isEmpty()) {
                return lost(
                        "The comment of Cassidy's table " + name + " does not tell its version: '" + found.comment()
                                + "'",
                        table.raise(keyspace));
            }
            if (version.getAsInt() < Schema.VERSION) {
                return earlier(name, version.getAsInt());
            }
            if (version.getAsInt() > Schema.VERSION) {
                later = Optional.of(Schema.later(name, version.getAsInt()));
            }
        }
        return fit(keyspace, tables, options, columns).or(new Found(Optional.empty(), Optional.empty(), false, later));
    }

    private static Found fit(
            String keyspace,
            List<Schema.Table> tables,
            Map<String, Options> options,
            Map<String, Set<String>> columns) {
        for (Schema.Table table : tables) {
            String name = keyspace + "." + table.name();
            Options found = options.get(table.name());
            if (found == null) {
                return lost("Cassidy's table " + name + " is missing", table.create(keyspace));
            }
            Optional<String> unfit = unfit(name, found);
            if (unfit.isPresent()) {
                return Found.refused(unfit.get(), false);
            }
            Set<String> lacking = new LinkedHashSet<>(table.definitions().keySet());
            lacking.removeAll(columns.getOrDefault(table.name(), Set.of()));
            if (!lacking.isEmpty()) {
                return lost(
                        "Cassidy's table " + name + " lacks the columns " + lacking,
                        lacking.stream()
                                .map(column -> table.add(keyspace, column))
                                .collect(Collectors.joining("; ")));
            }
        }
        return Found.SOUND;
    }

    private Found missing(String what) {
        return new Found(Optional.of(what), Optional.of(init()), true, Optional.empty());
    }

    private Found earlier(String table, int version) {
        return new Found(
                Optional.of("Cassidy's table " + table + " is of version " + version
                        + ", and this release of Cassidy needs version " + Schema.VERSION),
                Optional.of(init()),
                false,
                Optional.empty());
    }

    private Remedy init() {
        return Installations.remedy(session, datacenter);
    }

    private static Found lost(String what, String way) {
        return Found.refused(
                what + ". Nothing is claimed until this is corrected: " + way
                        + ". That brings back nothing of what was dropped: better restore Cassidy's keyspaces",
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
        if (found.gcGrace() < Schema.SHORTEST_GC_GRACE.toSeconds()) {
            return Optional.of(unfit(
                    table,
                    "gc_grace_seconds = " + found.gcGrace(),
                    "what was removed comes back from a node that was down; at least "
                            + Schema.SHORTEST_GC_GRACE.toSeconds() + " are needed",
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
        return Installations.read(session, cql, timeout, globalKeyspace, localKeyspace)
                .thenApply(rows -> rows.stream().collect(Collectors.groupingBy(row -> row.getString("keyspace_name"))));
    }
}
