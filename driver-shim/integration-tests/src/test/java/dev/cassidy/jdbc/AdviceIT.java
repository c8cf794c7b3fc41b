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
    private final Connection connection = cluster.open("identityInsert=strict", "assist=off");

    /**
     * A refused statement.
     *
     * @param before what has to be there
     * @param proposal finds the proposal in the message; its first group is a statement, if it has one
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
                        "ALTER TABLE \\.\\.\\. WITH NOCHECK ADD declares it",
                        "ALTER TABLE filled WITH NOCHECK ADD CONSTRAINT large CHECK (n > 5)"),
                Case.of(
                        "CREATE TABLE twice (id INT PRIMARY KEY, n INT CONSTRAINT first_n DEFAULT 1)",
                        "ALTER TABLE twice ADD CONSTRAINT second_n DEFAULT 2 FOR n",
                        "Drop it first: (ALTER TABLE \\S+ DROP CONSTRAINT \\S+)",
                        "ALTER TABLE twice ADD CONSTRAINT second_n DEFAULT 2 FOR n"),
                Case.of(
                        "CREATE TABLE other (id INT IDENTITY PRIMARY KEY); SET IDENTITY_INSERT customer ON",
                        "SET IDENTITY_INSERT other ON",
                        "set it OFF there first",
                        "SET IDENTITY_INSERT customer OFF",
                        "SET IDENTITY_INSERT other ON",
                        "SET IDENTITY_INSERT other OFF"),
                Case.of(
                        "CREATE SEQUENCE drawn START WITH 1; CREATE TABLE drawer (id INT NOT NULL PRIMARY KEY"
                                + " DEFAULT NEXT VALUE FOR drawn, v INT)",
                        "INSERT INTO drawer (id, v) VALUES (5, 1)",
                        "(SELECT NEXT VALUE FOR [\\w.]+)",
                        "INSERT INTO drawer (id, v) VALUES (1, 1)"),
                Case.of(
                        "CREATE SEQUENCE redrawn START WITH 1; CREATE TABLE redraw (id INT PRIMARY KEY, n BIGINT DEFAULT"
                                + " NEXT VALUE FOR redrawn)",
                        "UPDATE redraw SET n = DEFAULT WHERE id = 1",
                        "draw it with (SELECT NEXT VALUE FOR [\\w.]+)",
                        "UPDATE redraw SET n = 1 WHERE id = 1"),
                Case.of(
                        "",
                        "INSERT INTO redraw (id, n) VALUES (2, NEXT VALUE FOR redrawn + 1)",
                        "read it with SELECT NEXT VALUE FOR",
                        "SELECT NEXT VALUE FOR redrawn",
                        "INSERT INTO redraw (id, n) VALUES (2, 3)"));
    }

    /** Of a form of statement that the reader fills in. */
    static Stream<Case> forms() {
        return Stream.of(
                Case.of(
                        "",
                        "UPDATE customer SET age = 1 WHERE id = 1 AND level = 2",
                        "behind IF, as WHERE id = 1 IF version = 2",
                        "UPDATE customer SET age = 1 WHERE id = 1 IF level = 2"),
                Case.of(
                        "CREATE TABLE chat (room INT, at INT, v VARCHAR(9), PRIMARY KEY (room, at)) WITH (plain);"
                                + " INSERT INTO chat (room, at, v) VALUES (1, 6, 'x')",
                        "UPDATE chat SET v = 'y' WHERE room = 1 AND at > 5",
                        "find the keys of the range by a SELECT, and send one statement for each",
                        "SELECT at FROM chat WHERE room = 1 AND at > 5",
                        "UPDATE chat SET v = 'y' WHERE room = 1 AND at = 6"),
                Case.of(
                        "",
                        "SELECT v FROM chat WHERE room = 1 ORDER BY v",
                        "Order by these, in their order",
                        "SELECT v FROM chat WHERE room = 1 ORDER BY at DESC"),
                Case.of(
                        "",
                        "SELECT DISTINCT v FROM chat",
                        "Select the whole partition key",
                        "SELECT DISTINCT room FROM chat"),
                Case.of(
                        "",
                        "SELECT v, COUNT(*) FROM chat GROUP BY v",
                        "Group by these",
                        "SELECT room, COUNT(*) FROM chat GROUP BY room"),
                Case.of(
                        "",
                        "UPDATE chat SET at = 7 WHERE room = 1 AND at = 6",
                        "insert the new row, and delete the old one",
                        "INSERT INTO chat (room, at, v) VALUES (1, 7, 'y')",
                        "DELETE FROM chat WHERE room = 1 AND at = 6"),
                Case.of(
                        "",
                        "SELECT name FROM customer WHERE id > 5",
                        "Give its key, id = \\?",
                        "SELECT name FROM customer WHERE id = 6"),
                Case.of(
                        "",
                        "CREATE TABLE versions (id INT PRIMARY KEY, v ROWVERSION)",
                        "keep a version in a bigint column that the application raises, and compare it: UPDATE ... WHERE id = \\?",
                        "CREATE TABLE versions (id INT PRIMARY KEY, v BIGINT)",
                        "INSERT INTO versions (id, v) VALUES (1, 1)",
                        "UPDATE versions SET v = 2 WHERE id = 1 AND v = 1"),
                Case.of(
                        "",
                        "SELECT at FROM chat WHERE room = 1 LIMIT 5 OFFSET 10",
                        "SELECT TOP \\(n\\) gives the first rows.* behind the key of the last row, WHERE key > \\?",
                        "SELECT TOP (5) at FROM chat WHERE room = 1 AND at > 6"),
                Case.of(
                        "",
                        "SELECT TOP 5 at FROM chat WHERE room = 1 ORDER BY at OFFSET 0 ROWS",
                        "Leave TOP out, and write OFFSET 0 ROWS FETCH NEXT n ROWS ONLY",
                        "SELECT at FROM chat WHERE room = 1 ORDER BY at OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY"),
                Case.of(
                        "",
                        "SELECT DISTINCT room FROM chat WHERE room = 1 AND at > 5",
                        "Leave DISTINCT out, and take each key once in the application",
                        "SELECT room FROM chat WHERE room = 1 AND at > 5"),
                Case.of(
                        "",
                        "SELECT room, COUNT(*) FROM chat",
                        "Leave it out, or add GROUP BY room",
                        "SELECT COUNT(*) FROM chat",
                        "SELECT room, COUNT(*) FROM chat GROUP BY room"),
                Case.of(
                        "",
                        "SELECT v FROM chat WHERE room = 1 AND at = 2 AND at > 1",
                        "write the one that is left when both hold",
                        "SELECT v FROM chat WHERE room = 1 AND at = 2"),
                Case.of(
                        "",
                        "SELECT name FROM customer WHERE id = 1 AND id = 2",
                        "two conditions on id.* no row is found, and nothing has to be sent"),
                Case.of(
                        "",
                        "SELECT name FROM customer WHERE id = 1 AND 'a' = 'A'",
                        "or write 1 = 1 or 1 = 0 in its place",
                        "SELECT name FROM customer WHERE id = 1 AND 1 = 0"),
                Case.of(
                        "",
                        "UPDATE customer SET age = customer.level WHERE id = 1",
                        "read level by a SELECT of the row, and pass it as a parameter",
                        "SELECT level FROM customer WHERE id = 1",
                        "UPDATE customer SET age = 3 WHERE id = 1"),
                Case.of(
                        "",
                        "INSERT INTO chat (room, at, v) VALUES (1, 8, 'a') ON DUPLICATE KEY UPDATE v = 'a'",
                        "leave the clause out, or to keep such a row, end the INSERT with IF NOT EXISTS",
                        "INSERT INTO chat (room, at, v) VALUES (1, 8, 'a')",
                        "INSERT INTO chat (room, at, v) VALUES (1, 8, 'b') IF NOT EXISTS"),
                Case.of(
                        "CREATE SEQUENCE ora START WITH 1",
                        "INSERT INTO customer (name, age) VALUES ('Ada', ora.nextval)",
                        "as a whole value in VALUES, or as a statement of its own: (SELECT NEXT VALUE FOR \\w+)",
                        "INSERT INTO customer (name, age) VALUES ('Ada', NEXT VALUE FOR ora)"),
                Case.of("", "SET ROWCOUNT 5", "use SELECT TOP n", "SELECT TOP 5 name FROM customer"),
                Case.of(
                        "",
                        "CREATE TABLE keyless (a INT)",
                        "keyless without PRIMARY KEY: say which columns identify a row",
                        "CREATE TABLE keyless (a INT, PRIMARY KEY (a))"),
                Case.of(
                        "",
                        "INSERT INTO customer (name) SELECT name FROM customer",
                        "read the rows and insert them with VALUES or a batch",
                        "SELECT name FROM customer",
                        "INSERT INTO customer (name) VALUES ('Ada'), ('Bob')"),
                Case.of(
                        "",
                        "SELECT room, v INTO talk FROM chat",
                        "create the table and insert into it",
                        "CREATE TABLE talk (room INT PRIMARY KEY, v VARCHAR(9))",
                        "INSERT INTO talk (room, v) VALUES (1, 'y')"),
                Case.of("", "DELETE FROM keyless", "TRUNCATE TABLE empties a table", "TRUNCATE TABLE keyless"),
                Case.of(
                        "",
                        "CREATE TYPE ssn FROM VARCHAR(11)",
                        "write the type itself in each CREATE TABLE",
                        "CREATE TABLE people (id INT PRIMARY KEY, ssn VARCHAR(11))"),
                Case.of(
                        "",
                        "SELECT *, age * 2 AS twice FROM customer WHERE id = 1",
                        "name the columns: SELECT a, b, a \\* b AS product",
                        "SELECT id, age, age * 2 AS twice FROM customer WHERE id = 1"),
                Case.of(
                        "",
                        "SELECT level FROM customer WITH (UPDLOCK) WHERE id = 1",
                        "UPDATE ... WHERE <key> = \\? IF <column> = <the value that was read>",
                        "SELECT level FROM customer WHERE id = 1",
                        "UPDATE customer SET level = 2 WHERE id = 1 IF level = 1"));
    }

    @ParameterizedTest
    @MethodSource({"cases", "forms"})
    void shouldHelpIfItIsDone(Case each) throws SQLException {
        for (String statement : each.before()) {
            run(statement);
        }

        SQLException refusal = catchThrowableOfType(SQLException.class, () -> run(each.refused()));

        assertThat((Throwable) refusal).as("%s is served", each).isNotNull();
        Matcher proposal = Pattern.compile(each.proposal()).matcher(String.valueOf(refusal.getMessage()));
        assertThat(proposal.find()).as(refusal.getMessage()).isTrue();
        if (proposal.groupCount() > 0) {
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
