package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long a change of a table waits, while datacenters join and leave. */
class NoticeTest {

    private static final Duration WATCH = Duration.ofSeconds(5);
    private static final Duration NOTICED = WATCH.multipliedBy(3);

    private final Map<String, String> datacenters = new TreeMap<>();
    private final Set<String> copied = new HashSet<>();
    private Duration waited = Duration.ZERO;
    private Runnable meanwhile = () -> {};
    private final Notice notice = new Notice(
            () -> CompletableFuture.completedFuture(Map.copyOf(datacenters)),
            (keyspace, contract) -> CompletableFuture.completedFuture(copied.contains(keyspace)),
            WATCH,
            (task, delay) -> {
                waited = waited.plus(delay);
                meanwhile.run();
                task.run();
            },
            new BlockingCalls(SequencesConfig.defaults()));

    private void await() {
        notice.awaitEverywhere(TableContract.none("shop", "item"), "change", Duration.ZERO);
    }

    @Test
    void shouldWaitForProcessesIfThereIsNoOtherDatacenter() {
        await();

        assertThat(waited).isEqualTo(NOTICED);
    }

    @Test
    void shouldWaitForADatacenterThatHasJoinedSince() {
        await();
        datacenters.put("dc2", "cassidy_dc2");
        waited = Duration.ZERO;

        assertThatThrownBy(this::await)
                .isInstanceOf(SequenceException.Unavailable.class)
                .hasMessageContaining("datacenter dc2 has not copied to keyspace cassidy_dc2 that table shop.item is");
        assertThat(waited).isEqualTo(Duration.ofMinutes(3));
        copied.add("cassidy_dc2");
        waited = Duration.ZERO;
        await();
        assertThat(waited).isEqualTo(NOTICED);
    }

    /** Its processes may have read their datacenter's keyspace before it had the change. */
    @Test
    void shouldWaitForADatacenterThatJoinsMeanwhile() {
        meanwhile = () -> {
            datacenters.put("dc2", "cassidy_dc2");
            meanwhile = () -> copied.add("cassidy_dc2");
        };

        await();

        assertThat(copied).containsExactly("cassidy_dc2");
        assertThat(waited).isEqualTo(NOTICED.plus(WATCH).plus(NOTICED));
    }

    @Test
    void shouldNotWaitForADatacenterThatHasLeftMeanwhile() {
        datacenters.put("dc2", "cassidy_dc2");
        meanwhile = datacenters::clear;

        await();

        assertThat(waited).isEqualTo(WATCH.plus(NOTICED));
    }
}
