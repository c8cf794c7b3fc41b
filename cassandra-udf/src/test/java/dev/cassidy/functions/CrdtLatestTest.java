package dev.cassidy.functions;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The aggregates that keep the latest of several rows: crdt_latest_sum, crdt_gcounter and crdt_lww. */
class CrdtLatestTest {

    /** As Cassandra sorts text. */
    private static final Comparator<String> UTF_8 =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    /** Their order differs between UTF-16 and UTF-8. */
    private static final List<String> NAMES = List.of("", "a", "ab", "b", "é", "\uFFFD", "😀", "😀a", "🙈");

    private record Row(String type, String actor, long version, BigInteger increment) {}

    private record Key(String type, String actor) {}

    @Test
    void shouldSumTheIncrementsAtTheLargestVersions() {
        Seeds.each(500, random -> {
            List<Row> rows = rows(random);
            BigInteger expected = expected(rows);

            assertThat(latestSum(clustered(rows, random))).isEqualTo(expected);
            assertThat(gcounter(clustered(rows, random), Row::actor)).isEqualTo(expected);
        });
    }

    /** Idempotent: a row that comes twice, and an older one that comes late, change nothing. */
    @Test
    void shouldCountRowsOnceHoweverOftenTheyCome() {
        Seeds.each(500, random -> {
            List<Row> rows = rows(random);
            List<Row> repeated = new ArrayList<>(rows);
            rows.forEach(row -> repeated.addAll(Collections.nCopies(random.nextInt(3), row)));

            assertThat(latestSum(clustered(repeated, random))).isEqualTo(expected(rows));
            assertThat(gcounter(clustered(repeated, random), Row::actor)).isEqualTo(expected(rows));
        });
    }

    @Test
    void shouldAcceptTheActorsInDescendingOrder() {
        Seeds.each(200, random -> {
            List<Row> rows = rows(random);
            rows.sort(comparing(Row::type)
                    .thenComparing(comparing(Row::actor, UTF_8).reversed()));
            assertThat(latestSum(rows)).isEqualTo(expected(rows));
            assertThat(gcounter(rows, Row::actor)).isEqualTo(expected(rows));
        });
    }

    /** Whatever the order, the sum is right or refused. */
    @Test
    void shouldNeverCountAnActorThatComesBack() {
        Seeds.each(500, random -> {
            List<Row> rows = rows(random);
            // The types stay apart, as partitions do.
            Collections.shuffle(rows, random);
            rows.sort(comparing(Row::type));
            for (Function<List<Row>, BigInteger> aggregate : List.<Function<List<Row>, BigInteger>>of(
                    CrdtLatestTest::latestSum, given -> gcounter(given, Row::actor))) {
                BigInteger sum;
                try {
                    sum = aggregate.apply(rows);
                } catch (IllegalArgumentException refused) {
                    continue;
                }
                assertThat(sum).isEqualTo(expected(rows));
            }
        });
    }

