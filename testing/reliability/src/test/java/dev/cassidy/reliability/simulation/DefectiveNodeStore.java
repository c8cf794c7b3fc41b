package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.GrantedTo;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store in which a test decides the fate of steps. By default it forwards every step. */
class DefectiveNodeStore implements NodeStore {

    /** The steps of the protocol, with the names of their methods. */
    enum Step {
        LEDGER,
        CREATE,
        DESTROY,
        HIGHEST_GRANT,
        GRANT_AT,
        GRANT,
        SHARE,
        JOIN,
        DESTROY_HERE,
        SEEMS_DESTROYED,
        PREPARE,
        ABSORB,
        SKIP,
        GLANCE,
        NODE,
        AGREED,
        TAKE,
        RENEW,
        RELEASE
    }

    /** The fate of a conditional step, and the outcome that its sender gets. */
    enum Fate {
        NOT_EXECUTED {
            @Override
            CompletionStage<ClaimOutcome> meet(Supplier<CompletionStage<ClaimOutcome>> step) {
                return noAnswer();
            }
        },
        UNKNOWN_AND_APPLIED {
            @Override
            CompletionStage<ClaimOutcome> meet(Supplier<CompletionStage<ClaimOutcome>> step) {
                return step.get().thenApply(done -> unknown());
            }
        },
        UNKNOWN_AND_NOT_APPLIED {
            @Override
            CompletionStage<ClaimOutcome> meet(Supplier<CompletionStage<ClaimOutcome>> step) {
                return CompletableFuture.completedFuture(unknown());
            }
        },
        /** The second execution is refused because of the first one. */
        EXECUTED_TWICE {
            @Override
            CompletionStage<ClaimOutcome> meet(Supplier<CompletionStage<ClaimOutcome>> step) {
                return step.get().thenCompose(first -> step.get());
            }
        };

        abstract CompletionStage<ClaimOutcome> meet(Supplier<CompletionStage<ClaimOutcome>> step);

        private static ClaimOutcome unknown() {
            return new ClaimOutcome.Unknown(new IllegalStateException("time-out"));
        }
    }

    private final NodeStore store;

    DefectiveNodeStore(NodeStore store) {
        this.store = store;
    }

    static <T> CompletionStage<T> noAnswer() {
        return CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
    }

    /** Returns a store in which the first step of this kind has this fate. */
    static DefectiveNodeStore first(Step kind, Fate fate, NodeStore store) {
        return new DefectiveNodeStore(store) {
            private boolean met;

            @Override
            CompletionStage<ClaimOutcome> write(Step step, Supplier<CompletionStage<ClaimOutcome>> send) {
                if (step != kind || met) {
                    return send.get();
                }
                met = true;
                return fate.meet(send);
            }
        };
    }

    /** Returns a store in which the first read of this kind has no answer. */
    static DefectiveNodeStore unanswered(Step kind, NodeStore store) {
        return new DefectiveNodeStore(store) {
            private boolean met;

            @Override
            <T> CompletionStage<T> read(Step step, Supplier<CompletionStage<T>> send) {
                if (step != kind || met) {
                    return send.get();
                }
                met = true;
                return noAnswer();
            }
        };
    }

    <T> CompletionStage<T> read(Step step, Supplier<CompletionStage<T>> send) {
        return send.get();
    }

    CompletionStage<ClaimOutcome> write(Step step, Supplier<CompletionStage<ClaimOutcome>> send) {
        return send.get();
    }

    @Override
    public CompletionStage<Optional<NodeLedger>> ledger(String sequence) {
        return read(Step.LEDGER, () -> store.ledger(sequence));
    }

    @Override
    public CompletionStage<ClaimOutcome> create(SnowflakeSpec spec) {
        return write(Step.CREATE, () -> store.create(spec));
    }

    @Override
    public CompletionStage<ClaimOutcome> destroy(NodeLedger seen) {
        return write(Step.DESTROY, () -> store.destroy(seen));
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return read(Step.HIGHEST_GRANT, () -> store.highestGrant(sequence));
    }

    @Override
    public CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number) {
        return read(Step.GRANT_AT, () -> store.grantAt(sequence, number));
    }

    @Override
    public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
        return store.standing(sequence, grant, repair);
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
        return write(Step.GRANT, () -> store.grant(seen, wanted, grantee));
    }

    @Override
    public CompletionStage<Optional<NodeShare>> share(String sequence) {
        return read(Step.SHARE, () -> store.share(sequence));
    }

    @Override
    public CompletionStage<ClaimOutcome> join(SnowflakeSpec spec, int grantNumber) {
        return write(Step.JOIN, () -> store.join(spec, grantNumber));
    }

    @Override
    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
        return write(Step.DESTROY_HERE, () -> store.destroyHere(sequence));
    }

    @Override
    public CompletionStage<Boolean> seemsDestroyed(String sequence) {
        return read(Step.SEEMS_DESTROYED, () -> store.seemsDestroyed(sequence));
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        return write(Step.PREPARE, () -> store.prepare(sequence, number));
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return write(Step.ABSORB, () -> store.absorb(sequence, grant));
    }

    @Override
    public CompletionStage<ClaimOutcome> skip(String sequence, int from, int to) {
        return write(Step.SKIP, () -> store.skip(sequence, from, to));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> glance(String sequence, int number) {
        return read(Step.GLANCE, () -> store.glance(sequence, number));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> node(String sequence, int number) {
        return read(Step.NODE, () -> store.node(sequence, number));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> agreed(String sequence, int number) {
        return read(Step.AGREED, () -> store.agreed(sequence, number));
    }

    @Override
    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
        return write(Step.TAKE, () -> store.take(sequence, seen, wanted));
    }

    @Override
    public CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh) {
        return write(Step.RENEW, () -> store.renew(sequence, lease, tsHigh));
    }

    @Override
    public CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last) {
        return write(Step.RELEASE, () -> store.release(sequence, lease, last));
    }
}
