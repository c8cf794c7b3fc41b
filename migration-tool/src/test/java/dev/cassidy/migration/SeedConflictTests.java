package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A Cassandra that has something already, or not enough. */
interface SeedConflictTests extends Migrating {

    @Test
    default void shouldReportThatBothSidesHaveUsedTheSameIds() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(4);
        source().insert(A, 1);

        assertExit(
                run(null, "migrate verify"), ExitCode.RISK, "\"collision\"", "Cassandra may have issued ids from 4 on");
        assertExit(run(null, "migrate plan"), ExitCode.RISK);
        assertExit(seed(), ExitCode.RISK, "the source used ids up to 4");
    }

    @Test
    default void shouldRefuseAnExistingSequenceThatCannotTakeOver() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        source().createTable(Z, "INT", 1, 1);
        source().insert(Z, 3);
        succeed(cassandra(
                "ids register",
                "--table",
                keyspace() + ".zebra",
                "--column",
                "id",
                "--start",
                "1",
                "--increment",
                "7",
                "--type",
                "int"));

        assertExit(seed(), ExitCode.REFUSED, "exists as INT with increment=7");
        assertExit(run(null, "migrate verify"), ExitCode.RISK, "\"refused\"");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    default void shouldRefuseATableWithAnotherRegisteredColumn() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(cassandra(
                "ids register",
                "--table",
                keyspace() + ".aardvark",
                "--column",
                "other",
                "--start",
                "1",
                "--type",
                "int",
                "--unready"));

        assertExit(seed(), ExitCode.REFUSED, "is registered with column 'other'");
    }

    @Test
    default void shouldSeedASequenceThatWasRegisteredUnready() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(cassandra(
                "ids register",
                "--table",
                keyspace() + ".aardvark",
                "--column",
                "id",
                "--start",
                "1",
                "--type",
                "int",
                "--unready"));

        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.NotReady.class);
        assertExit(run(null, "migrate verify"), ExitCode.RISK, "\"unready\"");
        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(4);
    }

    @Test
    default void shouldRegisterAColumnWhoseSequenceExists() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            sequences.create(SequenceSpec.of(keyspace() + ".aardvark", IdentityType.INT, 4, 1));
        }

        assertExit(run(null, "migrate verify"), ExitCode.RISK, "\"unregistered\"");
        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "registered"));
        succeed(run(null, "migrate verify"));
    }

    @Test
    default void shouldCheckTheTargetsTable() {
        node().createKeyspace(keyspace());
        node().session().execute("CREATE TABLE " + keyspace() + ".aardvark (id text PRIMARY KEY, x int)");
        node().session().execute("CREATE TABLE " + keyspace() + ".zebra (zebra_id bigint PRIMARY KEY, x int)");
        source().createTable(A, "INT", 1, 1);
        source().createTable(Z, "INT", 1, 1);
        source().insert(A, 1);
        source().insert(Z, 1);

        assertExit(
                run(null, "migrate plan"),
                ExitCode.REFUSED,
                "column " + keyspace() + ".aardvark:id is text and cannot hold every id of a int sequence",
                "table " + keyspace() + ".zebra has no column 'id'");
        succeed(seed("--exclude", "dbo.Aardvark", "--map", "dbo.Zebra=zebra:zebra_id"));
        assertThat(nextId("zebra")).isEqualTo(2);
    }

    @Test
    default void shouldSayWhatIsMissingInCassandra() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 1);
        List<String> elsewhere = new ArrayList<>(List.of(
                "--contact-points", node().contactPoint(), "--keyspace", keyspace(), "--global-keyspace", "nowhere"));
        elsewhere.addAll(source().arguments());

        assertExit(
                ToolRun.of(
                        source().environment(),
                        null,
                        ToolRun.join(
                                "migrate seed", elsewhere, "--offline", "--yes", "--local-dc", node().datacenter())),
                ExitCode.CASSANDRA,
                "globalKeyspace=nowhere names no installation of Cassidy: this cluster has ",
                node().globalKeyspace(),
                "Run: cassidy init --replication " + node().datacenter() + ":1 --contact-points ",
                "--global-keyspace nowhere");
        for (String writing : List.of("migrate schema", "migrate copy")) {
            String option = writing.equals("migrate schema") ? "--apply" : "--state=nowhere.state";
            assertExit(
                    ToolRun.of(
                            source().environment(),
                            null,
                            ToolRun.join(writing, elsewhere, "--local-dc", node().datacenter(), option)),
                    ExitCode.CASSANDRA,
                    "globalKeyspace=nowhere names no installation of Cassidy");
        }
        assertExit(
                ToolRun.of(
                        source().environment(),
                        null,
                        ToolRun.join("migrate plan", elsewhere, "--local-dc", node().datacenter())),
                ExitCode.OK,
                "Cassidy's keyspaces are missing: globalKeyspace=nowhere names no installation of Cassidy: this cluster has ",
                "Run cassidy init before cassidy migrate seed");
        assertExit(
                ToolRun.of(source().environment(), null, ToolRun.join("migrate plan", elsewhere, "--local-dc", "mars")),
                ExitCode.CASSANDRA,
                "'mars'",
                "it has [" + node().datacenter() + "]");
        assertExit(cassandra("init", "--replication", "mars:1"), ExitCode.USAGE, "names a datacenter", "mars");
        String datacenter = node().datacenter();
        ToolRun other = cassandra("init", "--replication", datacenter + ":3");
        assertExit(
                other,
                ExitCode.REFUSED,
                "Cassidy's keyspaces exist with other replicas: {" + node().globalKeyspace() + "={" + datacenter
                        + "=1}, ",
                "nodetool repair -full " + node().globalKeyspace(),
                "ALTER KEYSPACE " + node().globalKeyspace()
                        + " WITH replication = {'class': 'NetworkTopologyStrategy', '" + datacenter + "': '3'}");
        assertThat(node().session()
                        .execute(
                                "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?",
                                node().globalKeyspace())
                        .one()
                        .getMap(0, String.class, String.class))
                .as("nothing was changed")
                .containsEntry(datacenter, "1");
        assertExit(
                ToolRun.of(
                        Map.of(),
                        null,
                        ToolRun.join(
                                "init",
                                List.of("--contact-points", node().contactPoint(), "--local-dc", datacenter),
                                "--global-keyspace",
                                "too_many",
                                "--replication",
                                datacenter + ":3")),
                ExitCode.USAGE,
                "--replication asks for 3 replicas in datacenter " + datacenter
                        + ", where every statement needs 2 of them, and there is 1 node: give " + datacenter + ":1");
    }
}
