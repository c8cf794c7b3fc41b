package dev.cassidy.migration.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Feeds all readers of texts with texts that are made to cost more than others. Four times the text takes at most five times the work,
 * which is counted and not timed, and a stack of 256 KB. A build takes every third kind of text, blanks, percent signs, stars and passwords
 * among them; {@code -Dtexts.all=true} takes all.
 */
class LinearTimeTest {

    private static final int KB = 1024;
    private static final int SHORT = 64 * KB;
    private static final int LONG = 256 * KB;
    private static final int SMALL_STACK = 256 * KB;

    /** What may come on top: caches and buffers of a first call, a limit that only the longer text reaches. */
    private static final long SOME_STEPS = 500_000;

    private static final long SOME_BYTES = 4_000_000;

    /** For each character. A reader may walk over a text for each level of its brackets, of which there are 200. */
    private static final long MOST_STEPS = 1_000;

    /** Texts of any length. */
    private record Family(String name, IntFunction<String> text) {}

    private static Family of(String head, String unit, String tail) {
        return new Family(
                head + unit + " ...",
                length -> head
                        + unit.repeat(Math.max(1, (length - head.length() - tail.length()) / unit.length()))
                        + tail);
    }

    private static Family numbered(String head, IntFunction<String> unit, String tail) {
        return new Family(head + unit.apply(1) + unit.apply(2) + " ...", length -> {
            StringBuilder text = new StringBuilder(head);
            for (int i = 0; text.length() < length; i++) {
                text.append(unit.apply(i));
            }
            return text.append(tail).toString();
        });
    }

    private static Family nested(String head, String open, String inner, String close) {
        return new Family(head + open + open + " ...", length -> {
            int depth = Math.max(1, (length - head.length()) / (open.length() + close.length()));
            return head + open.repeat(depth) + inner + close.repeat(depth);
        });
    }

    private static List<Family> texts() {
        String values = "INSERT INTO t (a) VALUES (";
        return List.of(
                of("", "(", ""),
                of("", " ", "x"),
                of("a ", " ", "b"),
                of("a", " ; ", "b"),
                of("", "%", ""),
                of("", "[", ""),
                of("[", "]", ""),
                of("", "*", ""),
                of("", "a*", ""),
                of("'", "''", "'"),
                of("'", "''", ""),
                of("\"", "\"\"", "\""),
                of("'", "a", "1'"),
                of("{", "}}", ""),
                of("", "'", ""),
                of("", "/*", ""),
                of("", "-", ""),
                of("", "- ", "1"),
                of("", "1", ""),
                of("", "1d", ""),
                of("", "1.", ""),
                of("", "a.", "b"),
                of("", "a,", "b"),
                of("", "a|", "b"),
                of("", "a=", "b"),
                of("", "a&b=", ""),
                of("?", "password", ""),
                of("?", "password ", ""),
                of("--", "password", "1"),
                of("?password={", "a}}", ""),
                of("(", "@a int,", ""),
                of("(@a x", ",@a x", "'"),
                of("", "//a:", ""),
                of("", "host:1,", ""),
                of("", ":a ", ""),
                of("", "\\u0041\"", ""),
                of("", ": ", ""),
                of("cannot parse 'a' ", "execution of ", ""),
                of("String was: ", "String was: ", ""),
                nested("", "(", "1", ")"),
                nested(values, "(", "1", ")"),
                nested("", "[", "1", "]"));
    }

