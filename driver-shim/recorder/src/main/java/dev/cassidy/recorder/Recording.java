package dev.cassidy.recorder;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What this process records: facts, each written once when it is new, and counts, which are written when they have doubled and
 * at the end. Bounded: what has no room is counted. Nothing here throws. Safe for use by many threads.
 */
final class Recording {

    /** Of the file's lines; raised when a key changes its meaning or goes. */
    static final int VERSION = 1;

    static final int MAX_STATEMENTS = 10_000;

    /** Of all statements together. */
    private static final int MAX_CHARACTERS = 20_000_000;

    private static final int MAX_METHODS = 1_000;
    private static final int MAX_TRANSACTIONS = 1_000;
    private static final int MAX_CACHED = 2_000;
    private static final int MAX_CACHED_LENGTH = 2_000;
    private static final long MAX_BYTES = 64L << 20;
    private static final long FLUSH_MILLIS = 500;

    private static final Logger LOG = Logger.getLogger(Recording.class.getName());

    private final FactFile file;
    private final AtomicInteger databases = new AtomicInteger();
    private final AtomicInteger statementIds = new AtomicInteger();
    private final Map<String, Statement> statements = new ConcurrentHashMap<>();

    /** Guarded by {@link #statements}. */
    private int characters;

    private final Map<MethodUse, Call> calls = new ConcurrentHashMap<>();
    private final Set<String> transactions = ConcurrentHashMap.newKeySet();
    private final AtomicLong executions = new AtomicLong();
    private final AtomicLong notRecorded = new AtomicLong();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Set<String> bounds = ConcurrentHashMap.newKeySet();
    private final Thread writer = new Thread(this::write, "cassidy-recorder");
    private volatile boolean ended;

    private Recording(FactFile file) {
        this.file = file;
    }

