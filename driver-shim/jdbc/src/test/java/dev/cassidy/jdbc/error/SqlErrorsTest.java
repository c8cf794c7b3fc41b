package dev.cassidy.jdbc.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.DefaultWriteType;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.ServerError;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SqlErrorsTest {

    private static final Node NODE = (Node) Proxy.newProxyInstance(
            Node.class.getClassLoader(),
            new Class<?>[] {Node.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                case "toString" -> "node";
                default -> null;
            });

    static Stream<Arguments> errors() {
        return Stream.of(
                Arguments.of(new DriverTimeoutException("too long"), "HYT00", SQLTimeoutException.class),
                Arguments.of(
                        new WriteTimeoutException(null, DefaultConsistencyLevel.QUORUM, 1, 2, DefaultWriteType.SIMPLE),
                        "HYT00",
                        SQLTimeoutException.class),
                Arguments.of(
                        new UnavailableException(null, DefaultConsistencyLevel.QUORUM, 2, 1),
                        "08006",
                        SQLTransientConnectionException.class),
                Arguments.of(new NoNodeAvailableException(), "08006", SQLTransientConnectionException.class),
                Arguments.of(
                        new CompletionException(new ClosedChannelException()),
                        "08006",
                        SQLTransientConnectionException.class),
                Arguments.of(new UnauthorizedException(null, "no"), "42501", SQLSyntaxErrorException.class),
                Arguments.of(
                        new UnauthorizedException(
                                null,
                                "Unable to perform authorization of permissions: Cannot achieve consistency level LOCAL_ONE"),
                        "08006",
                        SQLTransientConnectionException.class),
                Arguments.of(
                        new SequenceException.Unavailable("no id", new UnauthorizedException(null, "no")),
                        "42501",
                        SQLSyntaxErrorException.class),
                Arguments.of(
                        new SequenceException.Unavailable(
                                "no id",
                                new UnauthorizedException(null, "Unable to perform authorization of permissions: x")),
                        "HYT00",
                        SQLTransientException.class),
                Arguments.of(
                        new InvalidQueryException(null, "Batch too large"), "54000", SQLNonTransientException.class),
                Arguments.of(new InvalidQueryException(null, "whatever"), "42000", SQLSyntaxErrorException.class),
                Arguments.of(
                        new InvalidQueryException(null, "Unable to make int from '5000000000'"),
                        "22003",
                        SQLDataException.class),
                Arguments.of(
                        new InvalidQueryException(null, "Invalid STRING constant (abc) for \"i\" of type int"),
                        "22018",
                        SQLDataException.class),
                Arguments.of(
                        new UnsupportedSqlException("MERGE", "way out"),
                        "HYC00",
                        SQLFeatureNotSupportedException.class),
                Arguments.of(new SequenceException.NotFound("s"), "42000", SQLSyntaxErrorException.class),
                Arguments.of(new SequenceException.NotReady("s"), "55000", SQLNonTransientException.class),
                Arguments.of(new SequenceException.Exhausted("s"), "22003", SQLDataException.class),
                Arguments.of(new SequenceException.Unavailable("s"), "HYT00", SQLTransientException.class),
                Arguments.of(new SequenceException.NotAcknowledged("s"), "HYT00", SQLTransientException.class),
                Arguments.of(new SequenceException.SchemaMissing("s"), "3F000", SQLSyntaxErrorException.class),
                Arguments.of(new IllegalStateException("Session is closed"), "08003", SQLException.class),
                Arguments.of(new ArithmeticException("ours"), "HY000", SQLException.class));
    }

    /** Texts of servers and settings that no test here runs. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Guardrail allow_filtering violated: Querying with ALLOW FILTERING is not allowed | guardrail allow_filtering forbids
            unconfigured table orders | Table orders does not exist
            PRIMARY KEY part c found in SET part | SET of c, which is part of the primary key
            Unknown identifier price | Invalid column name 'price': the table has no such column
            Too many markers(?). 65536 markers exceed the allowed maximum of 65535 | at most 65535. Send it in parts
            Select on indexed columns and with IN clause for the PRIMARY KEY are not supported | one statement for each value
            Cannot page queries with both ORDER BY and a IN restriction on the partition key; you must | several partitions
            Column price was not found in table 'shop.product' | Invalid column name 'price': the table shop.product has no such column
            Index 'shop.by_name' doesn't exist' | Index shop.by_name does not exist: check its name
            Unsupported type: duration | No storage-attached index (SAI) takes a column of type duration
            Unsupported null value for column price | price is compared with a value that is null: give it one
            Cannot execute this query as it might involve data filtering and thus may have unpredictable performance. Executing this query despite the performance unpredictability with ALLOW FILTERING has been disabled by the allow_filtering_enabled property in cassandra.yaml | this cluster forbids that by allow_filtering_enabled
            Unmatched column names/values | INSERT names more or fewer columns than it has values
            Unable to make int from '5000000000' | The value 5000000000 is out of the range of its column's type
            Invalid STRING constant (abc) for "price" of type int | The value abc is no int, the type of column price
            Unable to coerce '2024-13-01' to a formatted date (long) | A value is of another type than its column, or not written as that type is: Unable to coerce '2024-13-01'
            ORDER BY with 2ndary indexes is not supported, except for ANN queries. | ORDER BY of rows that an index finds: sort them in the application
            Cannot infer type for term ? in selection clause (try using a cast to force a type) | The list of a SELECT has ?, whose type is not known
            Aggregation function are not supported in the where clause | An aggregate within WHERE or within another aggregate
            the '+' operation is not supported between text and int | Cassandra does not calculate or convert this (+: text int)
            text cannot be cast to int | Cassandra does not calculate or convert this (text: int)
            Batch with conditions cannot span multiple tables | Statements with IF in one batch write several partitions or tables
            Cannot re-add previously dropped column 'price' of type text, incompatible with previous type int | The table had a column price of another type or kind
            Multiple PRIMARY KEY specified for table 'shop.product' (exactly one required) | CREATE TABLE shop.product with two primary keys
            Guardrail page_size violated: Query for table product with page size 5000 exceeds the failure threshold of 100. | guardrail page_size forbids the statement (Query for table product with page size 5000 exceeds the failure threshold of 100.): fetch fewer rows
            Guardrail tables violated: Cannot have more than 5 tables | guardrail tables forbids the statement (Cannot have more than 5 tables): stay below the limit
            A rule that no one knows | Cassandra refuses the statement: "A rule that no one knows"
            """)
    void shouldSayInItsOwnWordsWhatTheServerRefuses(String server, String message) {
        InvalidQueryException cause = new InvalidQueryException(null, server);
        assertThat((Throwable) SqlErrors.of(cause))
                .hasMessageContaining(message)
                .hasCause(cause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            line 1:46 mismatched input '(' expecting ')' (create table users(name varchar_ignorecase[(]...) | near '('
            line 1:0 no viable alternative at input 'SELEC' ([SELEC]...) | near 'SELEC'
            line 1:93 no viable alternative at input '(' (...from PRODUCT WHERE [lower](...) | near 'lower'
            line 1:30 mismatched character '<EOF>' expecting ''' | near the end of the statement
            line 0:-1 no viable alternative at input '<EOF>' | near the end of the statement
            something else | near the end of the statement
            """)
    void shouldNameThePlaceWhereTheServerStopsReading(String server, String message) {
        assertThat((Throwable) SqlErrors.of(new SyntaxError(null, server)))
                .hasMessageContaining(message)
                .hasFieldOrPropertyWithValue("errorCode", 102);
    }

    @Test
    void shouldSayThatTheOutcomeIsUnknownIfOneNodeOfSeveralMayHaveWritten() {
        SQLException mixed = SqlErrors.of(AllNodesFailedException.fromErrors(List.of(
                Map.entry(NODE, new UnavailableException(null, DefaultConsistencyLevel.QUORUM, 2, 1)),
                Map.entry(
                        NODE,
                        new HeartbeatException(
                                new InetSocketAddress("127.0.0.1", 9042), "gone", new RuntimeException())))));
        SQLException certain = SqlErrors.of(AllNodesFailedException.fromErrors(List.of(
                Map.entry(NODE, new UnavailableException(null, DefaultConsistencyLevel.QUORUM, 2, 1)),
                Map.entry(NODE, new NodeUnavailableException(NODE)))));

        assertThat(mixed.getMessage()).endsWith("the write may or may not have been applied.");
        assertThat(certain.getMessage()).doesNotContain("may or may not");
    }

    @ParameterizedTest
    @MethodSource("errors")
    void shouldGiveEachErrorItsStateAndClassWhateverItIsWrappedIn(
            RuntimeException cause, String state, Class<? extends SQLException> type) {
        SQLException bare = SqlErrors.of(cause);
        SQLException wrapped = SqlErrors.of(new CompletionException(cause));

        assertThat(bare.getClass()).isEqualTo(wrapped.getClass());
        assertThat(type.isInstance(bare)).isTrue();
        assertThat(bare.getSQLState()).isEqualTo(state);
    }

    @Test
    void shouldSayThatTheOutcomeOfAWriteIsUnknown() {
        SQLException error = SqlErrors.of(
                new WriteTimeoutException(null, DefaultConsistencyLevel.QUORUM, 1, 2, DefaultWriteType.SIMPLE));

        assertThat(error.getMessage()).contains("The write may or may not have been applied");
    }

    @Test
    void shouldSayThatNoNodeIsUp() {
        SQLException error = SqlErrors.of(AllNodesFailedException.fromErrors(List.of()));
        assertThat(error.getMessage()).contains("No node of the local datacenter is up");
    }

    @Test
    void shouldNameTheLevelForWhichReplicasAreMissing() {
        UnavailableException unavailable = new UnavailableException(null, DefaultConsistencyLevel.QUORUM, 2, 1);

        assertThat(SqlErrors.of(unavailable).getMessage()).contains("QUORUM");
    }

    static Stream<Arguments> conditional() {
        return Stream.of(
                Arguments.of(
                        new UnavailableException(NODE, DefaultConsistencyLevel.QUORUM, 2, 1),
                        SQLTransientConnectionException.class,
                        true),
                Arguments.of(
                        new UnavailableException(NODE, DefaultConsistencyLevel.SERIAL, 2, 1),
                        SQLTransientConnectionException.class,
                        false),
                Arguments.of(
                        new ReadTimeoutException(NODE, DefaultConsistencyLevel.SERIAL, 1, 2, false),
                        SQLTimeoutException.class,
                        true),
                Arguments.of(new OverloadedException(NODE, "busy"), SQLTransientException.class, true),
                Arguments.of(new ServerError(NODE, "broken"), SQLException.class, true),
                Arguments.of(new InvalidQueryException(NODE, "whatever"), SQLSyntaxErrorException.class, false),
                Arguments.of(new NoNodeAvailableException(), SQLTransientConnectionException.class, false));
    }

    /**
     * At a level other than the serial ones, Cassandra may report the error when replicas have already accepted the
     * write.
     */
    @ParameterizedTest
    @MethodSource("conditional")
    void shouldSayThatAConditionalWriteMayHaveBeenApplied(
            RuntimeException thrown, Class<? extends SQLException> subclass, boolean unknown) {
        SQLException plain = SqlErrors.of(thrown);

        SQLException exception = SqlErrors.ofConditional(plain);

        assertThat((Throwable) exception)
                .isExactlyInstanceOf(subclass)
                .hasFieldOrPropertyWithValue("SQLState", plain.getSQLState());
        assertThat(exception.getMessage().endsWith(". The write may or may not have been applied."))
                .isEqualTo(unknown);
    }

    @Test
    void shouldSayOnceThatAWriteMayHaveBeenApplied() {
        SQLException plain = SqlErrors.of(
                new WriteTimeoutException(NODE, DefaultConsistencyLevel.SERIAL, 1, 2, DefaultWriteType.CAS));

        assertThat((Throwable) SqlErrors.ofConditional(plain)).isSameAs(plain);
    }

    @Test
    void shouldNameTheRowThatMayHaveBeenWritten() {
        SQLException late = SqlErrors.of(
                new WriteTimeoutException(NODE, DefaultConsistencyLevel.ONE, 1, 0, DefaultWriteType.UNLOGGED_BATCH));
        SQLException unavailable =
                SqlErrors.of(new UnavailableException(NODE, DefaultConsistencyLevel.LOCAL_QUORUM, 2, 1));
        SQLException refused = SqlErrors.of(new InvalidQueryException(NODE, "no"));
        SQLException cancelled =
                new SQLException("The statement was cancelled; the write may or may not have been applied", "57014");

        for (boolean together : new boolean[] {true, false}) {
            assertThat((Throwable) SqlErrors.ofRow(late, 7, together))
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageEndingWith(" The write may or may not have been applied. The row's id is 7");
            assertThat((Throwable) SqlErrors.ofRow(cancelled, 7, together))
                    .hasMessageEndingWith("; the write may or may not have been applied. The row's id is 7");
            assertThat((Throwable) SqlErrors.ofRow(refused, 7, together)).isSameAs(refused);
        }
        assertThat((Throwable) SqlErrors.ofRow(unavailable, 7, false))
                .as("no replica was asked")
                .isSameAs(unavailable);
        assertThat((Throwable) SqlErrors.ofRow(unavailable, 7, true))
                .as("replicas of a row before it may have been asked")
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessageEndingWith(" The write may or may not have been applied. The row's id is 7");
    }

    @Test
    void shouldNameTheGuardrailThatRefusesAStatement() {
        SQLException filtering = SqlErrors.of(new InvalidQueryException(
                NODE, "Guardrail allow_filtering violated: Querying with ALLOW FILTERING is not allowed"));
        SQLException pages = SqlErrors.of(new InvalidQueryException(
                NODE,
                "Guardrail page_size violated: Query for table t with page size 5000 exceeds fail threshold of 100."));
        SQLException other = SqlErrors.of(new InvalidQueryException(NODE, "Guardrail some_rule violated: no"));

        assertThat((Throwable) filtering)
                .hasMessageContaining("This cluster's guardrail allow_filtering forbids the statement")
                .hasMessageContaining("allow_filtering_enabled in cassandra.yaml")
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThat((Throwable) pages)
                .hasMessageContaining("page_size_fail_threshold")
                .hasMessageContaining("setFetchSize");
        assertThat((Throwable) other).hasMessageContaining("guardrail some_rule forbids the statement (no)");
        assertThat(SqlErrors.isByGuardrail("Guardrail page_size violated: x")).isTrue();
        assertThat(SqlErrors.isByGuardrail("use ALLOW FILTERING")).isFalse();
    }

    @Test
    void shouldTellHowToCorrectItAsTheEdgeDoes() {
        CommandLines lines = CommandLines.of(List.of("10.0.0.1:9042"), "dc1", "cassidy", List.of());
        SequenceException missing = new SequenceException.SchemaMissing("it is missing", new Remedy.Init("dc1", 3));
        SequenceException unknown =
                new SequenceException.NotFound("there is none", new Remedy.CreateSequence("shop.s"));

        assertThat(SqlErrors.of(missing, lines).getMessage())
                .isEqualTo("it is missing. Run: cassidy init --replication dc1:3 --contact-points 10.0.0.1:9042"
                        + " --local-dc dc1");
        assertThat(SqlErrors.of(missing).getMessage())
                .isEqualTo("it is missing. Call: CassidySchema.install(session, Replication.parse(\"dc1:3\"), config)");
        assertThat(SqlErrors.of(unknown, lines).getMessage())
                .isEqualTo("there is none. Run: CREATE SEQUENCE shop.s AS BIGINT START WITH n");
        assertThat(unknown)
                .hasMessage(
                        "there is none. Call: sequences.create(SequenceSpec.of(\"shop.s\", type, start, increment))");
    }
}
