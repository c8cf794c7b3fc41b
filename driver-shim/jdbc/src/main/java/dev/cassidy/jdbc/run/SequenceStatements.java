package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.DeclaredIdentity;
import dev.cassidy.tsql.NumericType;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * SQL Server's statements about sequences. A sequence {@code s} or {@code dbo.s} is Cassidy's {@code keyspace.s},
 * because tables and their sequences share names; {@code other.s} is {@code other.s}.
 */
record SequenceStatements(IdentitySession session, Consumer<SQLWarning> warnings) {

    private Sequences sequences() {
        return session.sequences();
    }

    private ProvenChanges changes() {
        return new ProvenChanges(session);
    }

    /** Returns the keyspace of a name that may have none. */
    static String keyspace(CqlSession session, @Nullable String named) throws SQLException {
        if (named != null) {
            return named;
        }
        return session.getKeyspace()
                .map(CqlIdentifier::asInternal)
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "No keyspace is given: name it in the URL, or write keyspace.name", SqlStates.NO_KEYSPACE));
    }

    String name(CqlInsert.Table sequence) throws SQLException {
        return keyspace(session, sequence.keyspace()) + "." + sequence.name();
    }

    /** Draws the next value, for a row. */
    long next(CqlInsert.Table sequence) throws SQLException {
        return sequences().allocator(name(sequence)).nextLong();
    }

    DataType type(CqlInsert.Table sequence) throws SQLException {
        SequenceState state = InternalAccess.localStateAsync(sequences(), name(sequence))
                .toCompletableFuture()
                .join();
        return switch (state.spec().type()) {
            case SMALLINT -> DataTypes.SMALLINT;
            case INT -> DataTypes.INT;
            case BIGINT -> DataTypes.BIGINT;
        };
    }

    Cursor next(TsqlStep.NextValue step) throws SQLException {
        Column column = Column.of(step.label(), type(step.sequence()));
        try {
            long next = InternalAccess.nextShown(sequences(), name(step.sequence()));
            Object value = new ToCql(Temporals.zone(null), ignored -> {}).convert(next, column.type());
            return new Cursor.Keys(column, List.of(List.of(value)));
        } catch (ConversionException e) {
            throw e.in("the next value of sequence " + name(step.sequence()));
        }
    }

    void create(TsqlStep.CreateSequence step, UserRights.Proof proof) throws SQLException {
        SequenceSpec spec = spec(step);
        Optional<SequenceState> known = sequences().admin().find(spec.name());
        if (known.isPresent() && !known.get().dropped()) {
            throw SqlServerErrors.exists("There is already a sequence named '" + spec.name() + "': "
                    + known.get().spec());
        }
        changes().createSequence(proof, known.isPresent() ? continued(spec, known.get()) : spec);
    }

    /**
     * A sequence that was dropped and is created again continues past all that it was granted, as that of a table does. Where it
     * cannot, it is left as it was asked for, and refused with the reason.
     */
    private SequenceSpec continued(SequenceSpec wanted, SequenceState dropped) {
        SequenceSpec before = dropped.spec();
        boolean sameDirection = Long.signum(wanted.increment()) == Long.signum(before.increment());
        if (dropped.next().isEmpty() || before.order() == Order.TIME || !sameDirection) {
            return wanted;
        }
        BigInteger increment = BigInteger.valueOf(wanted.increment());
        BigInteger[] steps = BigInteger.valueOf(dropped.next().getAsLong())
                .subtract(BigInteger.valueOf(wanted.start()))
                .divideAndRemainder(increment);
        BigInteger whole = steps[1].signum() == 0 ? steps[0] : steps[0].add(BigInteger.ONE);
        if (whole.signum() <= 0) {
            return wanted;
        }
        BigInteger start = BigInteger.valueOf(wanted.start()).add(whole.multiply(increment));
        if (start.compareTo(BigInteger.valueOf(wanted.maximum())) > 0
                || start.compareTo(BigInteger.valueOf(wanted.minimum())) < 0) {
            return wanted;
        }
        warnings.accept(Warnings.general("Sequence " + wanted.name() + " continues at " + start + " instead of "
                + wanted.start() + ", because it was dropped, and ids are never issued a second time"));
        return new SequenceSpec(
                wanted.name(),
                wanted.type(),
                start.longValueExact(),
                wanted.increment(),
                wanted.minimum(),
                wanted.maximum());
    }

    /**
     * Creates the sequence of a table that is about to be created, or checks the one that it had. The table must not exist: the
     * sequence would not be seeded past the ids of its rows.
     *
     * @return the identity that the table is to be declared with
     */
    IdentityColumn createIdentity(
            TsqlStep.CreateTable step, DeclaredIdentity wanted, UserRights rights, UserRights.Proof proof)
            throws SQLException {
        String keyspace = keyspace(session, step.table().keyspace());
        String name = step.table().name();
        String table = keyspace + "." + name;
        Optional<Identity> registered =
                session.catalog().find(keyspace, name).toCompletableFuture().join();
        boolean ofATableThatWas = InternalAccess.tables(sequences())
                .cachedDefinition(keyspace, name)
                .isPresent();
        if (registered.isPresent() && !registered.get().column().equals(wanted.column()) && !ofATableThatWas) {
            throw new SQLSyntaxErrorException(
                    "Table " + table + " is registered with the identity column "
                            + registered.get().column() + ", and its ids are never issued a second time: make it that"
                            + " column instead of " + wanted.column() + ", or give the table another name",
                    SqlStates.SYNTAX_OR_RULE);
        }
        String sequence = registered.map(Identity::sequence).orElse(table);
        IdentityColumn column = new IdentityColumn(keyspace, name, wanted.column(), sequence);
        Optional<SequenceState> known = sequences().admin().find(sequence);
        if (known.isPresent() && !known.get().dropped()) {
            requireSame(known.get().spec(), wanted, table);
            if (registered.isEmpty() && !isUnused(known.get())) {
                // Somebody's, who uses it without a table: the new table's owner could restart it, and nobody could
                // drop it.
                rights.toRestartSequence(keyspace, name, identities(sequence));
            }
        } else {
            changes().createSequenceOf(proof, column, spec(sequence, wanted.type(), wanted.seed(), wanted.increment()));
        }
        return column;
    }

    private static boolean isUnused(SequenceState state) {
        return state.next().isPresent()
                && state.next().getAsLong() == state.spec().start();
    }

    private static void requireSame(SequenceSpec stored, DeclaredIdentity wanted, String table) throws SQLException {
        boolean same = stored.order() != Order.TIME
                && stored.type() == type(wanted.type())
                && stored.start() == wanted.seed()
                && stored.increment() == wanted.increment();
        if (!same) {
            throw new SQLSyntaxErrorException(
                    "IDENTITY(" + wanted.seed() + "," + wanted.increment() + ") of " + wanted.type() + " column "
                            + wanted.column() + " of table " + table + " contradicts sequence " + stored.name()
                            + ", which exists and continues, because ids are never issued a second time: IDENTITY("
                            + stored.start() + "," + stored.increment() + ") of " + stored.type()
                            + (stored.order() == Order.TIME ? " in order of time" : "")
                            + ". Use that definition, or give the table another name",
                    SqlStates.SYNTAX_OR_RULE);
        }
    }

    private static IdentityType type(NumericType type) {
        return switch (type) {
            case SMALLINT -> IdentityType.SMALLINT;
            case INT -> IdentityType.INT;
            case BIGINT, NUMERIC -> IdentityType.BIGINT;
        };
    }

    private static SequenceSpec spec(String name, NumericType type, long start, long increment) throws SQLException {
        try {
            return SequenceSpec.of(name, type(type), start, increment);
        } catch (IllegalArgumentException e) {
            throw new SQLSyntaxErrorException("The sequence " + e.getMessage(), SqlStates.SYNTAX_OR_RULE, e);
        }
    }

    private SequenceSpec spec(TsqlStep.CreateSequence step) throws SQLException {
        String name = name(step.sequence());
        IdentityType type = type(step.type());
        Long minimum = step.minimum();
        Long maximum = step.maximum();
        long lowest = step.increment() < 0 ? type.lowest() : step.start();
        long highest = step.increment() < 0 ? step.start() : type.highest();
        if (step.start() == 0 && step.increment() == 1 && (maximum == null ? highest : maximum) == Long.MAX_VALUE) {
            // Spring Batch's: 2^63 ids, one more than can be counted.
            maximum = Long.MAX_VALUE - 1;
            warnings.accept(Warnings.general("Sequence " + name + " ends at " + maximum + ", one before its MAXVALUE"));
        }
        try {
            return new SequenceSpec(
                    name,
                    type,
                    step.start(),
                    step.increment(),
                    minimum == null ? lowest : minimum,
                    maximum == null ? highest : maximum);
        } catch (IllegalArgumentException e) {
            throw new SQLSyntaxErrorException("CREATE SEQUENCE: " + e.getMessage(), SqlStates.SYNTAX_OR_RULE, e);
        }
    }

    private SequenceState restart(String name, long next, Set<String> raised, UserRights.Proof proof)
            throws SQLException {
        if (!raised.add(name)) {
            throw restartedTwice(name);
        }
        return changes().restartSequence(proof, name, next);
    }

    /** Several small raises in one script would use up what a large one may not. */
    static SQLException restartedTwice(String sequence) {
        return Unserved.feature(
                "A script restarts sequence " + sequence + " more than once: the last restart alone does the same");
    }

    void restart(TsqlStep.RestartSequence step, Set<String> raised, UserRights.Proof proof) throws SQLException {
        restart(name(step.sequence()), step.next(), raised, proof);
    }

    /** Returns the identity columns that take their ids from a sequence. */
    List<IdentityColumn> identities(String name) {
        return InternalAccess.tables(sequences()).identities().stream()
                .filter(column -> column.sequence().equals(name))
                .toList();
    }

    /** Returns the defaults that draw from a sequence, also those of tables that were dropped since. */
    private List<ColumnDefault> drawing(String name) {
        return InternalAccess.tables(sequences()).contracts().stream()
                .flatMap(contract -> contract.defaults().stream())
                .filter(each -> each.kind() == ColumnDefault.Kind.NEXT_VALUE
                        && each.value().equals(name))
                .toList();
    }

    void drop(TsqlStep.DropSequence step, StoredTables tables, UserRights.Proof proof) throws SQLException {
        String name = name(step.sequence());
        Optional<SequenceState> known = sequences().admin().find(name);
        if (known.isEmpty() && step.ifExists()) {
            return;
        }
        List<IdentityColumn> registered = identities(name);
        if (!registered.isEmpty()) {
            IdentityColumn column = registered.get(0);
            throw SqlServerErrors.rule(
                    3729,
                    "Cannot DROP SEQUENCE '" + name + "': column " + column.column() + " of table " + column.keyspace()
                            + "." + column.table() + " takes its ids from it, and a table's ids are never issued a"
                            + " second time");
        }
        for (ColumnDefault each : drawing(name)) {
            if (tables.id(each.keyspace(), each.table()).isPresent()) {
                throw SqlServerErrors.rule(
                        3729,
                        "Cannot DROP SEQUENCE '" + name + "' because it is being referenced by object '" + each.name()
                                + "': every INSERT that leaves out column " + each.column() + " of table "
                                + each.keyspace() + "." + each.table() + " draws from it. Drop the default first: ALTER"
                                + " TABLE " + each.table() + " DROP CONSTRAINT " + each.name());
            }
        }
        // Also if it was dropped already: run again after an error, this waits again until everybody has let go.
        changes().dropSequence(proof, name);
    }

    /** @param proof null if nothing is reseeded */
    void checkIdentity(
            TsqlStep.CheckIdentity step,
            Optional<Identity> identity,
            String table,
            Set<String> raised,
            UserRights.@Nullable Proof proof)
            throws SQLException {
        String sequence = identity.map(Identity::sequence)
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "Table " + table + " has no registered identity column: DBCC CHECKIDENT",
                        SqlStates.SYNTAX_OR_RULE));
        Long reseed = step.reseed();
        SequenceState state = sequences().admin().find(sequence).orElseThrow(() -> gone(sequence));
        if (reseed != null) {
            long next;
            try {
                next = Math.addExact(reseed, state.spec().increment());
            } catch (ArithmeticException e) {
                throw new SQLDataException(
                        "must fit 64 bits: RESEED " + reseed + " + "
                                + state.spec().increment(),
                        SqlStates.OUT_OF_RANGE,
                        e);
            }
            state = restart(sequence, next, raised, Objects.requireNonNull(proof));
        }
        if (!step.quiet()) {
            warnings.accept(Warnings.general("Checking identity information: of sequence " + sequence
                    + (state.next().isPresent()
                            ? " the ids from " + state.next().getAsLong() + " on have been granted to no datacenter"
                            : " every id has been granted")
                    + "; it is not known which one was issued last"));
        }
    }

    private static SQLException gone(String sequence) {
        return new SQLSyntaxErrorException(
                "Sequence " + sequence + " is registered but does not exist", SqlStates.SYNTAX_OR_RULE);
    }
}
