package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two keyspaces have tables of the same names. Those of one have rules, those of the other have none. Each statement names its
 * table without a keyspace, so that only the way in which the server gets it decides whose rules it has.
 */
class StatementKeyspaceIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("keyspace_it_ids").withWatchInterval(Duration.ofMillis(100));
    private static final String OWN = "keyspace_it_ids_dc1";
    private static final String RULED = "keyspace_it_ruled";
    private static final String FREE = "keyspace_it_free";

    private static CqlSession plain;
    private static CqlSession elsewhere;
    private static IdentitySession session;
    private static int last = 600;

    @BeforeAll
    static void open() throws SQLException {
        elsewhere = connect();
        CassidySchema.install(elsewhere, Replication.parse("dc1:1"), CONFIG);
        for (String keyspace : List.of(RULED, FREE)) {
            elsewhere.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            elsewhere.execute("CREATE TABLE " + keyspace + ".orders (id int PRIMARY KEY, v text)");
            elsewhere.execute("CREATE TABLE " + keyspace + ".item (id int PRIMARY KEY, v text)");
            elsewhere.execute("CREATE TABLE " + keyspace + ".line (o int, id int, v text, PRIMARY KEY (o, id))");
        }
        elsewhere.execute("CREATE TABLE " + FREE + ".state (id int PRIMARY KEY, v text, s text)");
        elsewhere.execute("CREATE TABLE " + FREE + ".coded (id int PRIMARY KEY, v text)");
        elsewhere.execute(
                "CREATE TABLE " + FREE + ".reserve (seq text, stripe int, next bigint, PRIMARY KEY (seq, stripe))");
        try (Connection connection = jdbc(RULED);
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE state (id int PRIMARY KEY, v text, s varchar(9) DEFAULT 'new') WITH (plain)");
            statement.execute("CREATE TABLE coded (id int PRIMARY KEY, v varchar(3)) WITH (plain)");
        }
        try (Sequences sequences = Sequences.open(elsewhere, CONFIG)) {
            sequences.create(SequenceSpec.of("keyspace_it.orders", IdentityType.INT, 1, 1));
            sequences.registerIdentity(new IdentityColumn(RULED, "orders", "id", "keyspace_it.orders"));
            for (String table : List.of("item", "line")) {
                elsewhere.execute("ALTER TABLE " + RULED + "." + table + " ADD cassidy_tx blob");
                InternalAccess.tables(sequences)
                        .declareWrites(new TableWrites(RULED, table, "dc1", null, false), Duration.ZERO, () -> {});
            }
        }
        plain = connect();
        session = IdentitySession.wrap(plain, CONFIG);
    }

    private static Connection jdbc(String keyspace) throws SQLException {
        EmbeddedCassandra node = SharedNode.get();
        return DriverManager.getConnection("jdbc:cassidy://" + node.host() + ":" + node.port() + "/" + keyspace
                + "?localDatacenter=dc1&requestTimeout=1m&connectTimeout=1m&writes=plain&globalKeyspace="
                + CONFIG.globalKeyspace());
    }

    private static CqlSession connect() {
        return connect(true);
    }

    private static CqlSession connect(boolean metadata) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, metadata)
                        .build())
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
        elsewhere.close();
    }

    /** What a table of {@link #RULED} refuses, or fills in. */
    enum Guard {
        IDENTITY("INSERT INTO orders (id, v) VALUES (%s, %s)", IdentityInsertException.class),
        MODE("UPDATE item SET v = %2$s WHERE id = %1$s", WriteModeException.class),
        MODE_OF_INSERT("INSERT INTO item (id, v) VALUES (%s, %s)", WriteModeException.class),
        DEFAULT("INSERT INTO state (id, v) VALUES (%s, %s)", IdentityInsertException.class),
        RULE("UPDATE coded SET v = %2$s WHERE id = %1$s", ColumnValueException.class),
        OWN_TABLE("DELETE FROM reserve WHERE stripe = %s AND seq = %s", OwnKeyspaceException.class);

        private final String cql;
        private final Class<? extends Throwable> refusal;

        Guard(String cql, Class<? extends Throwable> refusal) {
            this.cql = cql;
            this.refusal = refusal;
        }

        String guarded() {
            return this == OWN_TABLE ? OWN : RULED;
        }

        String table() {
            return cql.replaceFirst("(INSERT INTO|UPDATE|DELETE FROM) ", "").replaceFirst(" .*", "");
        }
    }

    /** How the server learns the keyspace. What is in use when a statement is sent is the other one, unless it decides. */
    enum Way {
        SESSION {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(keyspace);
                return SimpleStatement.newInstance(cql, values.toArray());
            }
        },
        STATEMENT {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return SimpleStatement.newInstance(cql, values.toArray()).setKeyspace(keyspace);
            }
        },
        PREPARED {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(keyspace);
                return session.prepare(cql).bind(values.toArray());
            }
        },
        PREPARED_BEFORE_USE {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(keyspace);
                PreparedStatement prepared = session.prepare(cql);
                use(other);
                return prepared.bind(values.toArray());
            }
        },
        PREPARED_IN {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return session.prepare(SimpleStatement.newInstance(cql).setKeyspace(keyspace))
                        .bind(values.toArray());
            }
        },
        PREPARED_ELSEWHERE {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return preparedElsewhere(cql, keyspace).bind(values.toArray());
            }
        },
        /**
         * The driver keeps what it prepared by the text alone, and gives it out after USE too. It keeps it weakly: where the
         * garbage collector came in between, another text is tried.
         */
        PREPARED_TWICE {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                PreparedStatement first;
                PreparedStatement prepared;
                String text = cql;
                do {
                    text += " ";
                    use(keyspace);
                    first = plain.prepare(text);
                    use(other);
                    prepared = session.prepare(text);
                } while (!prepared.getId().equals(first.getId()));
                return prepared.bind(values.toArray());
            }
        },
        BATCH {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return BatchStatement.newInstance(
                                DefaultBatchType.UNLOGGED,
                                harmless(),
                                SimpleStatement.newInstance(cql, values.toArray()))
                        .setKeyspace(keyspace);
            }
        },
        /** The driver takes it from the first child that names one. */
        BATCH_BY_A_CHILD {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return BatchStatement.newInstance(
                        DefaultBatchType.UNLOGGED,
                        SimpleStatement.newInstance(harmless().getQuery()).setKeyspace(keyspace),
                        SimpleStatement.newInstance(cql, values.toArray()));
            }
        },
        BATCH_OF_PREPARED {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return BatchStatement.newInstance(DefaultBatchType.UNLOGGED, harmless(), (BatchableStatement<?>)
                        preparedElsewhere(cql, keyspace).bind(values.toArray()));
            }
        },
        /** The keyspace of the batch is for its simple statements alone. */
        BATCH_IN_ANOTHER_OF_PREPARED {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return BatchStatement.newInstance(DefaultBatchType.UNLOGGED, (BatchableStatement<?>)
                                preparedElsewhere(cql, keyspace).bind(values.toArray()))
                        .setKeyspace(other);
            }
        },
        /** The first variable is of a table of another keyspace. */
        BATCH_TEXT_AFTER_QUALIFIED {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return preparedElsewhere(
                                "BEGIN UNLOGGED BATCH INSERT INTO " + FREE + ".line (o, id, v) VALUES (?, 1, 'x'); "
                                        + cql + "; APPLY BATCH",
                                keyspace)
                        .bind(with(1, values));
            }
        },
        /** The first variable is of a table with the same name in the other keyspace. */
        BATCH_TEXT_AFTER_NAMESAKE {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return preparedElsewhere(
                                "BEGIN UNLOGGED BATCH " + namesake(cql) + "; " + cql + "; APPLY BATCH", keyspace)
                        .bind(with(1, values));
            }
        },
        /** The first variable is of no table. */
        BATCH_TEXT_WITH_TIMESTAMP {
            @Override
            Statement<?> statement(String cql, List<Object> values, String keyspace, String other) {
                use(other);
                return preparedElsewhere("BEGIN UNLOGGED BATCH USING TIMESTAMP ? " + cql + "; APPLY BATCH", keyspace)
                        .bind(with(System.currentTimeMillis() * 1000, values));
            }
        };

        abstract Statement<?> statement(String cql, List<Object> values, String keyspace, String other);

        boolean isBatchText() {
            return name().startsWith("BATCH_TEXT");
        }
    }

    private static void use(String keyspace) {
        session.execute("USE " + keyspace);
    }

    private static PreparedStatement preparedElsewhere(String cql, String keyspace) {
        elsewhere.execute("USE " + keyspace);
        return elsewhere.prepare(cql);
    }

    private static SimpleStatement harmless() {
        return SimpleStatement.newInstance("INSERT INTO " + FREE + ".line (o, id, v) VALUES (1, 1, 'x')");
    }

    private static String namesake(String cql) {
        String table = cql.replaceFirst("(INSERT INTO|UPDATE|DELETE FROM) ", "").replaceFirst(" .*", "");
        return table.equals("reserve")
                ? "DELETE FROM " + FREE + ".reserve WHERE seq = 'none' AND stripe = ?"
                : "DELETE FROM " + FREE + "." + table + " WHERE id = ?";
    }

    private static Object[] with(Object first, List<Object> values) {
        return Stream.concat(Stream.of(first), values.stream()).toArray();
    }

    /** @param variables whether the statement has its values as variables */
    record Case(Way way, Guard guard, boolean variables, boolean guarded) {

        @Override
        public String toString() {
            return way + " of " + guard + (variables ? " with variables" : " with literals")
                    + (guarded ? " in the keyspace with rules" : " in the free keyspace");
        }
    }

    static Stream<Case> cases() {
        return Arrays.stream(Way.values())
                .flatMap(way -> Arrays.stream(Guard.values())
                        .flatMap(guard -> Stream.of(true, false).flatMap(variables -> Stream.of(true, false)
                                .map(guarded -> new Case(way, guard, variables, guarded)))))
                // Rules are not kept within the text of BEGIN BATCH.
                .filter(each -> !(each.way.isBatchText() && each.guard == Guard.RULE))
                // A default or the mark is filled in before the driver is asked, so its request is another one.
                .filter(each -> !(each.way == Way.PREPARED_TWICE
                        && (each.guard == Guard.DEFAULT || each.guard == Guard.MODE_OF_INSERT)))
                // Refused when it is prepared again, as a statement of the session's keyspace.
                .filter(each -> !(each.way == Way.PREPARED_TWICE && each.guard == Guard.OWN_TABLE && !each.guarded));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldJudgeAStatementInTheKeyspaceThatTheServerWritesTo(Case given) {
        int id = ++last;
        String keyspace = given.guarded ? given.guard.guarded() : FREE;
        String other = given.guarded ? FREE : given.guard.guarded();
        // The driver prepares a text once, in whatever keyspace that is.
        String cql = (given.variables ? given.guard.cql.formatted("?", "?") : given.guard.cql.formatted(id, "'long'"))
                + " /* " + id + " */";
        List<Object> values = !given.variables
                ? List.of()
                : given.guard.cql.indexOf("%2$s") >= 0 ? List.of("long", id) : List.of(id, "long");
        if (given.guard == Guard.OWN_TABLE) {
            // A row to delete, so that it is seen whether it was.
            elsewhere.execute("INSERT INTO " + FREE + ".reserve (seq, stripe, next) VALUES ('long', " + id + ", 1)");
        }

        Throwable failure = catchThrowable(() -> session.execute(given.way.statement(cql, values, keyspace, other)));

        boolean filled = given.guard == Guard.DEFAULT && !given.way.isBatchText();
        if (given.guarded && !filled) {
            assertThat(failure).isInstanceOf(given.guard.refusal);
            assertThat(row(keyspace, given.guard, id)).isNull();
        } else {
            assertThat(failure).isNull();
            Row row = row(keyspace, given.guard, id);
            if (given.guard == Guard.OWN_TABLE) {
                assertThat(row).isNull();
            } else {
                assertThat(row).isNotNull();
            }
            if (given.guard == Guard.DEFAULT) {
                assertThat(row.getString("s")).isEqualTo(given.guarded ? "new" : null);
            }
        }
    }

    private static @Nullable Row row(String keyspace, Guard guard, int id) {
        return elsewhere
                .execute(
                        guard == Guard.OWN_TABLE
                                ? SimpleStatement.newInstance(
                                        "SELECT * FROM " + keyspace + ".reserve WHERE seq = 'long' AND stripe = " + id)
                                : SimpleStatement.newInstance(
                                        "SELECT * FROM " + keyspace + "." + guard.table() + " WHERE id = " + id))
                .one();
    }

    enum Prepared {
        BY_THIS_SESSION,
        BY_ANOTHER,
        NOT
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeABatchOfAnExactTableOnlyIfEachChildHasACondition(Prepared prepared) {
        int o = ++last;
        use(FREE);
        BatchStatement batch = BatchStatement.newInstance(
                DefaultBatchType.UNLOGGED,
                line(prepared, "INSERT INTO line (o, id, v) VALUES (" + o + ", 1, 'a') IF NOT EXISTS"),
                line(prepared, "INSERT INTO line (o, id, v) VALUES (" + o + ", 2, 'b') IF NOT EXISTS"));

        assertThat(session.execute(batch.setKeyspace(RULED)).wasApplied()).isTrue();
        assertThat(elsewhere
                        .execute("SELECT v FROM " + RULED + ".line WHERE o = " + o)
                        .all())
                .hasSize(2);

        BatchStatement plainly = BatchStatement.newInstance(
                DefaultBatchType.UNLOGGED,
                line(prepared, "INSERT INTO line (o, id, v) VALUES (" + o + ", 3, 'a')"),
                line(prepared, "INSERT INTO line (o, id, v) VALUES (" + o + ", 4, 'b') IF NOT EXISTS"));
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute(plainly.setKeyspace(RULED)));
    }

    private static BatchableStatement<?> line(Prepared prepared, String cql) {
        return switch (prepared) {
            case BY_THIS_SESSION ->
                session.prepare(SimpleStatement.newInstance(cql).setKeyspace(RULED))
                        .bind();
            case BY_ANOTHER -> preparedElsewhere(cql, RULED).bind();
            case NOT -> SimpleStatement.newInstance(cql);
        };
    }

    /** What was prepared for a table in one keyspace takes its ids from that table's sequence, also if USE came first. */
    @Test
    void shouldFillTheIdOfTheTableThatItWasPreparedFor() {
        use(RULED);
        PreparedStatement prepared = session.prepare("INSERT INTO orders (v) VALUES (?)");
        use(FREE);

        long id =
                GeneratedKeys.of(session.execute(prepared.bind("filled"))).ids().get(0);

        assertThat(elsewhere
                        .execute("SELECT v FROM " + RULED + ".orders WHERE id = " + id)
                        .one()
                        .getString(0))
                .isEqualTo("filled");
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(() -> session.prepare("INSERT INTO orders (v) VALUES (?)"))
                .withMessageContaining(FREE + ".orders");
    }

    /** Without the names of the keyspaces only variables tell where a statement was prepared. */
    @Test
    void shouldRefuseWhatWasPreparedInAKeyspaceThatNothingShows() {
        try (CqlSession blind = connect(false)) {
            IdentitySession identities = IdentitySession.wrap(blind, CONFIG);
            int id = ++last;

            assertThatExceptionOfType(OwnKeyspaceException.class)
                    .isThrownBy(
                            () -> identities.execute(preparedElsewhere("UPDATE item SET v = 'x' WHERE id = " + id, FREE)
                                    .bind()))
                    .withMessageContaining("UPDATE item, prepared in an unknown keyspace; qualify the name");
            identities.execute(preparedElsewhere("UPDATE item SET v = 'x' WHERE id = ?", FREE)
                    .bind(id));
            identities.execute(preparedElsewhere("UPDATE " + FREE + ".item SET v = 'y' WHERE id = " + id, FREE)
                    .bind());
            blind.execute("USE " + FREE);
            identities.execute(preparedElsewhere("UPDATE item SET v = 'z' WHERE id = " + id, FREE)
                    .bind());
            assertThatExceptionOfType(WriteModeException.class)
                    .isThrownBy(() -> identities.execute(
                            preparedElsewhere("UPDATE item SET v = 'x' WHERE id = ? /* ruled */", RULED)
                                    .bind(id)));
        }
    }

    /** A connection's catalog and schema decide, whenever its statements were made. */
    @Test
    void shouldJudgeByTheKeyspaceOfTheConnection() throws SQLException {
        try (Connection connection = jdbc(FREE);
                java.sql.PreparedStatement update =
                        connection.prepareStatement("UPDATE coded SET v = ? WHERE id = ?")) {
            int free = ++last;
            update.setString(1, "long");
            update.setInt(2, free);
            update.executeUpdate();
            int ruled = ++last;
            connection.setSchema(RULED);
            update.setString(1, "long");
            update.setInt(2, ruled);

            assertThat(catchThrowable(update::executeUpdate)).isInstanceOf(SQLException.class);
            assertThat(row(FREE, Guard.RULE, free)).isNotNull();
            assertThat(row(FREE, Guard.RULE, ruled)).isNull();
            assertThat(row(RULED, Guard.RULE, ruled)).isNull();
        }
    }
}
