package dev.cassidy.migration.plan;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides where a sequence must continue: {@code high water + increment}, where the high water is the furthest, in the
 * increment's direction, of the source's last value, the furthest id in the table and the user's floor.
 *
 * <p>One of these alone would not be enough. Failed inserts and deleted rows leave ids that only the last value
 * remembers; a RESEED, a replication or a bulk load leaves ids that only the table remembers.
 */
public final class SeedRule {

    /** A maximum in the last hundredth of its type counts as the end of the type, see {@link #wrapped}. */
    private static final BigInteger PARTS_OF_TYPE = BigInteger.valueOf(100);

    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
    private static final BigInteger MAX_IDS = BigInteger.valueOf(Long.MAX_VALUE);

    private SeedRule() {}

    /**
     * Decides for one column.
     *
     * @param floor the furthest id that the user says was used, or null
     * @param acceptEmpty whether an empty table may count as never used
     */
    public static Seed decide(Reading reading, @Nullable BigInteger floor, boolean acceptEmpty) {
        SourceColumn column = reading.column();
        Optional<IdentityType> type = targetType(column);
        if (type.isEmpty()) {
            return new Seed.Refused(column.typeText() + " of " + describe(column)
                    + " can exceed Cassandra's 64-bit bigint: register it yourself (cassidy ids register --type"
                    + " bigint --start n)"
                    + " if its ids never will, and --exclude " + column.qualifiedTable() + " here");
        }
        if (column.cycles()) {
            return new Seed.Refused(
                    describe(column) + " begins anew after its last id (CYCLE), so its ids are not unique:"
                            + " no sequence of Cassidy issues an id twice. Alter it to NO CYCLE, or --exclude "
                            + column.qualifiedTable());
        }
        if (column.increment().bitLength() > 63) {
            return new Seed.Refused("increment=" + column.increment() + " of " + describe(column)
                    + " does not fit 64 bits; --exclude " + column.qualifiedTable());
        }
        if (!reading.unread().isEmpty() && (floor == null || cannotBeGiven(reading))) {
            return new Seed.Refused(unread(reading));
        }
        if (reading.empty() && floor == null && !acceptEmpty) {
            return new Seed.Refused(column.qualifiedTable() + " has no rows and no last value: never used, or "
                    + (column.isSequence() ? "restarted" : "truncated")
                    + " after ids were used; the two look the same. Give --floor " + column.qualifiedTable()
                    + "=n, where n is the " + (ascending(column) ? "highest" : "lowest")
                    + " id ever used, or --accept-empty if it never was");
        }
        return wrapped(column, reading.furthest(), reading.lastValue())
                ? afterWrap(reading, floor, type.get())
                : afterHighWater(reading, floor, type.get());
    }

    /** Whether no floor can stand in for a maximum: a fence needs a witness, and of wrapped ids it needs both ends. */
    private static boolean cannotBeGiven(Reading reading) {
        BigInteger lastValue = reading.lastValue();
        return reading.fence() != null
                || (lastValue != null
                        && reading.column().beyond(reading.column().seed(), lastValue));
    }

    private static String unread(Reading reading) {
        String table = reading.column().qualifiedTable();
        String what = (ascending(reading.column()) ? "MAX" : "MIN") + " was not read of "
                + reading.unread().stream().map(String::valueOf).collect(Collectors.joining(", "))
                + ": no index begins with the column, and --max-scan allows no scan of so many rows";
        if (reading.fence() != null) {
            return what + ". Whether rows lie beyond the fence of " + describe(reading.column())
                    + " is then not known: give --max-scan always, or create an index";
        }
        return cannotBeGiven(reading)
                ? what + ". The last value " + reading.lastValue() + " of " + describe(reading.column())
                        + " lies behind its seed, so its ids may have wrapped: give --max-scan always, or create an index"
                : what
                        + ". Give --max-scan always at a quiet hour, or create an index, or read it elsewhere, for example"
                        + " on a replica, and give --floor " + table + "=n";
    }

