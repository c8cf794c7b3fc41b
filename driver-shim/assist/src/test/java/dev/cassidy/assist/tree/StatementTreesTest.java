package dev.cassidy.assist.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.cassidy.insert.OutputSpan;
import dev.cassidy.insert.Tokens;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.statement.select.PlainSelect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatementTreesTest {

    private final StatementTrees trees = new StatementTrees();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SELECT a.x FROM a JOIN b ON a.id = b.a                          | a join
            SELECT x FROM a, b WHERE a.id = b.a                             | a join
            SELECT x FROM a WHERE y > z                                     | a comparison of two columns
            SELECT x FROM a WHERE id IN (SELECT id FROM b)                  | a subquery
            SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b)                  | EXISTS; a subquery
            SELECT x FROM (SELECT x FROM b) q                               | a subquery
            SELECT x FROM a UNION ALL SELECT x FROM b                       | UNION ALL
            SELECT x, COUNT(*) FROM a GROUP BY x HAVING COUNT(*) > 1        | HAVING
            SELECT CASE WHEN x = 1 THEN 2 ELSE 3 END FROM a                 | CASE
            SELECT ROW_NUMBER() OVER (ORDER BY x) FROM a                    | OVER (a window)
            SELECT ISNULL(x, 0), [LEFT] FROM a                              | the function ISNULL
            SELECT x FROM a WHERE y = 1 OR z = 2                            | OR
            WITH q AS (SELECT x FROM a) SELECT x FROM q                     | WITH
            UPDATE a SET x = b.x FROM a INNER JOIN b ON a.id = b.a          | a join
            DELETE FROM a WHERE id IN (SELECT id FROM b)                    | a subquery
            SELECT x FROM a WHERE LOWER(y) = ? OPTION (RECOMPILE)           | the function LOWER
            """)
    void shouldNameWhatCassandraHasNoWordsFor(String sql, String parts) {
        assertThat(trees.unsupported(sql).stream()
                        .map(each -> each.substring(0, each.indexOf(" is not supported")))
                        .toList())
                .containsExactlyInAnyOrder(parts.split("; "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT x FROM a WHERE id = ?",
                "SELECT COUNT(*), MAX(x) FROM a WHERE id IN (1, 2) ORDER BY x",
                "INSERT INTO a (id, [left], name) VALUES (?, 1, N'OR')",
                "UPDATE a SET x = x + 1 WHERE id = 'a join'",
                "SELECT x FROM a WHERE done = true",
                "BEGIN BATCH INSERT INTO a (id) VALUES (1) APPLY BATCH",
                "SELECT x FROM a; SELECT y FROM b JOIN c ON 1 = 1",
                "no statement at all",
                ""
            })
    void shouldFindNothingInOthers(String sql) {
        assertThat(trees.unsupported(sql)).isEmpty();
    }

    @Test
    void shouldCutWrites() {
        WriteText update = trees.change("UPDATE TOP (?) t SET a = ? OUTPUT inserted.a, 1 x WHERE b = ?")
                .orElseThrow();
        assertThat(update).isInstanceOfSatisfying(WriteText.Tree.class, tree -> {
            assertThat(tree.tree()).hasToString("UPDATE t SET a = ? WHERE b = ?");
            assertThat(tree.parameters()).containsExactly(1, 2);
            assertThat(tree.output().trim()).isEqualTo("inserted.a, 1 x");
            assertThat(tree.top()).isEqualTo(new WriteText.Top(null, 0));
        });
        for (String sql : List.of(
                "UPDATE t SET output = 1, a = output WHERE output > 2",
                "UPDATE t SET a = 1 FROM output WHERE a = 1",
                "DELETE FROM t WHERE a = output AND b = (SELECT output FROM u)")) {
            Tokens tokens = new Tokens(sql);
            assertThat(OutputSpan.find(tokens, 1, tokens.size() - 1)).as(sql).isNull();
        }
        assertThat(trees.change("DELETE t OUTPUT deleted.a INTO u")).isEmpty();
        assertThat(trees.change("DELETE TOP (5) PERCENT FROM t")).isEmpty();
        assertThat(
                        trees.change(
                                "MERGE t USING u s ON t.a = s.a WHEN MATCHED AND CASE WHEN s.b = 1 THEN 1 ELSE 2 END = 1 THEN"
                                        + " UPDATE SET c = CASE WHEN s.d = 1 THEN 2 END WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)"))
                .get()
                .isInstanceOfSatisfying(
                        MergeText.class, merge -> assertThat(merge.clauses()).hasSize(2));
        assertThat(trees.change("MERGE t USING u s ON t.a = s.a WHEN MATCHED THEN INSERT (a) VALUES (1)"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            SELECT a FROM t WHERE and b = 1             | from 'WHERE' in line 1, column 17 on
            SELECT a FROM t WHERE (b = 1                | since this is in it: an incomplete statement is not supported: close the '(' at character 23
            SELECT CASE WHEN a = 1 THEN 2               | since it ends where more is expected, such as a closing bracket
            SELECT a FROM t WHERE b = 'x' 'secret'      | from a literal in line 1, column 31 on
            SELECT a FROM t WHERE b = 1) OPTION (HASH JOIN) | from ')' in line 1, column 28 on
            UPDATE TOP (1) t SET a = WHERE b = 1        | from 'WHERE' on
            INSERT INTO t (a) VALUES ((SELECT 1 FROM))  | from 'SELECT' on
            """)
    void shouldTellFromWhereOnATextCannotBeRead(String sql, String why) {
        assertThat(trees.unread(sql)).contains(why);
    }

    @Test
    void shouldTellOfTextsThatAreTooLong() {
        assertThat(trees.unread("SELECT x FROM a WHERE x = 0" + " OR x = 1".repeat(1_000)))
                .contains("since it has more than 1000 tokens outside of lists of values");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT a FROM t", "SELECT a FROM; SELECT 1", "DECLARE x", "", "MERGE t"})
    void shouldTellNothingOfOthers(String sql) {
        assertThat(trees.unread(sql)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            INSERT INTO t (a, b) VALUES (?, (SELECT c FROM u))        | INSERT INTO t (a, b) SELECT ?, (SELECT c FROM u)
            INSERT t VALUES ((SELECT 1), 'a,b'), (f(?, 2), ?);        | INSERT INTO t SELECT (SELECT 1), 'a,b' UNION ALL SELECT f(?, 2), ?
            INSERT t (a, b) VALUES (DEFAULT, (SELECT 1))              | INSERT INTO t (b) SELECT (SELECT 1)
            INSERT t (a, b, c) VALUES (1, DEFAULT, (SELECT 1))        | INSERT INTO t (a, c) SELECT 1, (SELECT 1)
            INSERT t (a, b, c) VALUES ((SELECT 1), DEFAULT, default)  | INSERT INTO t (a) SELECT (SELECT 1)
            INSERT t (a, b) OUTPUT inserted.a VALUES (DEFAULT, (SELECT 1)), (DEFAULT, 2) | INSERT INTO t (b) SELECT (SELECT 1) UNION ALL SELECT 2
            WITH x AS (SELECT ? AS a) INSERT TOP (1) INTO t (a) VALUES ((SELECT a FROM x)) OPTION (RECOMPILE) | INSERT INTO t (a) WITH x AS (SELECT ? AS a) SELECT (SELECT a FROM x)
            """)
    void shouldReadValuesWithASubqueryAsASelect(String sql, String tree) {
        assertThat(trees.change(sql).orElseThrow())
                .isInstanceOfSatisfying(
                        WriteText.Tree.class, write -> assertThat(write.tree()).hasToString(tree));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a) VALUES (1)",
                "INSERT INTO t (a) VALUES ('(SELECT 1)')",
                "INSERT INTO t (a, b) VALUES (DEFAULT, (SELECT 1)), (2, 3)",
                "INSERT INTO t VALUES (DEFAULT, (SELECT 1))",
                "INSERT INTO t (a) VALUES ((SELECT 1), 2)",
                "INSERT INTO t (a, b) VALUES (1 x, (SELECT 2))",
                "INSERT INTO t (a, b) VALUES (*, (SELECT 2))",
                "INSERT INTO t (a, b) VALUES ((SELECT 2), 1 FROM u)",
                "INSERT INTO t (a, b) VALUES ((SELECT 2), 1 UNION SELECT 1, 2)",
                "INSERT INTO t (a, b) VALUES (DISTINCT (SELECT 2), 1)",
                "INSERT INTO t (a) VALUES ((SELECT 1)) IF NOT EXISTS",
                "INSERT INTO t (a) VALUES ((SELECT 1)), (2) ORDER BY 1"
            })
    void shouldNotReadOtherValues(String sql) {
        assertThat(trees.change(sql)).isEmpty();
    }

    /** What is no statement is not read, whatever stands where. */
    @Test
    void shouldReadAnyWrite() {
        List<String> words = List.of(
                "MERGE",
                "UPDATE",
                "DELETE",
                "INSERT",
                "INTO",
                "t",
                "s",
                "AS",
                "USING",
                "ON",
                "t.a = s.a",
                "WHEN",
                "NOT",
                "MATCHED",
                "BY",
                "SOURCE",
                "AND",
                "THEN",
                "SET",
                "a = 1",
                "VALUES",
                "(",
                ")",
                "(1)",
                ",",
                "?",
                "OUTPUT",
                "inserted.",
                "$",
                "action",
                "TOP",
                "(?)",
                "SELECT",
                "FROM",
                "UNION",
                "ALL",
                "WITH",
                "x",
                "CASE",
                "END",
                "'a'");
        SplittableRandom random = new SplittableRandom(45);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "WITH x AS (SELECT 1 a) " : "");
            text.append(words.get(random.nextInt(4)));
            if (random.nextBoolean()) {
                text.append(" t USING ");
            }
            for (int word = random.nextInt(14); word > 0; word--) {
                text.append(' ').append(words.get(random.nextInt(words.size())));
            }
            assertThatCode(() -> trees.change(text.toString()))
                    .as(text.toString())
                    .doesNotThrowAnyException();
        }
    }

    /** The stack would end. */
    @Test
    void shouldNotReadWhatIsNestedTooDeeply() {
        String nested = "SELECT x FROM a WHERE " + "(".repeat(20_000) + "id = 1" + ")".repeat(20_000);

        assertThat(trees.unsupported(nested)).isEmpty();
        assertThat(trees.unsupported("SELECT x FROM a WHERE " + "(".repeat(5) + "id = 1 OR y = 2" + ")".repeat(5)))
                .hasSize(1);
    }

    /** So would it, in a visitor. */
    @Test
    void shouldNotReadAChainOfManyConditions() {
        assertThat(trees.unsupported("SELECT x FROM a WHERE x = 0" + " OR x = 1".repeat(100_000)))
                .isEmpty();
        assertThat(trees.unsupported("SELECT x FROM a WHERE x = 0" + " OR x = 1".repeat(240)))
                .hasSize(1);
    }

    /**
     * H2 is the judge: the text, and the text with the brackets that its tree says, find the same rows. A new version must build
     * the same trees.
     */
    @Test
    void shouldBuildTreesThatMeanWhatTheTextsSay() throws SQLException {
        SplittableRandom random = new SplittableRandom(41);
        try (Connection h2 = DriverManager.getConnection("jdbc:h2:mem:");
                Statement statement = h2.createStatement()) {
            statement.execute("CREATE TABLE t (id INT PRIMARY KEY, x INT, y INT, z INT, name VARCHAR(10))");
            for (int id = 0; id < 100; id++) {
                statement.execute("INSERT INTO t VALUES (" + id + ", " + number(random) + ", " + number(random) + ", "
                        + number(random) + ", " + (random.nextInt(5) == 0 ? "NULL" : "'" + word(random) + "'") + ")");
            }
            int selective = 0;
            for (int i = 0; i < 400; i++) {
                String condition = condition(random, 3);
                String sql = "SELECT id FROM t WHERE " + condition;
                PlainSelect tree = (PlainSelect) StatementTrees.read(sql).orElseThrow(() -> new AssertionError(sql));

                List<Integer> rows = rows(statement, sql);
                assertThat(rows(statement, "SELECT id FROM t WHERE " + Bracketed.of(tree.getWhere())))
                        .as(sql)
                        .isEqualTo(rows);
                selective += rows.isEmpty() || rows.size() == 100 ? 0 : 1;
            }
            assertThat(selective).isGreaterThan(200);
        }
    }

    private static List<Integer> rows(Statement statement, String sql) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql + " ORDER BY id")) {
            while (rows.next()) {
                ids.add(rows.getInt(1));
            }
        }
        return ids;
    }

    private static String condition(SplittableRandom random, int depth) {
        int kind = depth == 0 ? 3 + random.nextInt(6) : random.nextInt(9);
        return switch (kind) {
            case 0 -> condition(random, depth - 1) + " AND " + condition(random, depth - 1);
            case 1 -> condition(random, depth - 1) + " OR " + condition(random, depth - 1);
            case 2 ->
                (random.nextBoolean() ? "NOT " : "") + "(" + condition(random, depth - 1) + " OR "
                        + condition(random, depth - 1) + ")";
            case 3 -> column(random) + (random.nextBoolean() ? " IN (" : " NOT IN (") + number(random) + ", 2, 3)";
            case 4 -> column(random) + (random.nextBoolean() ? "" : " NOT") + " BETWEEN 1 AND " + number(random);
            case 5 -> column(random) + (random.nextBoolean() ? " IS NULL" : " IS NOT NULL");
            case 6 -> "name" + (random.nextBoolean() ? "" : " NOT") + " LIKE '%" + word(random) + "'";
            case 7 -> column(random) + " + " + column(random) + " * 2 - " + column(random) + " <> " + number(random);
            default -> column(random) + List.of(" = ", " < ", " >= ", " <> ").get(random.nextInt(4)) + number(random);
        };
    }

    private static String column(SplittableRandom random) {
        return List.of("x", "y", "z").get(random.nextInt(3));
    }

    private static String number(SplittableRandom random) {
        int number = random.nextInt(-1, 5);
        return number == 4 ? "NULL" : String.valueOf(number);
    }

    private static String word(SplittableRandom random) {
        return List.of("a", "b", "ab").get(random.nextInt(3));
    }

    /** The next version, 5.3, takes the rest of the condition into the list. */
    @Test
    void shouldEndAnInAtItsBracket() {
        net.sf.jsqlparser.statement.Statement statement = StatementTrees.read(
                        "SELECT a FROM t WHERE y = 3 AND x IN (1, 2) OR z = 4")
                .orElseThrow();
        Expression where = ((PlainSelect) statement).getWhere();

        assertThat(where.getClass().getSimpleName()).isEqualTo("OrExpression");
        Expression left = ((BinaryExpression) where).getLeftExpression();
        InExpression in = (InExpression) ((BinaryExpression) left).getRightExpression();
        assertThat(((ParenthesedExpressionList<?>) in.getRightExpression())).hasSize(2);
    }
}
