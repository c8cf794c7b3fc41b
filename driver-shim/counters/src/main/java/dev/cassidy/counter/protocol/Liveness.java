package dev.cassidy.counter.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves the beat of a slot while it is held, so that others see that its holder is alive, and checks the holder's clock. */
final class Liveness {

    static final Duration EVERY = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Liveness.class);

    private final SlotStore store;
    private final CounterContext context;
    private final Consumer<HeldSlot> lost;
    private final BiConsumer<HeldSlot, CounterFailure> mistrusted;

    /**
     * @param lost is told of a slot that was taken away
     * @param mistrusted is told of a slot that is held by a process whose clock is wrong
     */
    Liveness(
            SlotStore store,
            CounterContext context,
            Consumer<HeldSlot> lost,
            BiConsumer<HeldSlot, CounterFailure> mistrusted) {
        this.store = store;
        this.context = context;
        this.lost = lost;
        this.mistrusted = mistrusted;
    }

    void show(HeldSlot slot) {
        later(slot, 1);
    }

    private void later(HeldSlot slot, long beat) {
        context.timer().schedule(() -> beat(slot, beat), EVERY);
    }

    private void beat(HeldSlot slot, long beat) {
        if (slot.isLost()) {
            return;
        }
        context.clock().now().whenComplete((now, failure) -> {
            if (failure != null && Stages.cause(failure) instanceof CounterFailure.WrongClock wrong) {
                mistrusted.accept(slot, wrong);
            }
        });
        store.renew(slot.lease(), beat).whenComplete((outcome, failure) -> {
            if (failure != null) {
                LOG.debug("the beat of slot {} could not be moved now", slot.actor(), failure);
            }
            if (outcome instanceof StepOutcome.Refused) {
                // It may be a wrong answer to a step that was executed twice: only the fence decides.
                slot.fence().confirm().thenAccept(held -> {
                    if (!held) {
                        lost.accept(slot);
                    }
                });
            }
            later(slot, beat + 1);
        });
    }
}
