package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeadroomAlarmsTest {

    private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");
    private static final SequenceSpec SPEC = new SequenceSpec("shop.album", IdentityType.INT, 1, 1, 1, 1_000);
    private static final Projection NO_END = new Projection(0, 0, Optional.empty(), "not used in 28 days");

    private final HeadroomAlarms alarms = new HeadroomAlarms(Duration.ofHours(24), "dc1");

    private static Sighting seen(long used, Projection projection, Optional<Duration> lasts, Optional<String> refused) {
        return new Sighting(SPEC, used, 1_000, projection, 40, 0, lasts, refused, NOW);
    }

    private List<HeadroomAlarm> used(long used) {
        return alarms.look(seen(used, NO_END, Optional.empty(), Optional.empty()));
    }

    private List<HeadroomAlarm> ending(long days) {
        Projection projection = new Projection(3, 2, Optional.of(NOW.plus(Duration.ofDays(days))), "");
        return alarms.look(seen(100, projection, Optional.empty(), Optional.empty()));
    }

    private List<HeadroomAlarm> lasting(long hours) {
        return alarms.look(seen(100, NO_END, Optional.of(Duration.ofHours(hours)), Optional.empty()));
    }

    @Test
    void shouldRaiseEachThresholdOnceAndAgainWhenItIsPassedAgain() {
        assertThat(used(499)).isEmpty();
        assertThat(used(500)).singleElement().isEqualTo(usedAlarm(50, 500));
        assertThat(used(699)).isEmpty();
        assertThat(used(700)).singleElement().isEqualTo(usedAlarm(70, 700));
        assertThat(used(701)).isEmpty();

        assertThat(used(100)).isEmpty();
        assertThat(used(960)).singleElement().isEqualTo(usedAlarm(95, 960));
        assertThat(used(1_000)).isEmpty();
    }

    private static HeadroomAlarm usedAlarm(int threshold, long used) {
        return new HeadroomAlarm.Used(
                "shop.album",
                threshold,
                used / 10.0,
                seen(used, NO_END, Optional.empty(), Optional.empty()).next(),
                1_000,
                NO_END);
    }

    @Test
    void shouldGiveAnOperatorAllFactsInOneLine() {
        Projection projection = new Projection(21_000, 9_000, Optional.of(Instant.parse("2026-03-20T11:00:00Z")), "");

        assertThat(alarms.look(seen(853, projection, Optional.empty(), Optional.empty())))
                .extracting(HeadroomAlarm::message)
                .containsExactly(
                        "sequence shop.album: 85.3 % of its ids are used (alarm at 85 %): next=854 last=1000 projected"
                                + " end: 2026-03-20 (at 21000 a day)",
                        "sequence shop.album: has ids for 19 days (alarm below 180): 85.3 % are used, next=854"
                                + " last=1000 projected end: 2026-03-20 (at 21000 a day)");
        assertThat(used(1_000))
                .extracting(HeadroomAlarm::message)
                .containsExactly("sequence shop.album: 100.0 % of its ids are used (alarm at 95 %): next=none last=1000"
                        + " projected end: not used in 28 days");
    }

    @Test
    void shouldRaiseANearEndOnlyOnceAlthoughItFluctuates() {
        assertThat(ending(180)).isEmpty();
        assertThat(ending(179)).singleElement().isInstanceOf(HeadroomAlarm.EndsSoon.class);
        assertThat(ending(185)).isEmpty();
        assertThat(ending(175)).isEmpty();
        assertThat(ending(198)).isEmpty();
        assertThat(ending(170)).singleElement().isInstanceOf(HeadroomAlarm.EndsSoon.class);
    }

    @Test
    void shouldRaiseAShortReserveAtTheSecondLookThatFindsIt() {
        assertThat(lasting(23)).isEmpty();
        assertThat(lasting(24)).isEmpty();
        assertThat(lasting(20)).isEmpty();
        assertThat(lasting(6)).singleElement().satisfies(alarm -> assertThat(alarm.message())
                .isEqualTo(
                        "sequence shop.album: cut off from the others, datacenter dc1 would last 6.0 h and not 24.0 h"
                                + " (isolation): it has 40 ids in reserve"));
        assertThat(lasting(6)).isEmpty();
    }

    @Test
    void shouldRaiseARefusedRefillOnlyOnceUntilItIsServed() {
        Sighting refused = seen(100, NO_END, Optional.empty(), Optional.of("2 required, 1 alive"));

        assertThat(alarms.look(refused)).singleElement().satisfies(alarm -> assertThat(alarm.message())
                .isEqualTo("sequence shop.album: datacenter dc1 cannot be refilled, since too few of the global"
                        + " keyspace's replicas answer; it has 40 ids in reserve: 2 required, 1 alive"));
        assertThat(alarms.look(refused)).isEmpty();
        assertThat(used(100)).isEmpty();
        assertThat(alarms.look(refused)).hasSize(1);
    }
}
