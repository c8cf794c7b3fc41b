package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.reliability.simulation.VirtualTime;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Bug;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Generation;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.OpenTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The schema, in which the table of counters is dropped and created again, and the contract of each installation. A statement
 * takes effect at one node; the others learn of it later, each at a time of its own, and one that is down when it is up again.
 */
final class Tables {

    private static final int MAX_TRIES = 5;

    /** Of changes of a contract that others were in the way of, or whose outcome is not known. */
    private static final int MAX_CHANGES = 20;

    /** After so long a process that has begun to create the table has ended, or has failed. */
    private static final Duration LONGEST_CREATION = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int REPLICAS = 3;

    /** Once so many nodes have forgotten a table, nothing is written to it or read of it any more. */
    private static final int MAJORITY = 2;

    /** What an installation has declared of a table by its id. */
    private enum Declared {
        NONE,
        /** It is about to be created, or another installation may have claimed it, too. Nobody counts by that. */
        CLAIMS,
        COUNTS
    }

    /** What an installation declares: of which table, and whether that is a claim only. */
    private record Contract(int id, boolean pending, int revision) {
        static final Contract NONE = new Contract(Replica.NO_TABLE, false, 0);

        Contract next(int id, boolean pending) {
            return new Contract(id, pending, revision + 1);
        }

        Declared of(int id) {
            if (id == Replica.NO_TABLE || id != this.id) {
                return Declared.NONE;
            }
            return pending ? Declared.CLAIMS : Declared.COUNTS;
        }
    }

    /** Decides what a contract becomes; null if it stays. */
    private interface Change {
        @Nullable
        Contract next(Contract found);
    }

    /** What a process has opened: a table, and the generation of it in which it counts. */
    record Opened(OpenTable table, int generation, int installation) {}

    /** Without a stack trace. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why, null, false, false);
        }
    }

    private final Datacenter datacenter;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final @Nullable Bug bug;
    private final BooleanSupplier stormy;
    private final IntSupplier nextGeneration;
    private final Consumer<String> violations;
    private final List<Register<Contract>> contracts;
    private final List<String> changes = new ArrayList<>();

    /** When each id was drawn. */
    private final Map<Integer, Long> drawn = new HashMap<>();

    /** Which installation has opened a table. */
    private final Map<Integer, Integer> openedBy = new HashMap<>();

    private int version;
    private int now = OpenTable.KEPT;
    private int ids;

    int dropped;
    int created;
    int died;
    int refused;

    Tables(
            Datacenter datacenter,
            SplittableRandom random,
            @Nullable Bug bug,
            BooleanSupplier stormy,
            IntSupplier nextGeneration,
            Consumer<String> violations) {
        this.datacenter = datacenter;
        this.time = datacenter.time();
        this.random = random;
        this.bug = bug;
        this.stormy = stormy;
        this.nextGeneration = nextGeneration;
        this.violations = violations;
        this.contracts = List.of(new Register<>(Contract.NONE, random), new Register<>(Contract.NONE, random));
    }

    /** From here on there is a table once somebody has created it. */
    void begin() {
        version++;
        now = Replica.NO_TABLE;
        datacenter.replicas.forEach(replica -> replica.learn(version, now));
    }

    /** Returns the id of the table by the last statement; {@link Replica#NO_TABLE} if there is none. */
    int now() {
        return now;
    }

    /** @param gone is run when nothing is written to the table or read of it any more */
    void drop(Runnable gone) {
        dropped++;
        change(Replica.NO_TABLE);
        awaitMajority(version, gone);
    }

    private void awaitMajority(int of, Runnable then) {
        long told = datacenter.replicas.stream()
                .filter(replica -> replica.schema() >= of)
                .count();
        if (told >= MAJORITY) {
            then.run();
        } else {
            time.schedule(() -> awaitMajority(of, then), Duration.ofMillis(1));
        }
    }

    /** As another client does, by CQL: no contract names it. */
    void createByOther() {
        createIfNotExists(draw());
    }

    private int draw() {
        drawn.put(++ids, time.nanoTime());
        return ids;
    }

    private void createIfNotExists(int id) {
        if (now == Replica.NO_TABLE) {
            created++;
            change(id);
        }
    }

    private void change(int id) {
        version++;
        now = id;
        datacenter.coordinator().learn(version, now);
        datacenter.replicas.forEach(replica -> tell(replica, 500));
    }