    private static List<Family> statements() {
        String values = "INSERT INTO t (a) VALUES (";
        return List.of(
                of("CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT ", "(", ""),
                nested("CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT ", "(", "1", "))"),
                nested("CREATE TABLE t (id int PRIMARY KEY, a int CHECK ", "(", "a > 1", "))"),
                of("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (", "a > 1 OR ", "a > 2))"),
                of("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (", "NOT ", "a > 2))"),
                of("CHECK (", "NOT ", "a > 2)"),
                of("CHECK (a LIKE '", "%", "b')"),
                of("CHECK (a LIKE '", "[", "')"),
                of("CHECK (a LIKE '", "%x", "y')"),
                of("CHECK (", "a = '1' OR ", "a = '2')"),
                numbered(
                        "CREATE TABLE t (id int PRIMARY KEY",
                        i -> ", c" + i + " int DEFAULT 1 CHECK (c" + i + " > 0)",
                        ")"),
                of("CREATE TABLE t (id int PRIMARY KEY, a bit DEFAULT CONVERT(bit,('", "''", "')))"),
                of("CONVERT(varchar(9),('", "''", "'))"),
                nested("SELECT ", "CAST(", "1", " AS int)"),
                nested("SELECT ", "CAST(", "a", " AS int) FROM t"),
                of("SELECT ", "CAST(", ""),
                of("SELECT ", "CAST(a AS int) + ", "1 FROM t"),
                nested("SELECT ", "CONVERT(int, ", "1", ")"),
                of("SELECT ", "- ", "1"),
                of("SELECT ", "1 + ", "1"),
                of("SELECT ", "1d", " FROM t"),
                of("SELECT f(", "1d", ") FROM t"),
                of("SELECT ", "{fn now()}, ", "1 FROM t"),
                of("SELECT ", "{fn a(", ""),
                of("SELECT ", "{d '1'}, ", "1 FROM t"),
                of("SELECT ", "SUM(a), ", "SUM(b) FROM t"),
                of("SELECT ", "ISNULL(a, 1), ", "b FROM t"),
                nested("SELECT ", "ISNULL(1, ", "a", ") FROM t"),
                numbered("SELECT a", i -> ", c" + i + " AS d" + i, " FROM t ORDER BY a" + ", b".repeat(9_999)),
                numbered("SELECT a FROM t ORDER BY a", i -> ", c" + i, ""),
                numbered("SELECT a FROM t WHERE id = 0", i -> " OR id = " + i, ""),
                numbered("SELECT a FROM t WHERE id = 0", i -> " AND c" + i + " = " + i, ""),
                numbered("SELECT a FROM t WHERE id IN (0", i -> ", " + i, ")"),
                of("SELECT a FROM t WHERE id IN (1", ", IN (1", ""),
                of("SELECT a FROM t WHERE ", "NOT ", "a = 1"),
                of("SELECT a FROM t WHERE a LIKE '", "%", "'"),
                of("SELECT a FROM t WHERE a LIKE '", "[", "'"),
                of("SELECT a FROM t WHERE ", "a BETWEEN 1 AND ", "2"),
                nested("SELECT a FROM t WHERE ", "(", "a = 1", ")"),
                of("SELECT a FROM t ", "UNION ", ""),
                of("SELECT a FROM t", "(a)-1", ""),
                of("SELECT ", "CASE WHEN ", ""),
                numbered(values, i -> "NEXT VALUE FOR s" + i + ", ", "1)"),
                of(values, "NEXT VALUE FOR s, ", "1)"),
                numbered("INSERT INTO t (a", i -> ", c" + i, ") VALUES (1)"),
                numbered("INSERT INTO t (a) VALUES (1)", i -> ", (" + i + ")", ""),
                of(values, "?, ", "1)"),
                of(values, "{1: ", ""),
                of(values, "f(", ""),
                numbered("INSERT INTO t (a) OUTPUT INSERTED.a", i -> ", INSERTED.c" + i, " VALUES (1)"),
                numbered("UPDATE t SET a = 1", i -> ", c" + i + " = c" + i + " + 1", " WHERE id = 1"),
                numbered("UPDATE t SET a = 1 WHERE id = 1", i -> " AND c" + i + " = " + i, ""),
                numbered("DELETE ", i -> "c" + i + ", ", "d FROM t WHERE id = 1"),
                of("", "CREATE FUNCTION f ", ""),
                of("", "CREATE FUNCTION f (a int) RETURNS int AS ", ""),
                of("", "CREATE TABLE t ", ""),
                of("", "CREATE TABLE t (id int PRIMARY KEY) ", ""),
                numbered("", i -> "CREATE TABLE t" + i + " (a int) ALTER TABLE t" + i + " ADD PRIMARY KEY (a) ", ""),
                numbered("", i -> "DECLARE @a" + i + " int ", ""),
                numbered(
                        "",
                        i -> "INSERT INTO t (a) VALUES (1) DECLARE @a" + i + " int SET @a" + i + " = SCOPE_IDENTITY() ",
                        ""),
                of("", "SELECT a ", ""),
                of("", "BEGIN ", ""),
                of("", "BEGIN BATCH ", ""),
                of("", "BEGIN SELECT a FROM t END ", ""),
                of("", "IF OBJECT_ID('t') IS NULL ", ""),
                of("", "IF OBJECT_ID('t') IS NULL BEGIN ", ""),
                of("", "IF OBJECT_ID('t') IS NULL CREATE TABLE t (id int PRIMARY KEY) ", ""),
                of("", "GO\n", ""),
                of("", "SELECT a FROM t\nGO\n", ""),
                of("", "ALTER TABLE t ADD c int ", ""),
                numbered("ALTER TABLE t ADD c int", i -> ", c" + i + " int", ""),
                numbered("ALTER TABLE t DROP COLUMN c", i -> ", c" + i, ""),
                of("EXEC sp_help ", "'t', ", "'t'"),
                of("BEGIN BATCH ", "INSERT INTO t (a) VALUES (1); ", "APPLY BATCH"),
                numbered("BEGIN BATCH ", i -> "UPDATE t" + i + " SET a = 1 WHERE id = 1; ", "APPLY BATCH"),
                of("SELECT ", "\u00e9 ", "FROM t"));
    }

