package dev.cassidy.counter.cassandra;

import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.util.concurrent.CompletionStage;

/** Executes conditional steps. */
final class Steps {

    private Steps() {}

    static CompletionStage<StepOutcome> execute(ConditionalStatements statements, Cas... step) {
        return statements.execute(step).thenApply(Steps::outcome);
    }

    private static StepOutcome outcome(CasOutcome outcome) {
        if (outcome instanceof CasOutcome.Applied) {
            return new StepOutcome.Done();
        }
        return outcome instanceof CasOutcome.Unknown unknown
                ? new StepOutcome.Unknown(unknown.cause())
                : new StepOutcome.Refused();
    }
}
