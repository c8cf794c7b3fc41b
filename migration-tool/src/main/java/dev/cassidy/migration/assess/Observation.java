package dev.cassidy.migration.assess;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What was seen of an application, from all inputs together: statements without their values, and calls of JDBC. Not safe for use
 * by many threads.
 */
public final class Observation {

    /** More than any application has; executions of further ones are counted. */
    static final int MAX_STATEMENTS = 100_000;

    private static final int MAX_SITES = 3;

    /**
     * What an input held.
     *
     * @param what the kind of input and where it is
     * @param executions how many executions it tells of
     * @param skipped lines or rows that tell of no statement, such as commits in a log
     * @param unread lines or rows that could not be read
     * @param notes what else must be known of it, such as that it has no end
     */
    public record Input(String what, long executions, long skipped, long unread, Set<String> notes) {
        public Input {
            notes = Set.copyOf(notes);
        }
    }

    /** A statement, by its text with markers, or by why that could not be read. */
    record Key(String kind, String sql, String unread) {}

    /** What was seen of one statement. */
    static final class Statement {
        long executions;
        boolean keys;
        boolean afterWrite;
        final Set<String> rows = new TreeSet<>();
        final Set<String> sites = new LinkedHashSet<>();

        void addSite(String site) {
            if (sites.size() < MAX_SITES) {
                sites.add(site);
            }
        }
    }

    /** Calls of a method of JDBC. */
    static final class Call {
        long times;
        final Set<String> sites = new LinkedHashSet<>();

        void addSite(String site) {
            if (sites.size() < MAX_SITES) {
                sites.add(site);
            }
        }
    }

    private final Map<Key, Statement> statements = new LinkedHashMap<>();
    private final Map<String, Call> calls = new LinkedHashMap<>();
    private final Set<Input> inputs = new LinkedHashSet<>();
    private final Set<String> databases = new LinkedHashSet<>();
    private final Statement further = new Statement();

    /**
     * Returns what was seen of a statement, for more to be added.
     *
     * @param sql with markers; empty if it could not be read
     * @param unread why; empty if it could
     */
    Statement statement(String kind, String sql, String unread) {
        Key key = new Key(kind, sql, unread);
        if (statements.size() >= MAX_STATEMENTS && !statements.containsKey(key)) {
            return further;
        }
        return statements.computeIfAbsent(key, absent -> new Statement());
    }

    /** @param method with its interface, and after a blank the constant that it was called with, if that matters */
    Call call(String method) {
        return calls.computeIfAbsent(method, absent -> new Call());
    }

    void addDatabase(String product) {
        databases.add(product);
    }

    void addInput(Input input) {
        inputs.add(input);
    }

    /** Adds executions of statements that an input could not keep. */
    void dropped(long executions) {
        further.executions += executions;
    }

    Map<Key, Statement> statements() {
        return statements;
    }

    Map<String, Call> calls() {
        return calls;
    }

    Set<Input> inputs() {
        return inputs;
    }

    Set<String> databases() {
        return databases;
    }

    /** Returns how many executions are of statements for which an input or this has no room. */
    long dropped() {
        return further.executions;
    }
}
