package dev.cassidy.table;

import dev.cassidy.async.Timer;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Waits until each process of each datacenter knows what was declared of a table. A process that starts while its datacenter is
 * cut off reads only what was copied there, so each datacenter's keyspace must have it. A datacenter may join meanwhile, so they
 * are asked for at each look, and once more at the end.
 *
 * <p>Safe for use by many threads. Every method blocks.
 */
final class Notice {

    /** Processes copy a declaration within a minute of learning of it. */
    private static final Duration COPIED = Duration.ofMinutes(3);

    private final Datacenters datacenters;
    private final BiFunction<String, TableContract, CompletionStage<Boolean>> isCopied;
    private final Duration watchInterval;
    private final Timer timer;
    private final BlockingCalls calls;

    /** @param isCopied whether a datacenter's keyspace has a contract, or a later revision of it */
    Notice(
            Datacenters datacenters,
            BiFunction<String, TableContract, CompletionStage<Boolean>> isCopied,
            Duration watchInterval,
            Timer timer,
            BlockingCalls calls) {
        this.datacenters = datacenters;
        this.isCopied = isCopied;
        this.watchInterval = watchInterval;
        this.timer = timer;
        this.calls = calls;
    }

    /** Returns how long every process takes to learn of what its datacenter's keyspace has. */
    Duration time() {
        return watchInterval.multipliedBy(3);
    }

    /** Waits for as long as every process takes to learn of what its datacenter's keyspace has, and for {@code longer}. */
    void await(Duration longer) {
        pause(time().plus(longer));
    }

    /**
     * Waits until each datacenter has copied a contract, and then as {@link #await(Duration)} does.
     *
     * @param about what is about to happen to the table, for an error
     * @throws SequenceException.Unavailable naming a datacenter that has not copied it
     */
    void awaitEverywhere(TableContract begun, String about, Duration longer) {
        Set<String> told;
        do {
            told = awaitCopies(begun, about);
            await(longer);
        } while (!told.containsAll(calls.get(datacenters.others()).keySet()));
    }

    /** Returns the datacenters that have copied it: those that there are. */
    private Set<String> awaitCopies(TableContract begun, String about) {
        for (long tries = COPIED.dividedBy(watchInterval); ; tries--) {
            Map<String, String> keyspaces = calls.get(datacenters.others());
            boolean all = true;
            for (Map.Entry<String, String> each : keyspaces.entrySet()) {
                if (!calls.get(isCopied.apply(each.getValue(), begun))) {
                    all = false;
                    if (tries <= 0) {
                        throw lacks(each.getKey(), each.getValue(), begun, about);
                    }
                    break;
                }
            }
            if (all) {
                return keyspaces.keySet();
            }
            pause(watchInterval);
        }
    }

    private static SequenceException lacks(String datacenter, String keyspace, TableContract begun, String about) {
        return new SequenceException.Unavailable("datacenter " + datacenter + " has not copied to keyspace " + keyspace
                + " that table " + begun.name() + " is about to " + about
                + "; nothing can be written to the table until the change is complete. Run the command in that"
                + " datacenter, and then here again");
    }

    private void pause(Duration time) {
        calls.get(timer.after(time), time);
    }
}
