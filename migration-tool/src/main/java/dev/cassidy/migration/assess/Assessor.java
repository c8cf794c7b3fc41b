package dev.cassidy.migration.assess;

import dev.cassidy.insert.StatementShape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges everything that was seen of an application. Each statement is in the result, also one that could not be judged. */
public final class Assessor {

    private static final Logger LOG = LoggerFactory.getLogger(Assessor.class);

    private static final int MAX_SITES = 3;

    /** One string may hold any number of statements, and with each there may be something to say. */
    private static final int MAX_LINES = 100;

    /** Statements that differ in the types of their values alone are one to a reader. */
    private record Key(String shape, Verdict verdict) {}

    private static final class Entry {
        private final Judgement judgement;
        private final Set<String> differences = new LinkedHashSet<>();
        private final Set<String> sites = new TreeSet<>();
        private long executions;

        Entry(Judgement judgement) {
            this.judgement = judgement;
            this.differences.addAll(judgement.differences());
        }
    }

    private final Judge judge;
    private final int nodes;
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    /** @param nodes the size of the datacenter for which costs are judged; 0 if none is known */
    public Assessor(Judge judge, int nodes) {
        this.judge = judge;
        this.nodes = nodes;
    }

    /** Judges each statement and each call. */
    public Assessment assess(Observation seen) {
        entries.clear();
        seen.statements().forEach(this::add);
        Map<String, Assessment.Call> refused = new LinkedHashMap<>();
        seen.calls().forEach((call, use) -> JdbcCalls.refused(call)
                .ifPresent(why -> refused.merge(
                        why.method(),
                        new Assessment.Call(
                                why.method(), why.reason(), use.times, List.copyOf(new TreeSet<>(use.sites))),
                        Assessor::both)));
        return new Assessment(
                String.join(", ", seen.databases()),
                judge.asksTheTarget(),
                judge.asksTheOldKeys(),
                nodes,
                List.copyOf(seen.inputs()),
                entries.entrySet().stream()
                        .map(each -> seen(each.getKey(), each.getValue()))
                        .toList(),
                List.copyOf(refused.values()),
                seen.dropped());
    }

    private static Assessment.Call both(Assessment.Call some, Assessment.Call other) {
        Set<String> sites = new TreeSet<>(some.calledBy());
        sites.addAll(other.calledBy());
        return new Assessment.Call(
                some.method(),
                some.reason(),
                some.times() + other.times(),
                sites.stream().limit(MAX_SITES).toList());
    }

    private static Assessment.Seen seen(Key key, Entry entry) {
        return new Assessment.Seen(
                key.shape(),
                key.verdict(),
                entry.judgement.cql(),
                entry.judgement.reasons(),
                entry.judgement.accesses(),
                List.copyOf(entry.differences),
                entry.executions,
                entry.sites.stream().limit(MAX_SITES).toList());
    }

    private void add(Observation.Key key, Observation.Statement statement) {
        String sql = Representatives.in(key.sql());
        String shape = key.unread().isEmpty() ? StatementShape.of(sql) : key.kind() + " ...";
        Judgement judgement = key.unread().isEmpty()
                ? judgement(sql, statement.keys)
                : Judgement.notJudged("it could not be read: " + key.unread());
        Entry entry =
                entries.computeIfAbsent(new Key(shape, judgement.verdict()), absent -> new Entry(kept(judgement)));
        entry.executions += statement.executions;
        entry.sites.addAll(statement.sites);
        entry.differences.addAll(
                judge.asksTheOldKeys() && key.unread().isEmpty()
                        ? differencesOfExact(key.kind(), statement)
                        : differences(key.kind(), statement));
    }

    private Judgement judgement(String sql, boolean keys) {
        try {
            return judge.judge(sql, keys);
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn("A statement could not be judged: {}", StatementShape.of(sql), e);
            return Judgement.notJudged("the judge failed: " + e.getClass().getSimpleName());
        }
    }

    /** Returns what the report shows of a judgement: statements are cut off and without values, whatever their length. */
    private static Judgement kept(Judgement judgement) {
        return new Judgement(
                judgement.verdict(),
                judgement.cql().stream()
                        .limit(MAX_LINES)
                        .map(cql -> cql.startsWith("--") ? cql : StatementShape.of(cql))
                        .toList(),
                judgement.reasons().stream().limit(MAX_LINES).toList(),
                judgement.accesses().stream().limit(MAX_LINES).toList(),
                judgement.differences().stream().limit(MAX_LINES).toList());
    }

    /** As {@link #differences}, where all tables are judged as exact ones, which count rows as the old database does. */
    private static List<String> differencesOfExact(String kind, Observation.Statement statement) {
        return kind.equals("SELECT") && statement.afterWrite
                ? List.of(
                        "It ran after a write of the same transaction. If that was to its table, it must select columns or"
                                + " COUNT(*)")
                : List.of();
    }

    /** Returns what happened on the old database and would be different on Cassandra. */
    private static List<String> differences(String kind, Observation.Statement statement) {
        List<String> differences = new ArrayList<>();
        boolean update = kind.equals("UPDATE");
        boolean delete = kind.equals("DELETE");
        if (kind.equals("SELECT") && statement.afterWrite) {
            differences.add(
                    "It ran after a write of the same transaction. On a table whose writes are not exact, the writes wait for"
                            + " the commit, and it does not see them; of an exact one that the transaction has written to, it must"
                            + " select columns or COUNT(*)");
        }
        if (update && statement.rows.contains("0")) {
            differences.add(
                    "It changed no row. On a table whose writes are not exact, an UPDATE makes the row that is not there and"
                            + " reports 1, unless it has IF");
        }
        if (delete && statement.rows.contains("0")) {
            differences.add(
                    "It deleted no row. On a table whose writes are not exact, a DELETE does not look, and reports 1");
        }
        if ((update || delete) && statement.rows.contains("more")) {
            differences.add(
                    "It changed several rows. On a table whose writes are not exact, it takes the whole primary key of"
                            + " each row, and reports 1 for a statement");
        }
        return differences;
    }
}
