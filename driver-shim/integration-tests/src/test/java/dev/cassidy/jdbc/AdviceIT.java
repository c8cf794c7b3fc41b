package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an error proposes as a statement is run, and then the application gets what it wanted. */
class AdviceIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("identityInsert=strict");

    /**
     * A refused statement.
     *
     * @param before what has to be there
     * @param proposal finds the proposed statement in the message, as its first group
     * @param then what serves the application afterwards
     */
    private record Case(List<String> before, String refused, String proposal, List<String> then) {
        static Case of(String before, String refused, String proposal, String... then) {
            return new Case(
                    before.isEmpty() ? List.of() : List.of(before.split("; ")), refused, proposal, List.of(then));
        }

        @Override
        public String toString() {
            return refused;
        }
    }

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("advice_it");
        cluster.cql("CREATE TABLE $.customer (id int PRIMARY KEY, name text, level int, age int)");
        cluster.identity("customer", "id", IdentityType.INT, 100);
    }

    static Stream<Case> cases() {
        return Stream.of(
                Case.of(
                        "",
                        "SELECT name FROM customer WHERE level = 3",
                        "make an index[^:]*: (CREATE INDEX [^;]* USING 'sai')",
                        "SELECT name FROM customer WHERE level = 3"),
                Case.of(
                        "",
                        "SELECT name FROM customer WHERE age = 3",
                        "read a table by that key: (CREATE TABLE .*?\\)\\))",
                        "INSERT INTO customer_by_age (age, id, name) VALUES (3, 1, 'Ada')",
                        "SELECT name FROM customer_by_age WHERE age = 3"),
                Case.of(
                        "",
                        "INSERT INTO customer (id, name) VALUES (7, 'Ada')",
                        "or (SET IDENTITY_INSERT \\S+ ON)",
                        "INSERT INTO customer (id, name) VALUES (7, 'Ada')",
                        "SET IDENTITY_INSERT customer OFF",
                        "INSERT INTO customer (name) VALUES ('Bob')"),
                Case.of(
                        "CREATE TABLE ruled (id INT PRIMARY KEY, n INT, CONSTRAINT positive CHECK (n > 0))",
                        "INSERT INTO ruled (id, n) VALUES (1, -1)",
                        "or drop the constraint: (ALTER TABLE \\S+ DROP CONSTRAINT \\S+)",
                        "INSERT INTO ruled (id, n) VALUES (1, -1)"),
                Case.of(
                        "CREATE TABLE kept (id INT PRIMARY KEY, n INT CONSTRAINT few CHECK (n < 9))",
                        "ALTER TABLE kept DROP COLUMN n",
                        "Drop it first: (ALTER TABLE \\S+ DROP CONSTRAINT \\w+)",
                        "ALTER TABLE kept DROP COLUMN n"),
                Case.of(
                        "CREATE SEQUENCE numbers START WITH 1; CREATE TABLE numbered (id INT PRIMARY KEY,"
                                + " n BIGINT CONSTRAINT drawn DEFAULT NEXT VALUE FOR numbers)",
                        "DROP SEQUENCE numbers",
                        "Drop the default first: (ALTER TABLE \\S+ DROP CONSTRAINT \\S+)",
                        "DROP SEQUENCE numbers"),
                Case.of(
                        "",
                        "SET LANGUAGE Klingon",
                        "here it only says in which order dates are read: (SET DATEFORMAT \\w+)",
                        "SELECT name FROM customer WHERE id = 1"),
                Case.of(
                        "",
                        "SET SHOWPLAN_XML ON",
                        ": (SET SHOWPLAN_TEXT ON) shows",
                        "SELECT name FROM customer WHERE id = 1",
                        "SET SHOWPLAN_TEXT OFF"),
                Case.of(
                        "CREATE TABLE many (id INT PRIMARY KEY, a INT, b INT, c INT, d INT, e INT);"
                                + " CREATE INDEX ix_a ON many (a); CREATE INDEX ix_b ON many (b);"
                                + " CREATE INDEX ix_c ON many (c); CREATE INDEX ix_d ON many (d)",
                        "CREATE INDEX ix_e ON many (e)",
                        "or make it in CQL: (CREATE INDEX ON .*)",
                        "SELECT id FROM many WHERE e = 1"),
                Case.of(
                        "CREATE TABLE filled (id INT NOT NULL PRIMARY KEY, n INT); INSERT INTO filled (id, n) VALUES (1, 3)",
                        "ALTER TABLE filled ADD CONSTRAINT large CHECK (n > 5)",
                        "(ALTER TABLE \\.\\.\\. WITH NOCHECK ADD) declares it",
                        "ALTER TABLE filled WITH NOCHECK ADD CONSTRAINT large CHECK (n > 5)"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldHelpIfItIsDone(Case each) throws SQLException {
        for (String statement : each.before()) {
            run(statement);
        }

        SQLException refusal = catchThrowableOfType(SQLException.class, () -> run(each.refused()));

        assertThat((Throwable) refusal).as("%s is served", each).isNotNull();
        Matcher proposal = Pattern.compile(each.proposal()).matcher(String.valueOf(refusal.getMessage()));
        assertThat(proposal.find()).as(refusal.getMessage()).isTrue();
        // A form of a statement is filled in by the reader.
        if (!proposal.group(1).contains("...")) {
            run(proposal.group(1));
        }
        for (String statement : each.then()) {
            run(statement);
        }
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