    /** It learns of the last version, whatever it has missed. */
    private void tell(Replica replica, int within) {
        time.schedule(
                () -> {
                    if (replica.isUp()) {
                        replica.learn(version, now);
                    } else {
                        tell(replica, 2_000);
                    }
                },
                Duration.ofMillis(random.nextInt(within)));
    }

    private boolean isAgreed() {
        return datacenter.replicas.stream().filter(Replica::isUp).allMatch(replica -> replica.schema() == version);
    }

    private void judge(int installation, Contract contract) {
        changes.add((time.nanoTime() / 1_000_000) + " ms: " + installation + " has " + contract);
        Contract other = contracts.get(1 - installation).latest();
        boolean isSame = contract.id() != Replica.NO_TABLE && contract.id() == other.id();
        if (isSame && !contract.pending() && !other.pending()) {
            violations.accept("both installations count in table " + contract.id() + ": " + changes);
        }
    }

    /** Of a table that is gone nobody counts what is written. */
    private void judge(Opened opened) {
        int id = opened.table().id;
        Integer first = openedBy.putIfAbsent(id, opened.installation());
        if (first != null && first != opened.installation() && id == now) {
            violations.accept("both installations have opened table " + id + ": " + changes);
        }
    }

    Program program(int installation) {
        return new Program(installation);
    }

    /** A process that creates, adopts or opens the table: the steps are those of the product. It may end between any two. */
    final class Program {

        private final int installation;
        private final Link link = new Link(datacenter, time::schedule, () -> false);

        /** The contract as this process knows it: the first attempt to change it needs no read. */
        private Contract known = Contract.NONE;

        Program(int installation) {
            this.installation = installation;
        }

