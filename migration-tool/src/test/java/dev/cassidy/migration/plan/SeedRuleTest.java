package dev.cassidy.migration.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeedRuleTest {

    private static SourceColumn column(String type, int precision, String seed, String increment) {
        return new SourceColumn("dbo", "T", "Id", type, precision, 0, new BigInteger(seed), new BigInteger(increment));
    }

    private static SourceColumn column() {
        return column("int", 10, "1", "1");
    }

    private static BigInteger integer(String text) {
        return text == null ? null : new BigInteger(text);
    }

    private static Seed decide(SourceColumn column, String furthest, String lastValue, String floor) {
        return SeedRule.decide(new Reading(column, integer(furthest), integer(lastValue), null), integer(floor), false);
    }

    private static Seed.Next next(Seed seed) {
        assertThat(seed).isInstanceOf(Seed.Next.class);
        return (Seed.Next) seed;
    }

    private static String reason(Seed seed) {
        assertThat(seed).isInstanceOf(Seed.Refused.class);
        return ((Seed.Refused) seed).reason();
    }

    @ParameterizedTest(name = "{0}: seed={1} increment={2} furthest={3} last={4} floor={5}")
    @CsvSource({
        "normal,                       1,   1, 347, 347,     , 348,  LAST_VALUE",
        "rows deleted,                 1,   1, 300, 347,     , 348,  LAST_VALUE",
        "every row deleted,            1,   1,    , 347,     , 348,  LAST_VALUE",
        "reseeded behind the maximum,  1,   1, 347,   5,     , 348,  MAXIMUM",
        "bulk loaded and never used,   1,   1,   9,    ,     ,  10,  MAXIMUM",
        "loaded behind the seed,    1000,   1,   9,    ,     , 1000, SEED",
        "floor beyond both,            1,   1, 347, 347,  500, 501,  FLOOR",
        "floor behind both,            1,   1, 347, 347,  100, 348,  LAST_VALUE",
        "empty with a floor,           1,   1,    ,    ,   41,  42,  FLOOR",
        "empty with floor behind seed, 1000, 1,   ,    ,    0, 1000, SEED",
        "steps of ten,                 1,  10,  31,  41,     ,  51,  LAST_VALUE",
        "descending,                  -1,  -1, -20, -20,     , -21,  LAST_VALUE",
        "descending and deleted,    -1,  -1,  -7, -20,     , -21,  LAST_VALUE",
        "descending and reseeded,        -1,  -5, -36,  -6,     , -41,  MAXIMUM",
        "descending with a floor,     -1,  -1, -20, -20,  -99, -100, FLOOR",
        "reseeded below zero,          1,   1,  50, -10,     ,  51,  MAXIMUM",
    })
    void shouldContinueAfterTheFurthestUsedId(
            String name,
            String seed,
            String increment,
            String furthest,
            String lastValue,
            String floor,
            long expected,
            Seed.Basis basis) {
        Seed.Next next = next(decide(column("int", 10, seed, increment), furthest, lastValue, floor));

        assertThat(next.next()).isEqualTo(expected);
        assertThat(next.basis()).isEqualTo(basis);
    }

    @Test
    void shouldWarnIfTheTableHasMoreThanTheSourceRemembers() {
        assertThat(next(decide(column(), "347", "5", null)).warnings())
                .singleElement()
                .asString()
                .contains("last_value=5", "MAX(Id)=347", "RESEED");
        assertThat(next(decide(column(), "347", "347", null)).warnings()).isEmpty();
    }

    @Test
    void shouldRefuseAnEmptyTableWithoutAFloor() {
        assertThat(reason(decide(column(), null, null, null)))
                .contains("dbo.T has no rows and no last value", "--floor dbo.T=n", "highest", "--accept-empty");
        assertThat(reason(decide(column("int", 10, "-1", "-1"), null, null, null)))
                .contains("lowest");
    }

    @Test
    void shouldBeginAtTheSeedOfAnAcceptedEmptyTable() {
        Seed.Next next = next(SeedRule.decide(new Reading(column("int", 10, "7", "2"), null, null, null), null, true));

        assertThat(next.next()).isEqualTo(7);
        assertThat(next.basis()).isEqualTo(Seed.Basis.SEED);
        assertThat(next.warnings()).singleElement().asString().contains("accepted as never used");
    }

    @ParameterizedTest
    @CsvSource({
        "tinyint,  3, SMALLINT",
        "smallint, 5, SMALLINT",
        "int,     10, INT",
        "bigint,  19, BIGINT",
        "decimal,  3, BIGINT",
        "decimal, 18, BIGINT",
        "numeric, 18, BIGINT"
    })
    void shouldMapTypes(String type, int precision, IdentityType expected) {
        assertThat(next(decide(column(type, precision, "1", "1"), "5", "5", null))
                        .type())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"decimal, 19", "numeric, 38", "money, 19"})
    void shouldRefuseATypeThatCanOutgrowSixtyFourBits(String type, int precision) {
        assertThat(reason(decide(column(type, precision, "1", "1"), "5", "5", null)))
                .contains(type, "dbo.T.Id", "--exclude dbo.T");
    }

    @ParameterizedTest
    @CsvSource({
        "smallint, 1, 1, 32767, 32768",
        "int, 1, 1, 2147483647, 2147483648",
        "int, 1, 10, 2147483641, 2147483651",
        "int, -1, -1, -2147483648, -2147483649",
        "bigint, 1, 1, 9223372036854775807, 9223372036854775808"
    })
    void shouldRefuseIdsThatTheTargetCannotHold(String type, String seed, String increment, String last, String next) {
        assertThat(reason(decide(column(type, 10, seed, increment), last, last, null)))
                .contains("the next id " + next + " of dbo.T.Id", "no id is left");
    }

    @Test
    void shouldRefuseAnIncrementBeyondSixtyFourBits() {
        assertThat(reason(decide(column("decimal", 18, "1", "9223372036854775808"), "1", "1", null)))
                .contains("increment=9223372036854775808 of dbo.T.Id");
    }

    @Test
    void shouldContinueAfterTheLastIdOfTheTypeButOne() {
        assertThat(next(decide(column(), "2147483646", "2147483646", null)).next())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void shouldKeepTheSourcesSeedAsStartIfTheNextIdIsOnItsGrid() {
        assertThat(next(decide(column("int", 10, "1", "10"), "41", "41", null)).spec("t"))
                .isEqualTo(SequenceSpec.of("t", IdentityType.INT, 1, 10));
        assertThat(next(decide(column("int", 10, "-1", "-10"), "-41", "-41", null))
                        .spec("t"))
                .isEqualTo(SequenceSpec.of("t", IdentityType.INT, -1, -10));
    }

    @Test
    void shouldStartAtTheNextIdIfItIsOffTheSeedsGridOrBeforeTheSeed() {
        assertThat(next(decide(column("int", 10, "1", "10"), "41", "1003", null))
                        .spec("t"))
                .isEqualTo(SequenceSpec.of("t", IdentityType.INT, 1013, 10));
        assertThat(next(decide(column("int", 10, "1000", "1"), "50", "50", null))
                        .spec("t"))
                .isEqualTo(SequenceSpec.of("t", IdentityType.INT, 51, 1));
    }

    @Test
    void shouldReturnASequenceThatSixtyThreeBitsCanCount() {
        Seed.Next zero = next(decide(column("bigint", 19, "0", "1"), "5", "5", null));
        Seed.Next lowest =
                next(decide(column("bigint", 19, "-9223372036854775808", "1"), null, "-9223372036854775000", null));

        assertThat(zero.spec("t")).isEqualTo(SequenceSpec.of("t", IdentityType.BIGINT, 6, 1));
        assertThat(lowest.spec("t").count()).isEqualTo(Long.MAX_VALUE);
        assertThat(lowest.spec("t").start()).isEqualTo(-9223372036854774999L);
    }

    @Test
    void shouldContinueBeforeTheSeedIfIdsHaveWrapped() {
        SourceColumn column = column();
        Reading reading = new Reading(column, integer("2147483647"), integer("-2147483000"), integer("-2147482000"));

        Seed.Next next = next(SeedRule.decide(reading, null, false));

        assertThat(SeedRule.wrapped(column, reading.furthest(), reading.lastValue()))
                .isTrue();
        assertThat(next.basis()).isEqualTo(Seed.Basis.WRAPPED);
        assertThat(next.next()).isEqualTo(-2147482999);
        assertThat(next.limit()).isEqualTo(-2147482001);
        assertThat(next.spec("t").maximum()).isEqualTo(-2147482001);
        assertThat(next.spec("t").count()).isEqualTo(999);
        assertThat(next.percentLeft()).isEqualByComparingTo("0.0");
    }

    @Test
    void shouldRefuseAWrappedColumnThatHasReachedItsOldIds() {
        Reading reading = new Reading(column(), integer("2147483647"), integer("0"), integer("1"));

        assertThat(reason(SeedRule.decide(reading, null, false)))
                .contains("the next id 1 of dbo.T.Id", "no id is left");
    }

    @Test
    void shouldHonourAFloorIfIdsHaveWrapped() {
        Reading reading = new Reading(column(), integer("2147483647"), integer("-2147483000"), integer("-2147482000"));

        assertThat(next(SeedRule.decide(reading, integer("-2147482500"), false)).next())
                .isEqualTo(-2147482499);
        assertThat(reason(SeedRule.decide(reading, integer("-2147482001"), false)))
                .contains("-2147482000");
    }

    @Test
    void shouldReturnTheShareOfIdsThatIsLeft() {
        assertThat(next(decide(column(), "347", "347", null)).percentLeft()).isEqualByComparingTo("99.9");
        assertThat(next(decide(column("tinyint", 3, "1", "1"), "255", "255", null))
                        .percentLeft())
                .isEqualByComparingTo("99.2");
        assertThat(next(decide(column(), "2147483646", "2147483646", null)).percentLeft())
                .isEqualByComparingTo("0.0");
        assertThat(next(decide(column("int", 10, "1", "2"), "1073741824", "1073741824", null))
                        .percentLeft())
                .as("off the seed's grid")
                .isEqualByComparingTo("49.9");
    }
}
