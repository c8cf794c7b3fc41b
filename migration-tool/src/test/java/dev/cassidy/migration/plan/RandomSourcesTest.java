package dev.cassidy.migration.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.sequence.SequenceSpec;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Identity columns with random histories: what is planned for them issues no id that they used. */
class RandomSourcesTest {

    private static final int SOURCES = 10_000;

    /** Returns whether the sequence that is planned would ever issue an id. */
    private static boolean issues(Seed.Next seed, long id) {
        SequenceSpec spec = seed.spec("shop.t");
        BigInteger first = SeedRule.onGridOf(spec, seed.next());
        BigInteger distance = BigInteger.valueOf(id).subtract(first);
        return distance.signum() * Long.signum(seed.increment()) >= 0
                && distance.mod(BigInteger.valueOf(seed.increment()).abs()).signum() == 0
                && id >= spec.minimum()
                && id <= spec.maximum();
    }

    @Test
    void shouldIssueNoIdThatTenThousandRandomSourcesUsed() {
        int planned = 0;
        int wrapped = 0;
        for (int number = 0; number < SOURCES; number++) {
            RandomSource source = RandomSource.of(number);
            String state = "source " + number + ": " + source;
            Reading reading = source.reading();
            for (BigInteger floor : new BigInteger[] {null, source.furthestUsed()}) {
                Seed seed = SeedRule.decide(reading, floor, source.used().isEmpty());
                if (seed instanceof Seed.Next next) {
                    planned++;
                    wrapped += next.basis() == Seed.Basis.WRAPPED ? 1 : 0;
                    // Without a floor nothing tells of ids from before a reseed or a truncation, but rows do.
                    Set<Long> taken = new HashSet<>(source.forgot() && floor == null ? source.rows() : source.used());
                    if (next.basis() == Seed.Basis.WRAPPED) {
                        // Of columns elsewhere the furthest id alone is read, which is from before the wrap.
                        taken.add(source.column().seed().longValueExact());
                    } else {
                        taken.addAll(source.elsewhere());
                    }
                    taken.stream().filter(id -> issues(next, id)).findAny().ifPresent(id -> {
                        throw new AssertionError("issues " + id + " again, floor " + floor + ": " + next + " " + state);
                    });
                }
            }
        }
        assertThat(planned).isGreaterThan(SOURCES);
        assertThat(wrapped).isGreaterThan(10);
    }
}
