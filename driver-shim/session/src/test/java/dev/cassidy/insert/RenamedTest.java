package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RenamedTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "ALTER TABLE k.t RENAME a TO b                                            | k | a",
                "alter table if exists k.t rename if exists \"A\" to b and x to c;       | k | A,x",
                "ALTER COLUMNFAMILY k.t RENAME \"to\" TO b AND \"rename\" TO \"and\"         | k | to,rename",
                "/* /* */ ALTER TABLE k.t /* */ RENAME/**/a/* /* */TO b -- */             | k | a",
                "~ALTER -- x\n TABLE // y\r k.t RENAME a TO b~                            | k | a",
                "ALTER TABLE \"K\".t RENAME A TO b                                       | K | a"
            })
    void shouldReadWhatIsRenamed(String cql, String keyspace, String columns) {
        assertThat(Renamed.of(cql))
                .contains(new Renamed(new CqlInsert.Table(keyspace, "t"), List.of(columns.split(","))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE t ADD \"rename\" int",
                "ALTER TABLE t RENAME",
                "ALTER TABLE t WITH comment = 'RENAME a TO b'",
                "ALTER TYPE t RENAME a TO b",
                "-- ALTER TABLE t RENAME a TO b",
                "INSERT INTO t (a) VALUES ('RENAME a TO b')"
            })
    void shouldFindNothingElse(String cql) {
        assertThat(Renamed.of(cql)).isEmpty();
    }
}
