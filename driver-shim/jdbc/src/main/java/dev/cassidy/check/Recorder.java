package dev.cassidy.check;

import dev.cassidy.insert.StatementShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Collects what an application does. Safe for use by many threads. */
final class Recorder {

    static final int MOST_STATEMENTS = 10_000;
    private static final int MOST_CALLERS = 3;

    /** A text may hold any number of statements, and with each there may be something to say. */
    private static final int MOST_LINES = 100;

    /** Packages that call JDBC for the application; the frame above them is the application. */
    private static final List<String> NOT_THE_APPLICATION = List.of(
            "dev.cassidy.check.",
            "dev.cassidy.jdbc.",
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.proxy.",
            "com.zaxxer.",
            "org.apache.commons.dbutils.",
            "org.apache.ibatis.",
            "org.hibernate.",
            "org.jdbi.",
            "org.jooq.",
            "org.mybatis.",
            "org.springframework.");

    private record Key(String shape, Verdict verdict) {}

    private static final class Entry {
        private final Judgement judgement;
        private final LongAdder executions = new LongAdder();
        private final Set<String> differences = ConcurrentHashMap.newKeySet();
        private final Set<String> callers = ConcurrentHashMap.newKeySet();

        Entry(Judgement judgement) {
            this.judgement = judgement;
        }
    }

    private record Calls(String reason, LongAdder times, Set<String> callers) {}

    private final Judge judge;
    private final KnownNames names;
    private final Map<Key, Entry> statements = new ConcurrentHashMap<>();
    private final Map<String, Calls> calls = new ConcurrentHashMap<>();
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong changes = new AtomicLong();

    Recorder(Judge judge, KnownNames names) {
        this.judge = judge;
        this.names = names;
    }

    /** A statement of the application, judged once for all its executions. */
    final class Statement {
        private final @Nullable Entry entry;

        private Statement(@Nullable Entry entry) {
            this.entry = entry;
        }

        void executed() {
            if (entry == null) {
                dropped.increment();
            } else {
                entry.executions.increment();
            }
        }

        void differs(String difference) {
            if (entry != null && entry.differences.add(difference)) {
                changes.incrementAndGet();
            }
        }
    }

    Statement statement(String text, boolean generatedKeys) {
        String sql = names.shown(text);
        String shape = StatementShape.of(sql);
        Judgement judgement = judge.judge(sql, shape, generatedKeys);
        Key key = new Key(shape, judgement.verdict());
        Entry known = statements.get(key);
        if (known == null) {
            if (statements.size() >= MOST_STATEMENTS) {
                return new Statement(null);
            }
            known = statements.computeIfAbsent(key, absent -> new Entry(kept(judgement)));
            changes.incrementAndGet();
        }
        addCaller(known.callers);
        return new Statement(known);
    }

    /** Returns what the report shows of a judgement: statements are cut off and without values, whatever their length. */
    private static Judgement kept(Judgement judgement) {
        return new Judgement(
                judgement.verdict(),
                judgement.cql().stream()
                        .limit(MOST_LINES)
                        .map(cql -> cql.startsWith("--") ? cql : StatementShape.of(cql))
                        .toList(),
                judgement.reasons().stream().limit(MOST_LINES).toList(),
                judgement.accesses().stream().limit(MOST_LINES).toList(),
                judgement.differences().stream().limit(MOST_LINES).toList());
    }

    void refusedCall(String method, String reason) {
        Calls seen = calls.computeIfAbsent(method, absent -> {
            changes.incrementAndGet();
            return new Calls(reason, new LongAdder(), ConcurrentHashMap.newKeySet());
        });
        seen.times().increment();
        addCaller(seen.callers());
    }

    private static void addCaller(Set<String> callers) {
        if (callers.size() < MOST_CALLERS) {
            StackWalker.getInstance()
                    .walk(frames -> frames.filter(
                                    frame -> NOT_THE_APPLICATION.stream().noneMatch(frame.getClassName()::startsWith))
                            .findFirst())
                    .ifPresent(frame -> callers.add(
                            frame.getClassName() + '.' + frame.getMethodName() + ':' + frame.getLineNumber()));
        }
    }

    /** Returns a number that increases with every new item in the report, except for counts. */
    long changes() {
        return changes.get();
    }

    CheckReport report(String database, boolean verified, int nodes) {
        List<CheckReport.Seen> seen = new ArrayList<>();
        statements.forEach((key, entry) -> seen.add(new CheckReport.Seen(
                key.shape(),
                key.verdict(),
                entry.judgement.cql(),
                entry.judgement.reasons(),
                entry.judgement.accesses(),
                Stream.concat(
                                entry.judgement.differences().stream(),
                                entry.differences.stream().sorted())
                        .toList(),
                entry.executions.sum(),
                entry.callers.stream().sorted().toList())));
        List<CheckReport.Call> refused = new ArrayList<>();
        calls.forEach((method, call) -> refused.add(new CheckReport.Call(
                method,
                call.reason(),
                call.times().sum(),
                call.callers().stream().sorted().toList())));
        return new CheckReport(database, verified, nodes, seen, refused, dropped.sum());
    }
}
