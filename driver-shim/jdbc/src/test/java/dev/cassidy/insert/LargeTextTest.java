package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Texts of 10 MB, and texts nested 100,000 deep, designed to cost more than others. Code that takes time proportional
 * to the square of the text would not finish here.
 */
class LargeTextTest {

    private static final int MB = 1_000_000;
    private static final int DEEP = 100_000;
    private static final int SMALL_STACK = 256 * 1024;
    private static final long MAX_ALLOCATED = 64L << 20;

    private record Large(String name, String text) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Large of(String name, String head, String repeated, int length, String tail) {
        int times = Math.max(1, length / repeated.length());
        return new Large(name, head + repeated.repeat(times) + tail);
    }

    static Stream<Large> texts() {
        String insert = "INSERT INTO t (a) VALUES (";
        int large = 10 * MB;
        return Stream.of(
                of("a literal", insert + "'", "x", large, "')"),
                of("a literal of quotes", insert + "'", "''", large, "')"),
                of("a blob", insert + "0x", "ab", large, ")"),
                of("a $$ literal", insert + "$$", "x $ ", large, "$$)"),
                of("an N literal", insert + "N'", "x''", large, "')"),
                of("columns", "INSERT INTO t (a", ", column_of_table", large, ") VALUES (1)"),
                of(
                        "columns and values",
                        "INSERT INTO t (a",
                        ",b",
                        5 * MB,
                        ") VALUES (1" + ",2".repeat(MB * 5 / 2) + ")"),
                of("bracketed columns", "INSERT INTO t ([a]", ", [Column of Table]", large, ") VALUES (1)"),
                of("values", insert + "1", ", 1234567", large, ")"),
                of("markers", insert + "?", ", ?", large, ")"),
                of("named markers", insert + "[:a", ", :abcdefgh", large, "])"),
                of("rows", "INSERT INTO t (a) VALUES (1)", ", (1)", 5 * DEEP, ""),
                of("rows of markers", "INSERT INTO t (a) VALUES (?)", ", (?)", 5 * DEEP, ""),
                of(
                        "rows behind a long head",
                        "INSERT INTO t /*" + "x".repeat(5 * MB) + "*/ (a) VALUES (1)",
                        ", (1)",
                        5 * MB,
                        ""),
                of(
                        "rows before a long tail",
                        "INSERT INTO t (a) VALUES (1)",
                        ", (1)",
                        5 * MB,
                        " USING TTL 1" + " AND".repeat(MB)),
                of("open (", insert, "(", large, ""),
                of("open [", insert, "[", large, ""),
                of("open {", insert, "{", large, ""),
                of("open /*", "", "/*", large, ""),
                of("open ' in turns", insert, "' \" ", large, ""),
                of("open [a", insert, "[a ", large, ""),
                of("SELECT [a", "SELECT ", "[a ", large, " FROM t"),
                of("colons", insert + "{", ":", large, "})"),
                of("colons and comments", insert + "{", ": /* */ ", large, "})"),
                of("colons and open comments", insert + "{", ":/*", large, "})"),
                of("casts before colons", insert + "{", "('a'):b ", large, "})"),
                of("a dotted name", "SELECT a FROM t WHERE a", ".b", large, " = 1"),
                of("a dotted table", "UPDATE a", ".b", large, " SET a = 1"),
                of("semicolons", "", ";", large, ""),
                of("an insert's semicolons", insert + "1)", ";", large, ""),
                of("settings", "", "SET NOCOUNT ON ", large, ""),
                of("levels", "", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED ", large, ""),
                of("databases", "", "USE db ", large, ""),
                of("identities", "", "SELECT SCOPE_IDENTITY() ", large, ""),
                of("hints that end late", "", "a WITH ( ;", large / 2, ")".repeat(large / 2)),
                of("hints", "SELECT a FROM t ", "WITH (NOLOCK) ", large, ""),
                of("hints within hints", "SELECT a FROM t ", "WITH (", large, ")"),
                of("offsets", "SELECT a FROM t ", "OFFSET 0 ROWS ", large, ""),
                of("fetches", "SELECT a FROM t ", "FETCH NEXT 1 ROWS ", large, ""),
                of("tops", "SELECT ", "TOP 1 ", large, " a FROM t"),
                of("from", "SELECT a ", "FROM t ", large, ""),
                of("output", "INSERT INTO t (a) OUTPUT INSERTED.a", ", INSERTED.a", large, " VALUES (1)"),
                of("updates", "", "UPDATE t SET a = 1 WHERE b = 2;", large, ""),
                of("deletes", "", "DELETE t WHERE b = 2;", large, ""),
                of("a batch", "BEGIN BATCH ", "INSERT INTO t (a) VALUES (1);", large, " APPLY BATCH"),
                of("open batches", "", "BEGIN BATCH ", large, ""),
                of("applied", "", "BEGIN BATCH APPLY BATCH ", large, ""),
                of("calls", "SELECT ", "GETDATE(), ", large, "a FROM t"),
                of("escapes", "SELECT ", "{d '1'}, ", large, "a FROM t"),
                of("a definition", "CREATE TABLE t (a int", ", b int", large, ")"),
                of("comments", "", "/* */ -- x\n", large, insert + "1)"),
                of("blanks", "", " ", large, insert + "1)"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void shouldTakeTimeAndMemoryInProportionToTheText(Large large) throws Exception {
        long cql = allocated(large.text(), LargeTextTest::asCql);
        long write = allocated(large.text(), CqlWrite::recognise);
        long tsql = allocated(large.text(), LargeTextTest::asTsql);

        assertThat(List.of(cql, write, tsql)).allMatch(bytes -> bytes <= MAX_ALLOCATED);
    }

    private static void asCql(String text) {
        CqlInsert.recognise(text).filter(insert -> !insert.isJson()).ifPresent(insert -> insert.rewrite("id")
                .withLiteral(1));
        CqlInsert.tablesOfBatch(text);
    }

    private static void asTsql(String text) {
        try {
            TsqlScript.parse(text);
        } catch (UnsupportedSqlException refused) {
            assertThat(refused.number() == 191 || refused.getMessage().contains(" is not supported: "))
                    .as(refused.getMessage())
                    .isTrue();
        }
    }

    @Test
    void shouldNotNeedTheStackForNesting() throws Exception {
        for (String pair : List.of("()", "[]", "{}")) {
            String nested = String.valueOf(pair.charAt(0)).repeat(DEEP)
                    + "1"
                    + String.valueOf(pair.charAt(1)).repeat(DEEP);
            String cql = "INSERT INTO t (a) VALUES (" + nested + ")";
            allocated(cql, text -> {
                CqlInsert insert = CqlInsert.recognise(text).orElseThrow();
                assertThat(insert.rewrite("id").withLiteral(7))
                        .isEqualTo("INSERT INTO t (a, id) VALUES (" + nested + ", 7)");
                assertThat(CqlWrite.recognise(text)).isPresent();
                assertNestedTooDeeply(() -> TsqlScript.parse(text));
            });
        }
        allocated(
                "INSERT INTO t (a) VALUES (" + "(".repeat(DEEP) + "1" + ")".repeat(DEEP) + ")",
                text -> assertNestedTooDeeply(
                        () -> CqlInsert.recognise(text).orElseThrow().value("a")));
        allocated(
                "/*".repeat(DEEP) + "*/".repeat(DEEP) + "TRUNCATE t",
                text -> assertThat(TsqlScript.parse(text).steps()).hasSize(1));
    }

    @Test
    void shouldReadTwoHundredBracketsWithinEachOtherAndNoMore() {
        String most = "INSERT INTO t (a) VALUES (" + "(".repeat(199) + "1" + ")".repeat(199) + ")";
        TsqlStep step = TsqlScript.parse(most).steps().get(0);

        assertThat(((TsqlStep.Insert) step).rows().get(0).insert().text()).isEqualTo(most);
        assertNestedTooDeeply(
                () -> TsqlScript.parse("INSERT INTO t (a) VALUES (" + "(".repeat(200) + "1" + ")".repeat(200) + ")"));
        // One after the other they are as many as one likes.
        assertThat(TsqlScript.parse("INSERT INTO t (a) VALUES (f" + "()".repeat(2_000) + ")")
                        .steps())
                .hasSize(1);
    }

    private static void assertNestedTooDeeply(ThrowingCallable reads) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(reads)
                .withMessageContaining("nested too deeply")
                .withMessageContaining("200")
                .extracting(UnsupportedSqlException::number)
                .isEqualTo(191);
    }

    /** Runs the action on a small stack, and returns how many bytes it allocated. */
    private static long allocated(String text, Consumer<String> action) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        FutureTask<Long> task = new FutureTask<>(() -> {
            long before = threads.getCurrentThreadAllocatedBytes();
            action.accept(text);
            return threads.getCurrentThreadAllocatedBytes() - before;
        });
        new Thread(null, task, "small-stack", SMALL_STACK).start();
        return task.get();
    }
}