    @Test
    void shouldNameTheActorThatCameBack() {
        assertThatThrownBy(() -> latestSum(List.of(row("IBM", "A", 1), row("IBM", "B", 1), row("IBM", "A", 2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "crdt_latest_sum: the rows of an actor must be side by side, with the actors of a type in the"
                                + " order of text: type=IBM has actor=A after actor=B; read a table with"
                                + " PRIMARY KEY(type, actor, ...)");
        assertThatThrownBy(
                        () -> gcounter(List.of(row("IBM", "A", 1), row("IBM", "B", 1), row("IBM", "A", 2)), Row::actor))
                .hasMessageStartingWith("crdt_gcounter: ")
                .hasMessageContaining("key=IBM has id=A after id=B");
    }

    @Test
    void shouldKeepEqualActorsOfDifferentTypesApart() {
        List<Row> rows = List.of(row("IBM", "A", 1), row("SAP", "A", 1), row("IBM", "A", 1));
        // The third is of another partition of the same type name, for which nothing can be known.
        assertThat(latestSum(rows.subList(0, 2))).isEqualTo("2");
        assertThat(gcounter(rows.subList(0, 2), Row::actor)).isEqualTo("2");
    }

    @Test
    void shouldTakeTheLargerOfTwoValuesWithOneVersion() {
        List<Row> rows = List.of(
                new Row("IBM", "A", 7, BigInteger.TEN),
                new Row("IBM", "A", 7, BigInteger.TWO),
                new Row("IBM", "A", 7, new BigInteger("11")));
        assertThat(latestSum(rows)).isEqualTo("11");
        assertThat(gcounter(rows, Row::actor)).isEqualTo("11");
    }

    @Test
    void shouldSkipRowsThatLackSomething() {
        Tuple latest = new Tuple();
        CrdtLatestSum.add(latest, null, "A", 1, 1);
        CrdtLatestSum.add(latest, "IBM", null, 1, 1);
        CrdtLatestSum.add(latest, "IBM", "A", (Integer) null, 1);
        CrdtLatestSum.add(latest, "IBM", "A", 1L, (Long) null);
        assertThat(CrdtLatestSum.result(latest)).isZero();

        Tuple gcounter = new Tuple();
        CrdtGcounter.add(gcounter, null, "A", 1L, 1);
        CrdtGcounter.add(gcounter, "IBM", (UUID) null, 1L, 1);
        CrdtGcounter.add(gcounter, "IBM", "A", null, 1);
        CrdtGcounter.add(gcounter, "IBM", "A", 1L, (Long) null);
        assertThat(CrdtGcounter.result(gcounter)).isZero();
    }

    /** In the order of a column of uuid, and of timeuuid, which sort uuids of one moment differently. */
    @Test
    void shouldAcceptUuidsInCassandrasOrder() {
        List<UUID> random = List.of(
                UUID.fromString("11111111-1111-4111-8111-111111111111"),
                UUID.fromString("91111111-1111-4111-8111-111111111111"),
                UUID.fromString("91111111-1111-4111-9111-111111111111"),
                UUID.fromString("91111111-1111-4111-a111-111111111111"));
        List<UUID> timed = List.of(
                UUID.fromString("ffffffff-0000-1000-8000-000000000001"),
                UUID.fromString("00000000-0001-1000-7f00-000000000001"),
                UUID.fromString("00000000-0001-1000-8000-000000000001"),
                UUID.fromString("00000000-0000-1001-8000-000000000001"));
        List<UUID> swapped = List.of(timed.get(0), timed.get(2), timed.get(1), timed.get(3));
        for (List<UUID> ids : List.of(random, timed, swapped)) {
            Tuple state = new Tuple();
            ids.forEach(id -> CrdtGcounter.add(state, "IBM", id, 1L, 1));
            assertThat(CrdtGcounter.result(state)).isEqualTo("4");
        }
        Tuple ascending = new Tuple();
        timed.subList(0, 3).forEach(id -> CrdtGcounter.add(ascending, "IBM", id, 1L, 1));
        assertThatThrownBy(() -> CrdtGcounter.add(ascending, "IBM", timed.get(0), 2L, 1))
                .as("uuids of one moment do not hide the direction")
                .isInstanceOf(IllegalArgumentException.class);

        List<UUID> backwards = new ArrayList<>(random);
        Collections.reverse(backwards);
        Tuple state = new Tuple();
        backwards.forEach(id -> CrdtGcounter.add(state, "IBM", id, 1L, 1));
        assertThat(CrdtGcounter.result(state)).isEqualTo("4");
        assertThatThrownBy(() -> CrdtGcounter.add(state, "IBM", random.get(3), 2L, 1))
                .hasMessageContaining("has id=91111111-1111-4111-a111-111111111111 after id=11111111");
    }

    @Test
    void shouldKeepTheValueWithTheLargestTimestampInEveryOrder() {
        Seeds.each(500, random -> {
            lww(random, Random::nextInt);
            lww(random, Random::nextLong);
            lww(random, Random::nextDouble);
            lww(random, Random::nextBoolean);
            lww(random, any -> NAMES.get(any.nextInt(NAMES.size())));
            lww(random, any -> new BigInteger(80, any));
            lww(random, any -> BigDecimal.valueOf(any.nextInt(), 3));
            // 1, 1.0 and 1.00 are equal by compareTo and three different answers.
            lww(
                    random,
                    any -> BigDecimal.valueOf(1).setScale(any.nextInt(3)),
                    Comparator.<BigDecimal>naturalOrder().thenComparing(BigDecimal::scale));
            lww(random, any -> new Date(any.nextLong()));
            lww(random, any -> new UUID(any.nextLong(), any.nextLong()));
        });
    }

    private static <T extends Comparable<T>> void lww(Random random, Function<Random, T> values) {
        lww(random, values, Comparator.naturalOrder());
    }

    private static <T extends Comparable<T>> void lww(Random random, Function<Random, T> values, Comparator<T> order) {
        record Written<T>(T value, Long timestamp) {}
        List<Written<T>> rows = new ArrayList<>();
        for (int i = random.nextInt(10); i > 0; i--) {
            rows.add(new Written<>(
                    random.nextInt(5) == 0 ? null : values.apply(random),
                    random.nextInt(5) == 0 ? null : (long) random.nextInt(4) - 2));
        }
        T expected = rows.stream()
                .filter(row -> row.value() != null && row.timestamp() != null)
                .max(comparing((Written<T> row) -> row.timestamp()).thenComparing(Written::value, order))
                .map(Written::value)
                .orElse(null);

        rows.addAll(List.copyOf(rows.subList(0, rows.size() / 2)));
        Collections.shuffle(rows, random);
        Map<Long, T> state = new HashMap<>();
        for (Written<T> row : rows) {
            state = CrdtLww.add(state, row.value(), row.timestamp());
        }
        assertThat(CrdtLww.value(state)).isEqualTo(expected);
    }

    private static BigInteger expected(List<Row> rows) {
        Map<Key, Row> latest = new HashMap<>();
        rows.forEach(row -> latest.merge(
                new Key(row.type(), row.actor()),
                row,
                (a, b) -> Collections.max(List.of(a, b), comparing(Row::version).thenComparing(Row::increment))));
        return latest.values().stream().map(Row::increment).reduce(BigInteger.ZERO, BigInteger::add);
    }

    private static BigInteger latestSum(List<Row> rows) {
        Tuple state = new Tuple();
        for (Row row : rows) {
            boolean fits = row.increment().bitLength() < 32;
            state = fits
                    ? CrdtLatestSum.add(
                            state,
                            row.type(),
                            row.actor(),
                            (int) row.version(),
                            row.increment().intValue())
                    : CrdtLatestSum.add(state, row.type(), row.actor(), row.version(), row.increment());
        }
        return CrdtLatestSum.result(state);
    }

    private static BigInteger gcounter(List<Row> rows, Function<Row, ?> id) {
        Tuple state = new Tuple();
        for (Row row : rows) {
            state = CrdtGcounter.add(state, row.type(), id.apply(row), row.version(), row.increment());
        }
        return CrdtGcounter.result(state);
    }

    private static Row row(String type, String actor, long version) {
        return new Row(type, actor, version, BigInteger.ONE);
    }

    private static List<Row> rows(Random random) {
        List<Row> rows = new ArrayList<>();
        for (int i = random.nextInt(40); i > 0; i--) {
            rows.add(new Row(
                    "type" + random.nextInt(3),
                    NAMES.get(random.nextInt(NAMES.size())),
                    random.nextInt(5),
                    new BigInteger(random.nextInt(90), random).negate()));
        }
        return rows;
    }

    /** In any order within an actor, because the clustering may go on with other columns than the version. */
    private static List<Row> clustered(List<Row> rows, Random random) {
        List<Row> clustered = new ArrayList<>(rows);
        Collections.shuffle(clustered, random);
        clustered.sort(comparing(Row::type).thenComparing(Row::actor, UTF_8));
        return clustered;
    }
}