    /**
     * Begins a recording of this process; null, and a warning, if its file cannot be written.
     *
     * @param base of the file's path, to which the host and the process are added
     */
    static @Nullable Recording begin(String base) {
        try {
            String process = process();
            Recording recording = new Recording(FactFile.open(base, process, MAX_BYTES));
            recording.file.add(new JsonLine()
                    .put("recorder", VERSION)
                    .put("process", process)
                    .put("java", System.getProperty("java.version", ""))
                    .put("began", System.currentTimeMillis()));
            recording.file.flush(false);
            recording.writer.setDaemon(true);
            recording.writer.start();
            LOG.info("Cassidy's recorder writes " + recording.file.path());
            return recording;
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cassidy's recorder cannot write its file and records nothing; the application continues. Name another by -D"
                            + RecordingDriver.FILE,
                    e);
            return null;
        }
    }

    /** Returns the host and the number of this process. */
    private static String process() {
        String name = ManagementFactory.getRuntimeMXBean().getName();
        int sign = name.indexOf('@');
        return sign < 0 ? name : name.substring(sign + 1) + '-' + name.substring(0, sign);
    }

    // ---- in the application's threads

    /** Does work that only the recorder needs; null if it fails. */
    <T> @Nullable T aside(java.util.function.Supplier<T> own) {
        if (ended) {
            return null;
        }
        try {
            return own.get();
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            warn("failed; its record lacks a part", e);
            return null;
        }
    }

    private void warn(String what, Throwable e) {
        if (warned.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "Cassidy's recorder " + what + ". The application continues", e);
        }
    }

    /** A database whose statements are recorded. */
    Database database(String product, KnownNames names) {
        Database database = new Database(databases.incrementAndGet(), names);
        file.add(new JsonLine().put("database", database.number).put("product", product));
        return database;
    }

    final class Database {
        private final int number;
        private final KnownNames names;
        private final Map<String, Statement> byText = new ConcurrentHashMap<>();

        private Database(int number, KnownNames names) {
            this.number = number;
            this.names = names;
        }

        Recording recording() {
            return Recording.this;
        }

        /** Returns a statement without its values, the same for all statements that differ in their values only. */
        Statement statement(String text) {
            Statement known = byText.get(text);
            if (known != null) {
                return known;
            }
            Statement found = find(text);
            if (text.length() <= MAX_CACHED_LENGTH) {
                if (byText.size() >= MAX_CACHED) {
                    byText.clear();
                }
                byText.put(text, found);
            }
            return found;
        }

        private Statement find(String text) {
            Scanned scanned = StatementScanner.scan(text, names);
            String sql = scanned.sql();
            String unread = scanned.unread();
            String key = number + (sql != null ? " " + sql : "!" + scanned.kind() + unread);
            Statement known = statements.get(key);
            if (known != null) {
                return known;
            }
            synchronized (statements) {
                known = statements.get(key);
                if (known == null
                        && statements.size() < MAX_STATEMENTS
                        && characters + key.length() <= MAX_CHARACTERS) {
                    characters += key.length();
                    known = new Statement(statementIds.incrementAndGet(), scanned.kind());
                    statements.put(key, known);
                    JsonLine line = new JsonLine()
                            .put("statement", known.id)
                            .put("database", number)
                            .put("kind", scanned.kind());
                    file.add(sql != null ? line.put("sql", sql) : line.put("unread", String.valueOf(unread)));
                }
            }
            if (known == null) {
                bound("statements", statements.size());
                return new Statement(0, scanned.kind());
            }
            return known;
        }

        /** Records which statements are in one transaction, each time they are other ones. */
        void transaction(List<Integer> ids, boolean cut, String end) {
            if (ids.isEmpty()) {
                return;
            }
            String key = number + end + cut + ids;
            if (transactions.contains(key)) {
                return;
            }
            if (transactions.size() >= MAX_TRANSACTIONS) {
                bound("transactions", MAX_TRANSACTIONS);
            } else if (transactions.add(key)) {
                JsonLine line = new JsonLine()
                        .put("transaction", ids)
                        .put("database", number)
                        .put("end", end);
                file.add(cut ? line.put("cut", true) : line);
            }
        }
    }

    /** Says once that a limit is reached, because a record must not look complete when it is not. */
    private void bound(String what, int most) {
        if (bounds.add(what)) {
            file.add(new JsonLine().put("bound", what).put("most", most));
        }
    }

    /** A count that is written when it has doubled, and at the end. */
    private abstract static class Counted {
        private final AtomicLong count = new AtomicLong();
        private long written;

        /** Of the writer alone. */
        final @Nullable JsonLine line(boolean last) {
            long now = count.get();
            if (now == written || (!last && now < 2 * written)) {
                return null;
            }
            written = now;
            return named().put("count", now);
        }

        abstract JsonLine named();
    }

    /** A statement, whatever its values. */
    final class Statement extends Counted {
        private final int id;
        private final String kind;
        private final Set<String> facts = ConcurrentHashMap.newKeySet();
        private final CallSites sites = new CallSites();

        /** @param id 0 if there is no room for it */
        private Statement(int id, String kind) {
            this.id = id;
            this.kind = kind;
        }

        int id() {
            return id;
        }

        String kind() {
            return kind;
        }

        @Override
        JsonLine named() {
            return new JsonLine().put("statement", id);
        }

        void executed() {
            executions.incrementAndGet();
            if (id == 0) {
                notRecorded.incrementAndGet();
                return;
            }
            String site = sites.site(super.count.incrementAndGet());
            if (site != null) {
                file.add(named().put("at", site));
            }
        }

        void asksForKeys() {
            fact("keys", "true");
        }

        void ranAfterWrite() {
            fact("afterWrite", "true");
        }

        /** Records whether it changed no row, one, or more. */
        void changed(long rows) {
            if (rows >= 0) {
                fact("rows", rows == 0 ? "0" : rows == 1 ? "1" : "more");
            }
        }

        private void fact(String key, String value) {
            if (id != 0 && !facts.contains(key + value) && facts.add(key + value)) {
                file.add(value.equals("true") ? named().put(key, true) : named().put(key, value));
            }
        }
    }

    private static final class MethodUse {
        private final Method method;
        private final String with;

        MethodUse(Method method, String with) {
            this.method = method;
            this.with = with;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof MethodUse
                    && method.equals(((MethodUse) other).method)
                    && with.equals(((MethodUse) other).with);
        }

        @Override
        public int hashCode() {
            return method.hashCode() + with.hashCode();
        }
    }

    private final class Call extends Counted {
        private final MethodUse use;
        private final CallSites sites = new CallSites();

        Call(MethodUse use) {
            this.use = use;
        }

        @Override
        JsonLine named() {
            JsonLine line =
                    new JsonLine().put("call", use.method.getDeclaringClass().getName() + '.' + use.method.getName());
            return use.with.isEmpty() ? line : line.put("with", use.with);
        }

        void called() {
            String site = sites.site(super.count.incrementAndGet());
            if (site != null) {
                file.add(named().put("at", site));
            }
        }
    }

    /**
     * Records the use of a method.
     *
     * @param with a constant of JDBC's that it was called with; empty for none that matters
     */
    void called(Method method, String with) {
        MethodUse use = new MethodUse(method, with);
        Call call = calls.get(use);
        if (call == null) {
            if (calls.size() >= MAX_METHODS) {
                bound("methods", MAX_METHODS);
                return;
            }
            call = calls.computeIfAbsent(use, Call::new);
        }
        call.called();
    }

    // ---- in the background

    private void write() {
        try {
            while (!ended) {
                Thread.sleep(FLUSH_MILLIS);
                flush(false);
            }
        } catch (InterruptedException e) {
            // It ends.
        }
    }

    /** Writes what is new. Never throws. */
    synchronized void flush(boolean last) {
        if (ended) {
            return;
        }
        try {
            Set<Counted> counted = new HashSet<>(statements.values());
            counted.addAll(calls.values());
            List<JsonLine> lines = new ArrayList<>();
            for (Counted each : counted) {
                JsonLine line = each.line(last);
                if (line != null) {
                    lines.add(line);
                }
            }
            if (last) {
                // The facts that still wait have the file's bound; the counts do not.
                file.flush(false);
            }
            lines.forEach(file::add);
            if (last) {
                file.add(new JsonLine()
                        .put("end", true)
                        .put("executions", executions.get())
                        .put("notRecorded", notRecorded.get())
                        .put("leftOut", file.leftOut()));
            }
            file.flush(last);
        } catch (IOException | RuntimeException e) {
            warn("cannot write " + file.path() + " and records nothing more", e);
            ended = true;
        }
    }

    /** Writes counts and ends the recording. Never throws. */
    void end() {
        flush(true);
        ended = true;
        writer.interrupt();
        try {
            file.close();
        } catch (IOException e) {
            warn("cannot close " + file.path(), e);
        }
    }
}