    /**
     * Returns whether the column used up its type and was reseeded behind its seed, to use the other half: the table
     * then ends near the type's bound while the last value lies behind the seed. MAX + increment would mean exhausted.
     */
    public static boolean wrapped(SourceColumn column, @Nullable BigInteger furthest, @Nullable BigInteger lastValue) {
        Optional<IdentityType> type = targetType(column);
        if (type.isEmpty() || furthest == null || lastValue == null || !column.beyond(column.seed(), lastValue)) {
            return false;
        }
        BigInteger end = sourceBound(column, type.get());
        BigInteger left = end.subtract(furthest).abs();
        BigInteger all = end.subtract(column.seed()).abs();
        return left.multiply(PARTS_OF_TYPE).compareTo(all) < 0;
    }

    /** Returns the type that takes the column's ids in Cassandra, whose own tinyint is signed; empty if none does. */
    public static Optional<IdentityType> targetType(SourceColumn column) {
        return switch (column.type().toLowerCase(Locale.ROOT)) {
            case "tinyint", "tinyint unsigned", "smallint" -> Optional.of(IdentityType.SMALLINT);
            case "smallint unsigned", "mediumint", "mediumint unsigned", "int" -> Optional.of(IdentityType.INT);
            // Ids in the upper half of an unsigned bigint are refused when they are reached.
            case "int unsigned", "bigint", "bigint unsigned" -> Optional.of(IdentityType.BIGINT);
            case "decimal", "numeric" ->
                column.precision() <= 18 && column.scale() == 0 ? Optional.of(IdentityType.BIGINT) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Seed afterHighWater(Reading reading, @Nullable BigInteger floor, IdentityType type) {
        SourceColumn column = reading.column();
        List<String> warnings = new ArrayList<>();
        BigInteger furthest = reading.furthest();
        BigInteger lastValue = reading.lastValue();

        BigInteger highWater = lastValue;
        Seed.Basis basis = reading.fence() == null ? Seed.Basis.LAST_VALUE : Seed.Basis.FENCE;
        if (furthest != null && (highWater == null || column.beyond(furthest, highWater))) {
            warnings.add("last_value=" + lastValue + " lies behind " + (ascending(column) ? "MAX(" : "MIN(")
                    + (column.isSequence() ? "its columns" : column.column()) + ")=" + furthest
                    + ": a RESEED, replication or bulk load; the table decides");
            highWater = furthest;
            basis = Seed.Basis.MAXIMUM;
        }
        for (Reading.Elsewhere other : reading.elsewhere()) {
            if (highWater == null || column.beyond(other.furthest(), highWater)) {
                warnings.add("id " + other.furthest() + " in " + other.where() + " lies beyond all that "
                        + column.qualifiedTable() + " has and remembers: rows were deleted, and it was reseeded or"
                        + " truncated; " + other.where() + " decides");
                highWater = other.furthest();
                basis = Seed.Basis.ELSEWHERE;
            }
        }
        if (floor != null && (highWater == null || column.beyond(floor, highWater))) {
            highWater = floor;
            basis = Seed.Basis.FLOOR;
        }
        if (!reading.unread().isEmpty()) {
            warnings.add("the floor " + floor + " stands in for what was not read: "
                    + reading.unread().stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        BigInteger next = highWater == null ? column.seed() : highWater.add(column.increment());
        // A source that never generated an id would begin at its seed, not after it.
        if (lastValue == null && (highWater == null || column.beyond(column.seed(), next))) {
            next = column.seed();
            basis = Seed.Basis.SEED;
        }
        if (reading.empty() && floor == null) {
            warnings.add("accepted as never used: starts at its seed " + column.seed()
                    + "; if ids were used and truncated, or it was reseeded, give --floor instead");
        }
        return next(column, type, next, typeBound(column, type), basis, warnings);
    }

    private static Seed afterWrap(Reading reading, @Nullable BigInteger floor, IdentityType type) {
        SourceColumn column = reading.column();
        BigInteger lastValue = reading.lastValue();
        BigInteger ahead = reading.ahead();
        if (lastValue == null || ahead == null) {
            throw new IllegalStateException("a wrapped column is read with the next id ahead: " + reading);
        }
        BigInteger highWater = floor != null && column.beyond(floor, lastValue) ? floor : lastValue;
        for (Reading.Elsewhere other : reading.elsewhere()) {
            // Beyond the next existing id are ids from before the wrap.
            if (column.beyond(other.furthest(), highWater) && column.beyond(ahead, other.furthest())) {
                highWater = other.furthest();
            }
        }
        // Rows at the seed may be deleted: their ids were used all the same, before the wrap.
        BigInteger old = column.beyond(ahead, column.seed()) ? column.seed() : ahead;
        BigInteger limit = old.subtract(BigInteger.valueOf(column.increment().signum()));
        return next(
                column,
                type,
                highWater.add(column.increment()),
                limit,
                Seed.Basis.WRAPPED,
                List.of("ids wrapped: furthest=" + reading.furthest() + ", last_value=" + lastValue
                        + "; ends before " + old + ", the seed or the next existing id,"
                        + " and rows beyond it cannot be copied through an identity-filling session"));
    }

    private static Seed next(
            SourceColumn column,
            IdentityType type,
            BigInteger next,
            BigInteger limit,
            Seed.Basis basis,
            List<String> warnings) {
        if (outside(next, type) || column.beyond(next, limit)) {
            return new Seed.Refused("the next id " + next + " of " + describe(column) + " exceeds the limit " + limit
                    + " of its target type " + type.name().toLowerCase(Locale.ROOT) + ": no id is left. --exclude "
                    + column.qualifiedTable()
                    + " and register a wider sequence (cassidy ids register --type bigint --start "
                    + next + ")");
        }
        BigInteger increment = column.increment();
        boolean onGrid = !outside(column.seed(), type)
                && !column.beyond(column.seed(), next)
                && next.subtract(column.seed()).mod(increment.abs()).signum() == 0;
        BigInteger start =
                onGrid && idsBetween(column.seed(), limit, increment).compareTo(MAX_IDS) <= 0 ? column.seed() : next;
        // A sequence counts its ids in 63 bits; from the far half of bigint it ends sooner than its type does.
        BigInteger countable = start.add(increment.multiply(MAX_IDS.subtract(BigInteger.ONE)));
        BigInteger end = column.beyond(limit, countable) ? countable : limit;
        return new Seed.Next(
                type,
                start.longValueExact(),
                increment.longValueExact(),
                next.longValueExact(),
                end.longValueExact(),
                percentLeft(column, type, next, end),
                basis,
                warnings);
    }

    /** Of all ids between the source's seed and the end of the target's type; of a wrapped column, from here on. */
    private static BigDecimal percentLeft(SourceColumn column, IdentityType type, BigInteger next, BigInteger limit) {
        BigInteger first = outside(column.seed(), type) || column.beyond(column.seed(), next) ? next : column.seed();
        return new BigDecimal(idsBetween(next, limit, column.increment()))
                .multiply(HUNDRED)
                .divide(
                        new BigDecimal(idsBetween(first, typeBound(column, type), column.increment())),
                        1,
                        RoundingMode.DOWN);
    }

    private static BigInteger idsBetween(BigInteger first, BigInteger limit, BigInteger increment) {
        return limit.subtract(first).divide(increment).add(BigInteger.ONE);
    }

    private static boolean outside(BigInteger id, IdentityType type) {
        return id.compareTo(BigInteger.valueOf(type.lowest())) < 0
                || id.compareTo(BigInteger.valueOf(type.highest())) > 0;
    }

    private static BigInteger typeBound(SourceColumn column, IdentityType type) {
        return BigInteger.valueOf(ascending(column) ? type.highest() : type.lowest());
    }

    static BigInteger sourceBound(SourceColumn column, IdentityType type) {
        return switch (column.type().toLowerCase(Locale.ROOT)) {
            case "tinyint" -> BigInteger.valueOf(ascending(column) ? 255 : 0);
            case "decimal", "numeric" -> {
                BigInteger most = BigInteger.TEN.pow(column.precision()).subtract(BigInteger.ONE);
                yield ascending(column) ? most : most.negate();
            }
            default -> typeBound(column, type);
        };
    }

    private static boolean ascending(SourceColumn column) {
        return column.increment().signum() > 0;
    }

    private static String describe(SourceColumn column) {
        return column.name();
    }

    /** Returns the first id at or beyond {@code next} that {@code existing} can issue. */
    public static BigInteger onGridOf(SequenceSpec existing, long next) {
        return BigInteger.valueOf(existing.start())
                .add(existing.ordinalOf(next).multiply(BigInteger.valueOf(existing.increment())));
    }
}
