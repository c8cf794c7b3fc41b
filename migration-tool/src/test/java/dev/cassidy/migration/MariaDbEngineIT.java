package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.source.SourceTable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MariaDbEngineIT extends WayBackContract {

    @Override
    String url() {
        return MariaDbServer.shared().url();
    }

    @Override
    String user() {
        return "root";
    }

    @Override
    String schema() {
        return "test";
    }

    @Override
    String identity(String type) {
        return "`id` " + type + " AUTO_INCREMENT PRIMARY KEY";
    }

    @Override
    String restart(String table, long next) {
        return "ALTER TABLE " + quoted(table) + " AUTO_INCREMENT = " + next;
    }

    @Override
    String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    @Override
    boolean comparesCharacters() {
        return false;
    }

    @Test
    void shouldKnowWhatComparesCharacters() {
        execute(
                "CREATE TABLE `Line` (a VARCHAR(9) COLLATE utf8mb4_bin, b VARCHAR(9) COLLATE utf8mb4_general_ci, c JSON,"
                        + " d INT)");

        try (Source source = open()) {
            assertThat(source.tables((schema() + ".Line")::equals).get(0).columns())
                    .extracting(SourceTable.Column::name, SourceTable.Column::comparesCharacters)
                    .contains(tuple("a", true), tuple("b", false));
        }
    }

    @Test
    void shouldReadUnsignedTypes() {
        execute("CREATE TABLE `Tiny` (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, x INT) AUTO_INCREMENT = 100");
        execute("INSERT INTO `Tiny` (x) VALUES (1)");

        Reading reading = read("Tiny");

        assertThat(reading.column().type()).isEqualTo("bigint unsigned");
        assertThat(reading.furthest()).isEqualTo(100);
        assertThat(reading.lastValue()).isEqualTo(100);
    }

    @Test
    void shouldReadASequenceWithWhatIsCached() {
        execute("DROP SEQUENCE IF EXISTS `Serial`");
        execute("CREATE SEQUENCE `Serial` START WITH 1 INCREMENT BY 1 CACHE 10");
        execute("CREATE TABLE `Number` (n BIGINT DEFAULT NEXTVAL(`Serial`) PRIMARY KEY, x INT)");
        insert("Number", 3);

        Reading reading = read("Serial");

        assertThat(reading.column().isSequence()).isTrue();
        assertThat(reading.column().users()).containsExactly(new SourceColumn.User("test", "Number", "n"));
        assertThat(reading.furthest()).isEqualTo(3);
        assertThat(reading.lastValue()).isEqualTo(10);

        reseed("Serial", 700);
        insert("Number", 1);
        assertThat(read("Serial").furthest()).isEqualTo(700);
        execute("DROP TABLE `Number`");
        execute("DROP SEQUENCE `Serial`");
    }

    @Test
    void shouldHoldUpdatesBehindAFence() {
        create("Order", "INT");
        insert("Order", 2);
        assertThat(fence("--apply", "--yes", "--margin", "2").exitCode()).isZero();

        execute("UPDATE `Order` SET x = 7, id = 4 WHERE id = 2");
        assertThatThrownBy(() -> execute("UPDATE `Order` SET id = 20000 WHERE id = 1"))
                .hasStackTraceContaining("fence");
        assertThatThrownBy(
                        () -> execute("INSERT INTO `Order` (id, x) VALUES (1, 1) ON DUPLICATE KEY UPDATE id = 20000"))
                .hasStackTraceContaining("fence");
        assertThat(read("Order").furthest()).isEqualTo(4);

        for (String event : List.of("INSERT", "UPDATE")) {
            execute("DROP TRIGGER `" + trigger(event) + "`");
            assertThat(fence().out()).as("without the trigger of %s", event).contains("restore, last id 4");
            assertThat(fence("--margin", "2").out()).contains("is not moved to 6");
            assertThat(fence("--apply", "--yes").exitCode()).isZero();
            assertThat(fence().out()).contains("keep, last id 4");
        }
        assertThat(fence("--remove", "--apply", "--yes").exitCode()).isZero();
        execute("UPDATE `Order` SET id = 20000 WHERE id = 1");
    }

    @Test
    void shouldReplaceAFenceAfterARunThatEndedBetweenTheTriggersOfTheNewOne() {
        create("Order", "INT");
        insert("Order", 2);
        assertThat(fence("--apply", "--yes", "--margin", "5").exitCode()).isZero();
        String name = trigger("INSERT");
        String begun = " AFTER INSERT ON `Order` FOR EACH ROW IF NEW.`id` > ";
        String refusal = " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'beyond the fence'; END IF";

        execute("CREATE TRIGGER `" + name.replaceAll("7$", "4") + "`" + begun + 4 + refusal);
        ToolRun tightened = fence("--apply", "--yes", "--margin", "2");
        assertThat(tightened.exitCode()).as(tightened.out() + tightened.err()).isZero();
        assertThat(fence().out()).contains("keep, last id 4");

        name = trigger("INSERT");
        execute("DROP TRIGGER `" + trigger("UPDATE") + "`");
        execute("CREATE TRIGGER `" + name + "_again`" + begun + 4 + refusal);
        ToolRun restored = fence("--apply", "--yes");
        assertThat(restored.exitCode()).as(restored.out() + restored.err()).isZero();
        assertThat(fence().out()).contains("keep, last id 4");
        assertThatThrownBy(() -> insert("Order", 5)).hasStackTraceContaining("fence");
        assertThat(fence("--remove", "--apply", "--yes").exitCode()).isZero();
    }

    private String trigger(String event) {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT TRIGGER_NAME FROM information_schema.TRIGGERS"
                        + " WHERE EVENT_OBJECT_TABLE = 'Order' AND EVENT_MANIPULATION = '" + event + "'")) {
            assertThat(found.next()).isTrue();
            return found.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldNotShowTheStatementsOfOthers() throws Exception {
        create("Order", "INT");
        insert("Order", 2);
        try (Connection other = DriverManager.getConnection(url(), user(), "");
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT * FROM `Order`");
            CompletableFuture<Void> busy = CompletableFuture.runAsync(
                    () -> {
                        try {
                            statement.execute("SELECT SLEEP(600), 's3cret'");
                        } catch (SQLException e) {
                            throw new CompletionException(e);
                        }
                        // Not the common pool, whose tasks the fence could run while it waits.
                    },
                    task -> new Thread(task).start());
            String session = Awaitility.await().until(this::sleeper, Objects::nonNull);

            ToolRun run = fence("--apply", "--yes", "--lock-timeout", "1s", "--tries", "1");

            execute("KILL QUERY " + session);
            assertThat(run.out() + run.err())
                    .contains("session " + session + " of root")
                    .doesNotContain("s3cret");
            busy.handle((done, failed) -> done).join();
        }
    }

    private @Nullable String sleeper() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'")) {
            return found.next() ? found.getString(1) : null;
        }
    }

    @Test
    void shouldNeedATriggerBecauseNoCheckMayNameTheColumn() {
        create("Order", "INT");

        assertThatThrownBy(() -> execute("ALTER TABLE `Order` ADD CONSTRAINT c CHECK (id <= 5)"))
                .hasStackTraceContaining("AUTO_INCREMENT");
    }
}