        /** Takes the next step, perhaps only after a while; or ends. */
        private <T> CompletionStage<T> step(Supplier<CompletionStage<T>> next) {
            if (stormy.getAsBoolean() && random.nextInt(15) == 0) {
                died++;
                return CompletableFuture.failedFuture(new Link.Fault("died"));
            }
            if (!stormy.getAsBoolean() || random.nextInt(8) > 0) {
                return next.get();
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            time.schedule(
                    () -> next.get().whenComplete((done, failure) -> {
                        if (failure == null) {
                            answer.complete(done);
                        } else {
                            answer.completeExceptionally(Stages.cause(failure));
                        }
                    }),
                    Duration.ofMillis(random.nextInt(20_000)));
            return answer;
        }

        private <T> CompletionStage<T> refuse(String why) {
            refused++;
            return CompletableFuture.failedFuture(new Refused(why));
        }

        // ---- create

        CompletionStage<Void> create() {
            return create(MAX_TRIES);
        }

        private CompletionStage<Void> create(int tries) {
            if (tries == 0) {
                return refuse("created or dropped by others at the same time");
            }
            return seen().thenCompose(seen -> step(this::existing)
                    .thenCompose(found -> found == Replica.NO_TABLE ? make(seen, tries) : complete(found, seen)));
        }

        /** What created it may have ended before it was done. */
        private CompletionStage<Void> complete(int found, Contract seen) {
            return find(found).thenCompose(own -> switch (own) {
                case NONE -> refuse("not declared");
                case CLAIMS -> step(() -> beginGeneration(found)).thenCompose(begun -> declare(found, seen));
                case COUNTS -> declare(found, seen);
            });
        }

        private CompletionStage<Integer> existing() {
            return link.table().thenCompose(found -> {
                if (found != Replica.NO_TABLE) {
                    return CompletableFuture.completedFuture(found);
                }
                return isAgreed() ? link.table() : refuse("the nodes do not agree on the schema");
            });
        }

        private CompletionStage<Void> make(Contract seen, int tries) {
            return createdByAnother(seen).thenCompose(another -> another ? create(tries - 1) : makeIt(seen, tries));
        }

        /** Waits while another process is about to create it; not if that one must have ended, or have failed. */
        private CompletionStage<Boolean> createdByAnother(Contract seen) {
            if (!seen.pending()
                    || bug == Bug.ID_USED_AGAIN
                    || time.nanoTime() - drawn.getOrDefault(seen.id(), 0L) > LONGEST_CREATION.toNanos()) {
                return CompletableFuture.completedFuture(false);
            }
            CompletableFuture<Void> pause = new CompletableFuture<>();
            time.schedule(() -> pause.complete(null), PAUSE);
            return pause.thenCompose(over -> link.table())
                    .thenCompose(found -> found != Replica.NO_TABLE
                            ? CompletableFuture.completedFuture(true)
                            : look().thenApply(now -> now.revision() != seen.revision()))
                    .thenCompose(changed -> changed ? CompletableFuture.completedFuture(true) : createdByAnother(seen));
        }

        private CompletionStage<Void> makeIt(Contract seen, int tries) {
            return begin(seen)
                    .thenCompose(id -> id == Replica.NO_TABLE
                            ? create(tries - 1)
                            : step(() -> link.read(() -> {
                                        createIfNotExists(id);
                                        return id;
                                    }))
                                    .thenCompose(sent -> step(link::table))
                                    .thenCompose(found -> found.equals(id)
                                            ? step(() -> beginGeneration(id)).thenCompose(done -> declare(id, seen))
                                            : create(tries - 1)));
        }

        /**
         * Not if another process has begun to create it since this one has looked for the table, or has created it.
         *
         * @param seen the contract before that look
         */
        private CompletionStage<Integer> begin(Contract seen) {
            int id = draw();
            return change(found -> {
                        if (found.pending() && bug == Bug.ID_USED_AGAIN) {
                            return null;
                        }
                        // Not once more if an attempt in doubt has done it.
                        boolean isBegun = found.of(id) == Declared.CLAIMS;
                        return !isBegun && isAsSeen(found, seen) ? found.next(id, true) : null;
                    })
                    .thenApply(now -> {
                        boolean begun = bug == Bug.ID_USED_AGAIN ? now.pending() : now.of(id) == Declared.CLAIMS;
                        return begun ? now.id() : Replica.NO_TABLE;
                    });
        }

        private boolean isAsSeen(Contract found, Contract seen) {
            return found.revision() == seen.revision() || bug == Bug.CONTRACT_REPLACED_BLINDLY;
        }

        // ---- declare

        /**
         * It is claimed, and complete after a look at the other installation. If another table was declared since the contract was
         * seen, it is this one that is not there any more.
         */
        private CompletionStage<Void> declare(int id, Contract seen) {
            return change(found -> found.id() == id || !isAsSeen(found, seen) ? null : found.next(id, true))
                    .thenCompose(claimed -> claimed.id() != id
                            ? refuse("created or dropped by others at the same time")
                            : (bug == Bug.OTHERS_NOT_ASKED_AFTER_THE_CLAIM
                                            ? CompletableFuture.completedFuture(Declared.NONE)
                                            : ofOther(id))
                                    .thenCompose(other -> settle(claimed, other)));
        }

        private CompletionStage<Void> settle(Contract claimed, Declared other) {
            if (other == Declared.COUNTS || (other == Declared.CLAIMS && claimed.pending())) {
                return change(found -> found.pending() && found.revision() == claimed.revision()
                                ? found.next(Replica.NO_TABLE, false)
                                : null)
                        .thenCompose(taken -> refuse("of another installation"));
            }
            return claimed.pending()
                    ? change(found -> completed(found, claimed)).thenApply(done -> null)
                    : CompletableFuture.completedFuture(null);
        }

        private @Nullable Contract completed(Contract found, Contract claimed) {
            if (found.of(claimed.id()) == Declared.COUNTS) {
                return null;
            }
            if (found.revision() != claimed.revision() && bug != Bug.COMPLETED_WHATEVER_THE_REVISION) {
                refused++;
                throw new Refused("changed by another process at the same time");
            }
            return found.next(found.id(), false);
        }

        // ---- contracts

        private Register<Contract> own() {
            return contracts.get(installation);
        }

        private CompletionStage<Contract> seen() {
            return step(this::look).thenApply(this::remember);
        }

        private CompletionStage<Contract> look() {
            return link.read(() -> own().look());
        }

        private Contract remember(Contract found) {
            known = found.revision() > known.revision() ? found : known;
            return known;
        }

        /** On the condition of the revision that it was decided by. What is refused, or in doubt, is decided again. */
        private CompletionStage<Contract> change(Change change) {
            Contract before = known;
            Contract after;
            try {
                after = change.next(before);
            } catch (Refused e) {
                after = null;
            }
            return (after == null ? changeRead(change, MAX_CHANGES) : write(change, before, after, MAX_CHANGES))
                    .thenApply(this::remember);
        }

        private CompletionStage<Contract> changeRead(Change change, int tries) {
            return step(() -> link.read(() -> own().read())).thenCompose(before -> {
                Contract after = change.next(before);
                if (after == null) {
                    return CompletableFuture.completedFuture(before);
                }
                return tries == 0
                        ? refuse("whether it was changed is not known")
                        : write(change, before, after, tries - 1);
            });
        }

        private CompletionStage<Contract> write(Change change, Contract before, Contract after, int tries) {
            return step(() -> link.step(() -> replace(before, after), () -> own().commit()))
                    .thenCompose(outcome -> outcome instanceof StepOutcome.Done
                            ? CompletableFuture.completedFuture(after)
                            : changeRead(change, tries));
        }

        private boolean replace(Contract before, Contract after) {
            if (own().read().revision() != before.revision()) {
                return false;
            }
            own().step(found -> after);
            judge(installation, after);
            return true;
        }

        private CompletionStage<Declared> ofOther(int id) {
            return step(
                    () -> link.read(() -> contracts.get(1 - installation).look().of(id)));
        }

        /** What is declared of a table, unless the other installation counts in it, or has claimed it while nothing is. */
        private CompletionStage<Declared> find(int id) {
            return step(() -> link.read(() -> own().look()))
                    .thenCompose(own -> bug == Bug.CONTRACT_OF_ANY_TABLE && own.id() != Replica.NO_TABLE
                            ? CompletableFuture.completedFuture(Declared.COUNTS)
                            : ofOther(id)
                                    .thenCompose(other -> other == Declared.COUNTS
                                                    || (other == Declared.CLAIMS && own.of(id) == Declared.NONE)
                                            ? refuse("of another installation")
                                            : CompletableFuture.completedFuture(own.of(id))));
        }

        /** The row is written into whatever table has the name. */
        private CompletionStage<Integer> beginGeneration(int id) {
            return link.write(Generation.row(id, nextGeneration.getAsInt())).thenCompose(done -> generation(id));
        }

        // ---- adopt

        CompletionStage<Void> adopt() {
            return seen().thenCompose(seen -> step(link::table)
                    .thenCompose(id -> id == Replica.NO_TABLE ? refuse("there is no table") : adopt(id, seen)));
        }

        private CompletionStage<Void> adopt(int id, Contract seen) {
            return find(id).thenCompose(own -> step(link::table))
                    .thenCompose(now -> now == id
                            ? step(() -> generation(id))
                            : refuse("created or dropped by others at the same time"))
                    .exceptionallyCompose(failure -> Stages.cause(failure) instanceof Unnamed
                            ? step(() -> beginGeneration(id))
                            : CompletableFuture.failedFuture(failure))
                    .thenCompose(found -> declare(id, seen));
        }

        // ---- open

        CompletionStage<Opened> open() {
            return step(link::table)
                    .thenCompose(id -> id == Replica.NO_TABLE
                            ? refuse("there is no table")
                            : requireDeclared(id)
                                    .thenCompose(own -> step(() -> generation(id)))
                                    .exceptionallyCompose(none -> unlessItHasRows(id, none))
                                    .thenApply(generation -> {
                                        Opened opened = new Opened(new OpenTable(id), generation, installation);
                                        judge(opened);
                                        return opened;
                                    }));
        }

        private CompletionStage<Void> requireDeclared(int id) {
            return find(id).thenCompose(
                            own -> own == Declared.COUNTS || (own == Declared.CLAIMS && bug == Bug.CLAIM_OPENED)
                                    ? CompletableFuture.completedFuture(null)
                                    : refuse("not declared completely"));
        }

        private CompletionStage<Integer> unlessItHasRows(int id, Throwable none) {
            if (!(Stages.cause(none) instanceof Unnamed)) {
                return CompletableFuture.failedFuture(Stages.cause(none));
            }
            return step(() -> link.select("", REPLICAS))
                    .thenCompose(found -> found.values().stream().allMatch(List::isEmpty)
                            ? step(() -> beginGeneration(id))
                            : CompletableFuture.failedFuture(Stages.cause(none)));
        }

        private CompletionStage<Integer> generation(int id) {
            return link.select(Generation.ROWS)
                    .thenCompose(found -> in(found, id).isEmpty()
                            ? link.select(Generation.ROWS, REPLICAS)
                            : CompletableFuture.completedFuture(found))
                    .thenCompose(found -> in(found, id).isEmpty()
                            ? link.table()
                                    .thenCompose(now -> CompletableFuture.failedFuture(
                                            now == id ? new Unnamed() : new Refused("another table: " + now)))
                            : CompletableFuture.completedFuture(in(found, id).get(0)));
        }

        private List<Integer> in(Map<String, List<CounterRow>> found, int id) {
            return Generation.in(found.keySet(), id, bug);
        }
    }

    /** No row names the generation. */
    static final class Unnamed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unnamed() {
            super("no row names the generation", null, false, false);
        }
    }
}
