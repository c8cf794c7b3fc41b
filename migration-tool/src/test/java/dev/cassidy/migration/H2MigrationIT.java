package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Test;

class H2MigrationIT extends MigrationContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.h2WithoutFunctions("migration_it");
    }

    @Override
    String globalKeyspace() {
        return "migration_h2";
    }

    /** Inserts a row when the table is read for the third time. */
    public static final class InsertsOnTheThirdLook implements Trigger {

        private int looks;

        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) throws SQLException {
            looks++;
            if (looks == 3) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("INSERT INTO " + A + " ([x]) VALUES (3)");
                }
            }
        }
    }

    private static final AtomicInteger LOOKS = new AtomicInteger();
    private static volatile int looksWithTheFence;

    /** Counts how often the table was read. */
    public static final class CountsLooks implements Trigger {

        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) {
            LOOKS.incrementAndGet();
        }

        /** Returns {@code is_disabled} of each fence. */
        public static int fenceDisabled() {
            return LOOKS.get() > looksWithTheFence ? 1 : 0;
        }
    }

    /** Fails when the table is read for the third time. */
    public static final class FailsOnTheThirdLook implements Trigger {

        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) throws SQLException {
            if (LOOKS.incrementAndGet() == 3) {
                throw new SQLException("the source went away");
            }
        }
    }

    private void disableFencesAfter(int looks) {
        LOOKS.set(0);
        looksWithTheFence = looks;
        source().execute("CREATE ALIAS IF NOT EXISTS FENCE_DISABLED FOR '" + CountsLooks.class.getName()
                + ".fenceDisabled'");
        source().execute("CREATE OR REPLACE VIEW sys.check_constraints"
                + " (name, parent_object_id, definition, is_disabled, is_not_for_replication) AS"
                + " SELECT t.CONSTRAINT_NAME, t.TABLE_SCHEMA || '.' || t.TABLE_NAME, k.CHECK_CLAUSE, FENCE_DISABLED(), 0"
                + " FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS t JOIN INFORMATION_SCHEMA.CHECK_CONSTRAINTS AS k"
                + " ON k.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = t.CONSTRAINT_NAME");
    }

    private void onLook(Class<? extends Trigger> trigger) {
        source().execute("CREATE TRIGGER [dbo].[late] BEFORE SELECT ON " + A + " CALL '" + trigger.getName() + "'");
    }

    @Test
    void shouldNotVerifyASourceWhoseFenceIsDisabled() {
        fenceAtEight();
        succeed(run(null, "migrate seed", "--yes"));
        succeed(run(null, "migrate verify"));
        disableFencesAfter(-1);

        ToolRun run = run(null, "migrate verify");

        assertExit(run, ExitCode.RISK, "the fence of dbo.Aardvark.id at 8 is disabled");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unfenced"));
    }

    @Test
    void shouldTellWhatItWroteIfTheFenceGoesDuringTheLastLook() {
        fenceAtEight();
        // Once before Cassandra is asked, then to plan, right before the writes, and after them.
        disableFencesAfter(3);
        onLook(CountsLooks.class);

        ToolRun run = run(null, "migrate seed", "--yes");

        assertExit(
                run, ExitCode.RISK, "the last check of the source failed", "has a fence that is disabled or changed");
        assertThat(run.out() + run.err()).doesNotContainIgnoringCase("nothing was");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "seeded"));
        assertThat(nextId("aardvark")).isEqualTo(9);
    }

    @Test
    void shouldTellWhatItWroteIfTheSourceFailsDuringTheLastLook() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        LOOKS.set(0);
        onLook(FailsOnTheThirdLook.class);

        ToolRun run = seed();

        assertExit(run, ExitCode.RISK, "the last check of the source failed", "the source went away");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "seeded"));
        assertThat(nextId("aardvark")).isEqualTo(4);
    }

    @Test
    void shouldReportThatTheSourceChangedWhileItWasSeeded() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        onLook(InsertsOnTheThirdLook.class);

        ToolRun run = seed();

        assertExit(
                run,
                ExitCode.RISK,
                "the source changed while it was seeded",
                "was dbo.Aardvark (furthest 3, last value 3), is dbo.Aardvark (furthest 4, last value 4)");
        assertThat(run.tables("result")).containsEntry("dbo.Aardvark", "seeded");
    }

    /** Both are waited for at once. */
    @Test
    void shouldNotCallASeedDoneWhileAProcessHoldsOlderIds() {
        for (String table : List.of(A, Z)) {
            source().createTable(table, "INT", 1, 1);
            source().insert(table, 3);
        }
        succeed(seed());
        String aardvark = keyspace() + ".aardvark";
        String zebra = keyspace() + ".zebra";
        try (Sequences stuck =
                        Sequences.open(node().session(), node().config().withWatchInterval(Duration.ofHours(1)));
                Sequences other =
                        Sequences.open(node().session(), node().config().withWatchInterval(Duration.ofHours(2)))) {
            assertThat(stuck.allocator(aardvark).nextLong()).isEqualTo(4);
            assertThat(stuck.allocator(zebra).nextLong()).isEqualTo(4);
            source().reseed(A, 50, 1);
            source().reseed(Z, 50, 1);
            // Another run raises, and ends before all have let go: for the next one the sequence is where it must be.
            assertThatThrownBy(() -> other.admin().seed(aardvark, 51, Duration.ZERO))
                    .isInstanceOf(SequenceException.NotAcknowledged.class);

            ToolRun verified = run(null, "migrate verify");
            ToolRun seeded = seed("--parallelism", "1");

            assertExit(verified, ExitCode.RISK, stuck.holder() + " may still issue ids", "16 from 4");
            assertExit(
                    seeded,
                    ExitCode.RISK,
                    "may still issue ids from before the raise: sequence " + aardvark,
                    "may still issue ids from before the raise: sequence " + zebra,
                    stuck.holder());
            assertThat(seeded.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "unchanged", "dbo.Zebra", "raised"));
        }
        ToolRun again = seed();
        assertThat(again.out() + again.err()).doesNotContain("may still issue");
    }

    @Test
    void shouldTellThatAnotherRunRaisedMeanwhile() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(4);
        source().createTable(Z, "INT", 1, 1);
        source().insert(Z, 3);

        ToolRun seeded = succeed(run(
                ToolRun.meanwhile(() -> {
                    try (Sequences other = Sequences.open(node().session(), node().config())) {
                        other.admin().restart(keyspace() + ".aardvark", 20_000);
                    }
                }),
                "migrate seed",
                "--offline"));

        assertThat(seeded.tables("action")).isEqualTo(Map.of("dbo.Aardvark", "none", "dbo.Zebra", "create"));
        assertThat(seeded.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "raised", "dbo.Zebra", "seeded"));
    }

    @Test
    void shouldStopProcessesThatHoldIdsWhichTheSourceUsed() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        try (Sequences running =
                Sequences.open(node().session(), node().config().withWatchInterval(Duration.ofSeconds(2)))) {
            String sequence = keyspace() + ".aardvark";
            assertThat(running.allocator(sequence).nextLong()).isEqualTo(4);
            source().insert(A, 2);

            ToolRun run = seed();

            // Its next id was granted long ago, so the plan has nothing to raise; the process holds 5 all the same.
            assertExit(run, ExitCode.RISK, "the source used ids up to 5");
            assertThat(run.out())
                    .as("it waits for a process that runs")
                    .doesNotContain("may still issue ids from before");
            assertThat(run.tables("action")).containsOnly(Map.entry("dbo.Aardvark", "none"));
            assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "raised"));
            assertThat(running.allocator(sequence).nextLong()).isGreaterThan(5);
            assertThat(seed().tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unchanged"));
        }
    }

    @Test
    void shouldProbeAndCompareWithWhatIsExpected() {
        source().createTable(A, "SMALLINT", 1, 1);
        source().insert(A, 3);
        assertExit(seed("--expect", "dbo.Aardvark=4"), ExitCode.REFUSED, "in dbo.Aardvark.id is 3");
        assertThat(exists("aardvark")).isFalse();
        succeed(seed("--expect", "dbo.Aardvark=3", "--expect", "1"));
        assertExit(run(null, "migrate verify", "--expect", "2"), ExitCode.REFUSED, "--expect 2, and 1 columns");

        ToolRun probed = succeed(run(null, "migrate verify", "--probe"));

        assertThat(probed.tables("probe")).containsOnly(Map.entry("dbo.Aardvark", "4"));
        assertThat(probed.out()).contains("issued 4, which is used up now");
        assertThat(succeed(run(null, "migrate verify")).tables("probe"))
                .containsOnly(Map.entry("dbo.Aardvark", "null"));
        assertThat(nextId("aardvark")).as("nobody gets the probed one again").isEqualTo(5);

        source().insert(A, 1);
        ToolRun collided = run(null, "migrate verify", "--probe");
        assertExit(collided, ExitCode.RISK, "\"collision\"");
        assertThat(collided.tables("probe"))
                .as("what is in no order is not used up")
                .containsValue("null");
    }

    @Test
    void shouldReportASequenceThatIssuesNothing() {
        source().createTable(A, "SMALLINT", 1, 1);
        succeed(seed("--floor", "dbo.Aardvark=32766"));
        assertThat(nextId("aardvark")).isEqualTo(32767);

        ToolRun run = run(null, "migrate verify", "--floor", "dbo.Aardvark=32766", "--probe");

        assertExit(run, ExitCode.RISK, "no id of " + keyspace() + ".aardvark could be drawn in datacenter");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "not_issued"));
    }
}
