package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.counter.CounterKind;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.IncrementType;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CountersIT {

    private static final String KEYSPACE = "counters_tool_it";
    private static final String CASSIDY = "counters_tool_cassidy";

    private static EmbeddedCassandra node;
    private static CqlSession session;

    @BeforeAll
    static void install() {
        node = EmbeddedCassandra.shared();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        CassidySchema.install(
                session,
                Replication.parse(node.localDatacenter() + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(CASSIDY));
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
    }

    @AfterAll
    static void disconnect() {
        TargetNode.dropKeyspacesAndClose(session);
    }

    private static void pages(String name) {
        session.execute("CREATE TABLE " + KEYSPACE + "." + name + " (page text PRIMARY KEY, visits counter)");
    }

    private static void visit(String table, String page, long count) {
        session.execute(
                "UPDATE " + KEYSPACE + "." + table + " SET visits = visits + " + count + " WHERE page = ?", page);
    }

    private static ToolRun move(Terminal terminal, String from, String to, String... rest) {
        return ToolRun.of(
                Map.of(),
                terminal,
                ToolRun.join(
                        "migrate counters",
                        List.of(
                                "--contact-points",
                                node.host() + ":" + node.port(),
                                "--local-dc",
                                node.localDatacenter(),
                                "--global-keyspace",
                                CASSIDY,
                                "--from",
                                KEYSPACE + "." + from,
                                "--to",
                                KEYSPACE + "." + to),
                        rest));
    }

    private static Counters open(String table) {
        return Counters.open(session, config(table));
    }

    private static CountersConfig config(String table) {
        return CountersConfig.of(KEYSPACE + "." + table)
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Duration.ofMinutes(1));
    }

    @Test
    void shouldMoveTheValuesAndCountOnFromThem() {
        pages("visits");
        visit("visits", "/home", 41);
        visit("visits", "/terms", -7);
        Counters.create(session, config("visited"));

        ToolRun run = move(null, "visits", "visited", "--offline", "--yes", "--output", "json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode report = run.json();
        assertThat(report.get("counters").asLong()).isEqualTo(2);
        assertThat(report.get("moved").asLong()).isEqualTo(2);
        assertThat(report.get("total").asLong()).isEqualTo(34);
        try (Counters counters = open("visited")) {
            counters.counter("/home").increment(1);
            counters.counter("/home").fold();
            assertThat(counters.counter("/home").value()).isEqualTo(42);
            assertThat(counters.counter("/terms").value()).isEqualTo(-7);
        }
    }

    @Test
    void shouldCountOnceWhenItIsRepeated() {
        pages("twice");
        visit("twice", "/home", 5);
        Counters.create(session, config("twice_moved"));
        move(null, "twice", "twice_moved", "--offline", "--yes");

        ToolRun again = move(null, "twice", "twice_moved", "--offline", "--yes");

        assertThat(again.exitCode()).as(again.err()).isZero();
        try (Counters counters = open("twice_moved")) {
            assertThat(counters.counter("/home").value()).isEqualTo(5);
        }
    }

    @Test
    void shouldKeepWhatWasMovedAndNameTheDifferenceWhenTheNativeCounterWentOn() {
        pages("went_on");
        visit("went_on", "/home", 5);
        Counters.create(session, config("went_on_moved"));
        move(null, "went_on", "went_on_moved", "--offline", "--yes");
        visit("went_on", "/home", 3);

        ToolRun again = move(null, "went_on", "went_on_moved", "--offline", "--yes");

        assertThat(again.exitCode()).isEqualTo(ExitCode.RISK.code());
        assertThat(again.out())
                .contains("risk: /home: was moved before as 5, which stays; its native counter is 8 now")
                .contains("by 3");
        try (Counters counters = open("went_on_moved")) {
            assertThat(counters.counter("/home").value()).isEqualTo(5);
        }
    }

    @Test
    void shouldWriteNothingWhenTheNativeCountersAreNotAtRest() {
        pages("busy");
        visit("busy", "/home", 5);
        Counters.create(session, config("busy_moved"));

        ToolRun run = move(ToolRun.meanwhile(() -> visit("busy", "/home", 1)), "busy", "busy_moved", "--offline");

        assertThat(run.exitCode()).isEqualTo(ExitCode.RISK.code());
        assertThat(run.err()).contains("not at rest", "from 5 to 6", "Nothing was written");
        try (Counters counters = open("busy_moved")) {
            assertThat(counters.counter("/home").value()).isZero();
        }
    }

    @Test
    void shouldRefuseWithoutOffline() {
        ToolRun run = move(null, "any", "other", "--yes");

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("--offline", "counted twice");
    }

    @Test
    void shouldWriteNothingInADryRun() {
        pages("dry");
        visit("dry", "/home", 5);
        Counters.create(session, config("dry_moved"));

        ToolRun run = move(null, "dry", "dry_moved", "--offline", "--dry-run");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("1 native counters", "sum 5", ": 0");
        try (Counters counters = open("dry_moved")) {
            assertThat(counters.counter("/home").value()).isZero();
        }
    }

    @Test
    void shouldNameCountersOfSeveralKeyColumnsWithoutConfusingThem() {
        session.execute("CREATE TABLE " + KEYSPACE
                + ".daily (site text, day date, path text, visits counter, PRIMARY KEY ((site, day), path))");
        String update = "UPDATE " + KEYSPACE
                + ".daily SET visits = visits + ? WHERE site = ? AND day = '2026-11-25' AND path = ?";
        session.execute(update, 1L, "a", "b/c");
        session.execute(update, 2L, "a", "b%2Fc");
        Counters.create(session, config("daily_moved"), IncrementType.VARINT);

        ToolRun run = move(null, "daily", "daily_moved", "--offline", "--yes");

        assertThat(run.exitCode()).as(run.err()).isZero();
        try (Counters counters = open("daily_moved")) {
            assertThat(counters.counter("a/2026-11-25/b%2Fc").value()).isEqualTo(1);
            assertThat(counters.counter("a/2026-11-25/b%252Fc").value()).isEqualTo(2);
        }
    }

    @Test
    void shouldNameTheColumnsWhenThereAreSeveralCounters() {
        session.execute("CREATE TABLE " + KEYSPACE + ".two (page text PRIMARY KEY, views counter, likes counter)");
        Counters.create(session, config("two_moved"));

        ToolRun run = move(null, "two", "two_moved", "--offline", "--yes");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("likes, views", "--column");
    }

    @Test
    void shouldNameTheStatementWhenTheTargetIsMissing() {
        pages("no_target");

        ToolRun run = move(null, "no_target", "missing", "--offline", "--yes");

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("there is no table", "CREATE TABLE");
    }

    private static ToolRun adopt(String table, String kind) {
        return run("counters adopt", table, kind);
    }

    private static ToolRun run(String command, String table, String kind, String... rest) {
        return ToolRun.of(
                Map.of(),
                null,
                ToolRun.join(
                        command,
                        List.of(
                                "--contact-points",
                                node.host() + ":" + node.port(),
                                "--local-dc",
                                node.localDatacenter(),
                                "--global-keyspace",
                                CASSIDY,
                                "--table",
                                KEYSPACE + "." + table,
                                "--kind",
                                kind),
                        rest));
    }

    @Test
    void shouldCopyTotals() {
        session.execute("CREATE TABLE " + KEYSPACE
                + ".narrow (type text, actor text, increment int, PRIMARY KEY (type, actor))");
        session.execute("INSERT INTO " + KEYSPACE + ".narrow (type, actor, increment) VALUES ('/home', 'P1', 41)");

        for (int i = 0; i < 2; i++) {
            ToolRun run = run("counters copy", "wide", "cumulative", "--from", KEYSPACE + ".narrow");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("1 totals of " + KEYSPACE + ".narrow are in " + KEYSPACE + ".wide");
        }
        assertThat(run("counters copy", "wide", "folded", "--from", KEYSPACE + ".narrow")
                        .exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
        try (Counters counters = Counters.open(
                session, config("wide").withKind(CounterKind.CUMULATIVE).withActor("P1"))) {
            counters.counter("/home").add(1);
            assertThat(counters.counter("/home").value()).isEqualTo(42);
        }
    }

    @Test
    void shouldEmptyATable() {
        Counters.create(session, config("emptied"));
        try (Counters counters = open("emptied")) {
            counters.counter("/home").increment(41);

            ToolRun unconfirmed = run("counters truncate", "emptied", "folded");
            ToolRun misfit = run("counters truncate", "emptied", "versioned", "--yes");
            long before = counters.counter("/home").value();
            ToolRun run = run("counters truncate", "emptied", "folded", "--yes");

            assertThat(unconfirmed.exitCode()).isEqualTo(ExitCode.REFUSED.code());
            assertThat(misfit.exitCode()).isEqualTo(ExitCode.REFUSED.code());
            assertThat(misfit.err()).contains("holds counters of the kind FOLDED");
            assertThat(before).isEqualTo(41);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("all FOLDED counters of " + KEYSPACE + ".emptied are 0");
            counters.counter("/home").increment(1);
            assertThat(counters.counter("/home").value()).isEqualTo(1);
        }
    }

    @Test
    void shouldAdoptATableThatCqlHasMade() {
        session.execute(Counters.ddl(KEYSPACE + ".by_cql", IncrementType.BIGINT));

        ToolRun misfit = adopt("by_cql", "versioned");
        ToolRun run = adopt("by_cql", "folded");

        assertThat(misfit.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(misfit.err()).contains("cannot be adopted as one of VERSIONED counters");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(KEYSPACE + ".by_cql is a table of FOLDED counters");
        try (Counters counters = open("by_cql")) {
            counters.counter("/home").increment(1);
            assertThat(counters.counter("/home").value()).isEqualTo(1);
        }
        assertThat(adopt("by_cql", "linearizable").exitCode()).isEqualTo(ExitCode.REFUSED.code());
    }

    /** What a process leaves that ends before it has completed its declaration. */
    @Test
    void shouldShowAClaimAndCompleteIt() {
        session.execute(Counters.ddl(KEYSPACE + ".claimed", IncrementType.BIGINT));
        adopt("claimed", "folded");
        session.execute("UPDATE " + CASSIDY + ".contracts SET pending = true, revision = 7 WHERE keyspace_name = '"
                + KEYSPACE + "' AND table_name = 'claimed' IF EXISTS");

        assertThat(check()).contains("cassidy counters adopt --table " + KEYSPACE + ".claimed --kind FOLDED");
        assertThat(adopt("claimed", "folded").exitCode()).isZero();
        assertThat(check()).doesNotContain("claimed");
    }

    private static String check() {
        return ToolRun.of(
                        "tables",
                        "check",
                        "--contact-points",
                        node.host() + ":" + node.port(),
                        "--local-dc",
                        node.localDatacenter(),
                        "--global-keyspace",
                        CASSIDY,
                        "--keyspace",
                        KEYSPACE)
                .out();
    }
}
