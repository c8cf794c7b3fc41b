package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.source.SourceColumn;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many ids a column used in a time, by its last values at both ends.
 *
 * @param used ids, also those of inserts that failed
 * @param perHour at this rate
 * @param lastsHours how long the ids of the target last at this rate; null if none were used, or no next id is given
 */
public record Sample(
        long seconds,
        BigInteger used,
        BigInteger perHour,
        @Nullable BigInteger lastsHours) {

    private static final BigInteger HOUR =
            BigInteger.valueOf(Duration.ofHours(1).toSeconds());
    private static final BigInteger YEAR =
            BigInteger.valueOf(Duration.ofDays(365).toHours());

    /** Compares two looks at the catalogue; empty if the column was reseeded backwards meanwhile, or is new. */
    static Optional<Sample> of(
            PlannedTable table,
            Map<SourceColumn, Optional<BigInteger>> before,
            Map<SourceColumn, Optional<BigInteger>> after,
            Duration time) {
        SourceColumn column = table.reading().column();
        Optional<BigInteger> from = before.get(column);
        Optional<BigInteger> to = after.get(column);
        if (from == null || to == null || (from.isPresent() && to.isEmpty())) {
            return Optional.empty();
        }
        BigInteger start = from.orElse(column.seed().subtract(column.increment()));
        BigInteger used = to.orElse(start).subtract(start).divide(column.increment());
        if (used.signum() < 0) {
            return Optional.empty();
        }
        BigInteger perHour = used.multiply(HOUR).divide(BigInteger.valueOf(time.toSeconds()));
        return Optional.of(new Sample(
                time.toSeconds(),
                used,
                perHour,
                perHour.signum() > 0 && table.seed() instanceof Seed.Next next
                        ? left(next).divide(perHour)
                        : null));
    }

    private static BigInteger left(Seed.Next next) {
        return BigInteger.valueOf(next.limit())
                .subtract(BigInteger.valueOf(next.next()))
                .divide(BigInteger.valueOf(next.increment()))
                .add(BigInteger.ONE);
    }

    Finding finding(SourceColumn column) {
        String rate =
                column.name() + " used " + used + " ids in " + seconds + " s, which is " + perHour + " in an hour";
        BigInteger lasts = lastsHours;
        if (lasts == null) {
            return Finding.info(rate);
        }
        return lasts.compareTo(YEAR) < 0
                ? Finding.warning(rate + ": what is left lasts " + lasts + " hours, less than a year. A wider type in"
                        + " Cassandra, with --map and a table of your own, lasts longer")
                : Finding.info(rate + ": what is left lasts about " + lasts.divide(YEAR) + " years");
    }
}