    /** With readers that are loaded as {@link Work} counts. */
    @SuppressWarnings("unchecked")
    private static <T> T counted(String readers) throws ReflectiveOperationException {
        Class<?> type = Class.forName(LinearTimeTest.class.getPackageName() + "." + readers, true, new Work.Loader());
        return (T) ((Supplier<?>) type.getConstructor().newInstance()).get();
    }

    @Test
    @Tag("long")
    void shouldTakeWorkInProportionToTheText() throws ReflectiveOperationException {
        List<Map<String, Consumer<String>>> readers = counted("Readers");
        List<String> costly = new ArrayList<>();
        for (Map<String, Consumer<String>> each : readers) {
            ofThisBuild(texts()).forEach(family -> compare(each, family, costly));
        }
        ofThisBuild(statements()).forEach(family -> compare(readers.get(0), family, costly));

        assertThat(costly).isEmpty();
    }

    private static List<Family> ofThisBuild(List<Family> all) {
        return Boolean.getBoolean("texts.all")
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> i % 3 == 1)
                        .mapToObj(all::get)
                        .toList();
    }

    @Test
    void shouldFindWhatTakesMore() throws ReflectiveOperationException {
        Map<String, Consumer<String>> planted = counted("Planted");
        List<String> costly = new ArrayList<>();
        compare(planted, of("", " ", ""), costly);

        assertThat(costly).hasSameSizeAs(planted.keySet());
    }

    private static void compare(Map<String, Consumer<String>> readers, Family family, List<String> costly) {
        String few = family.text().apply(SHORT);
        String many = family.text().apply(LONG);
        readers.forEach((name, reader) -> {
            String found = compared(reader, few, many);
            if (!found.isEmpty()) {
                costly.add(name + " of " + family.name() + ": " + found);
            }
        });
    }

    private static String compared(Consumer<String> reader, String few, String many) {
        try {
            Work.Done less = work(reader, few, MOST_STEPS * SHORT);
            Work.Done more = work(reader, many, MOST_STEPS * LONG);
            boolean linear =
                    more.steps() <= 5 * less.steps() + SOME_STEPS && more.bytes() <= 5 * less.bytes() + SOME_BYTES;
            return linear ? "" : less + " became " + more;
        } catch (StackOverflowError | Work.TooMuch e) {
            return e.toString();
        }
    }

    /** On a thread with a small stack. */
    private static Work.Done work(Consumer<String> reader, String text, long mostSteps) {
        FutureTask<Work.Done> task = new FutureTask<>(() -> Work.of(() -> reader.accept(text), mostSteps));
        new Thread(null, task, "small-stack", SMALL_STACK).start();
        try {
            return task.get();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new AssertionError(e);
        }
    }
}
