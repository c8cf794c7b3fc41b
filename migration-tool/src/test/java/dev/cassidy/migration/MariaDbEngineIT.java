package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import org.junit.jupiter.api.Test;

class MariaDbEngineIT extends EngineContract {

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
        execute("DROP TABLE `Number`");
        execute("DROP SEQUENCE `Serial`");
    }

    @Test
    void shouldNeedATriggerBecauseNoCheckMayNameTheColumn() {
        create("Order", "INT");

        assertThatThrownBy(() -> execute("ALTER TABLE `Order` ADD CONSTRAINT c CHECK (id <= 5)"))
                .hasStackTraceContaining("AUTO_INCREMENT");
    }
}
