package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwinnedTableTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TABLE t (name text PRIMARY KEY, v int)"
                        + " | CREATE TABLE t (cassidy_eq_name text, name text , v int, PRIMARY KEY (cassidy_eq_name))",
                "CREATE TABLE IF NOT EXISTS ks.t (a int, name text, v map<text, int>, PRIMARY KEY (a, name)) WITH comment = 'name'"
                        + " | CREATE TABLE IF NOT EXISTS ks.t (cassidy_eq_name text, a int, name text, v map<text, int>,"
                        + " PRIMARY KEY (a, cassidy_eq_name)) WITH comment = 'name'",
                "CREATE TABLE t (name text, \"Zone\" text, PRIMARY KEY ((name), \"Zone\")) WITH CLUSTERING ORDER BY (\"Zone\" DESC)"
                        + " | CREATE TABLE t (\"cassidy_eq_Zone\" text, cassidy_eq_name text, name text, \"Zone\" text,"
                        + " PRIMARY KEY ((cassidy_eq_name), \"cassidy_eq_Zone\"))"
                        + " WITH CLUSTERING ORDER BY (\"cassidy_eq_Zone\" DESC)",
                "CREATE TABLE t (id int PRIMARY KEY, name text)"
                        + " | CREATE TABLE t (cassidy_eq_name text, id int PRIMARY KEY, name text)"
            })
    void shouldPutTwinsIntoTheKey(String cql, String expected) {
        Set<String> columns = cql.contains("Zone") ? Set.of("name", "Zone") : Set.of("name");
        assertThat(TwinnedTable.of(cql, columns)).isEqualTo(expected);
    }
}
