package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import org.junit.jupiter.api.Test;

/** What {@code ids register} and {@code tables declare} say of a table, without a source. */
interface RegisterTests extends Migrating {

    @Test
    default void shouldDeclareDefaultsAndHowRowsAreWritten() {
        node().createKeyspace(keyspace());
        node().session()
                .execute("CREATE TABLE " + keyspace()
                        + ".zebra (id int PRIMARY KEY, qty int, state text, at timestamp)");
        String table = keyspace() + ".zebra";
        assertExit(
                cassandra("tables declare", "--table", table, "--defaults", "qty='x'"),
                ExitCode.REFUSED,
                "DEFAULT 'x' of column qty");
        assertExit(
                cassandra("tables declare", "--table", table, "--defaults", "none=0"),
                ExitCode.REFUSED,
                "has no column 'none'");
        succeed(cassandra("tables declare", "--table", table, "--writes", "serial"));
        assertExit(
                cassandra("tables declare", "--table", table, "--defaults", "qty"),
                ExitCode.USAGE,
                "must be column=expression");
        succeed(cassandra("ids register", "--table", table, "--column", "id", "--start", "1"));
        assertExit(
                cassandra("tables declare", "--table", table, "--defaults", "id=0"),
                ExitCode.REFUSED,
                "is the identity of");
        succeed(cassandra("tables declare", "--table", table, "--defaults", "qty=((0))", "--defaults", "state=N'new'"));
        succeed(cassandra("tables declare", "--table", table, "--defaults", "at=GETDATE()"));
        assertExit(
                cassandra("tables declare", "--table", table, "--writes", "often"),
                ExitCode.USAGE,
                "must be exact, exact:<datacenter> or serial");

        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            assertThat(InternalAccess.tables(sequences)
                            .writesAsync(keyspace(), "zebra")
                            .toCompletableFuture()
                            .join())
                    .contains(new TableWrites(keyspace(), "zebra", "", null, false));
            assertThat(InternalAccess.tables(sequences)
                            .defaultsAsync(keyspace(), "zebra")
                            .toCompletableFuture()
                            .join())
                    .extracting(each -> each.column() + " " + each.kind() + " " + each.value())
                    .containsExactly("at NOW timestamp", "qty CONSTANT 0", "state CONSTANT 'new'");
        }
    }

    @Test
    default void shouldRegisterWithoutASource() {
        String[] arguments = {
            "--table",
            keyspace() + ".album",
            "--column",
            "AlbumId",
            "--start",
            "500",
            "--type",
            "bigint",
            "--output",
            "json"
        };

        ToolRun created = succeed(cassandra("ids register", arguments));
        assertThat(created.json().get("result").asText()).isEqualTo("created");
        assertThat(created.json().get("column").asText()).isEqualTo("albumid");
        assertThat(nextId("album")).isEqualTo(500);
        assertThat(succeed(cassandra("ids register", arguments))
                        .json()
                        .get("result")
                        .asText())
                .isEqualTo("unchanged");
        arguments[5] = "600";
        assertExit(cassandra("ids register", arguments), ExitCode.REFUSED, "exists with another specification");
        arguments[3] = "other";
        assertExit(cassandra("ids register", arguments), ExitCode.REFUSED, "is registered with column 'albumid'");
    }

    @Test
    default void shouldBeginWithOneOnlyIfTheTableHasNoRows() {
        node().createKeyspace(keyspace());
        String table = keyspace() + ".album";
        assertExit(
                cassandra("ids register", "--table", table, "--column", "id", "--type", "int"),
                ExitCode.REFUSED,
                "does not exist in Cassandra yet: give --start");
        node().session().execute("CREATE TABLE " + table + " (id int PRIMARY KEY, title text)");
        node().session().execute("INSERT INTO " + table + " (id, title) VALUES (1, 'a')");
        assertExit(
                cassandra("ids register", "--table", table, "--column", "id"),
                ExitCode.REFUSED,
                "has rows: give --start");
        assertThat(exists("album")).isFalse();
        node().session().execute("DELETE FROM " + table + " WHERE id = 1");

        succeed(cassandra("ids register", "--table", table, "--column", "id"));
        assertThat(nextId("album")).isEqualTo(1);
        node().session().execute("INSERT INTO " + table + " (id, title) VALUES (1, 'a')");
        assertThat(succeed(cassandra("ids register", "--table", table, "--column", "id", "--output", "json"))
                        .json()
                        .get("result")
                        .asText())
                .isEqualTo("unchanged");
    }

    @Test
    default void shouldUseTheTypeOfTheTableIfItExists() {
        assertExit(
                cassandra("ids register", "--table", keyspace() + ".album", "--column", "id", "--start", "1"),
                ExitCode.USAGE,
                "--type is needed");
        node().createKeyspace(keyspace());
        node().session().execute("CREATE TABLE " + keyspace() + ".album (id smallint PRIMARY KEY)");

        assertExit(
                cassandra("ids register", "--table", keyspace() + ".album", "--column", "id", "--start", "40000"),
                ExitCode.USAGE,
                "start=40000");
        assertExit(
                cassandra(
                        "ids register",
                        "--table",
                        keyspace() + ".album",
                        "--column",
                        "id",
                        "--start",
                        "1",
                        "--type",
                        "int"),
                ExitCode.REFUSED,
                "is smallint and cannot hold");
        assertThat(succeed(cassandra(
                                "ids register", "--table", keyspace() + ".album", "--column", "id", "--start", "1"))
                        .out())
                .contains("(smallint, start 1, increment 1, ready) fills column id: created");
    }
}
