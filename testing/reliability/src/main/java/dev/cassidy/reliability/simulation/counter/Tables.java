package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.reliability.simulation.VirtualTime;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Bug;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Generation;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.OpenTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The schema, in which the table of counters is dropped and created again, and the contract of each installation. A statement
 * takes effect at one node; the others learn of it later, each at a time of its own, and one that is down when it is up again.
 */
final class Tables {

    private static final int MAX_TRIES = 5;

    /** After so long a process that has begun to create the table has ended, or has failed. */
    private static final Duration LONGEST_CREATION = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int REPLICAS = 3;

    /** Once so many nodes have forgotten a table, nothing is written to it or read of it any more. */
    private static final int MAJORITY = 2;

    /** What an installation declares: of which table, and whether it is not known that the table was created. */
    private record Contract(int id, boolean pending, int revision, long at) {
        static final Contract NONE = new Contract(Replica.NO_TABLE, false, 0, 0);
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
    private final Map<Integer, Contract> contracts = new HashMap<>();
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
            IntSupplier nextGeneration) {
        this.datacenter = datacenter;
        this.time = datacenter.time();
        this.random = random;
        this.bug = bug;
        this.stormy = stormy;
        this.nextGeneration = nextGeneration;
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

    Program program(int installation) {
        return new Program(installation);
    }

    /** A process that creates, adopts or opens the table: the steps are those of the product. It may end between any two. */
    final class Program {

        private final int installation;
        private final Link link = new Link(datacenter, time::schedule, () -> false);

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
            return step(() -> link.read(this::own)).thenCompose(seen -> step(this::existing)
                    .thenCompose(found -> found == Replica.NO_TABLE
                            ? make(seen, tries)
                            : step(() -> requireDeclared(found)).thenCompose(own -> step(() -> declare(found, seen)))));
        }

        private Contract own() {
            return contracts.getOrDefault(installation, Contract.NONE);
        }

        private void replace(int id, boolean pending) {
            contracts.put(installation, new Contract(id, pending, own().revision() + 1, time.nanoTime()));
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
            return createdByAnother(seen).thenCompose(another -> another ? create(tries) : makeIt(seen, tries));
        }

        /** Waits while another process is about to create it; not if that one must have ended, or have failed. */
        private CompletionStage<Boolean> createdByAnother(Contract seen) {
            if (!seen.pending()
                    || bug == Bug.ID_USED_AGAIN
                    || time.nanoTime() - seen.at() > LONGEST_CREATION.toNanos()) {
                return CompletableFuture.completedFuture(false);
            }
            CompletableFuture<Void> pause = new CompletableFuture<>();
            time.schedule(() -> pause.complete(null), PAUSE);
            return pause.thenCompose(over -> link.table())
                    .thenCompose(found -> link.read(() -> found != Replica.NO_TABLE || !own().equals(seen)))
                    .thenCompose(changed -> changed ? CompletableFuture.completedFuture(true) : createdByAnother(seen));
        }

        private CompletionStage<Void> makeIt(Contract seen, int tries) {
            return step(() -> begin(seen))
                    .thenCompose(id -> id == Replica.NO_TABLE
                            ? create(tries - 1)
                            : step(() -> link.read(() -> {
                                        createIfNotExists(id);
                                        return id;
                                    }))
                                    .thenCompose(sent -> step(link::table))
                                    .thenCompose(found -> found.equals(id)
                                            ? step(() -> beginGeneration(id))
                                                    .thenCompose(done -> step(() -> declare(id, seen)))
                                            : create(tries - 1)));
        }

        /**
         * Not if another process has begun to create it since this one has looked for the table, or has created it.
         *
         * @param seen the contract before that look
         */
        private CompletionStage<Integer> begin(Contract seen) {
            return link.read(() -> {
                if (own().pending() && bug == Bug.ID_USED_AGAIN) {
                    return own().id();
                }
                if (!own().equals(seen) && bug != Bug.CONTRACT_REPLACED_BLINDLY) {
                    return Replica.NO_TABLE;
                }
                replace(++ids, true);
                return ids;
            });
        }

        /** If another table was declared since the contract was seen, it is this one that is not there any more. */
        private CompletionStage<Void> declare(int id, Contract seen) {
            return link.read(() -> {
                        boolean isNamed = own().id() == id;
                        if (!isNamed && !own().equals(seen) && bug != Bug.CONTRACT_REPLACED_BLINDLY) {
                            return false;
                        }
                        if (!isNamed || own().pending()) {
                            replace(id, false);
                        }
                        return true;
                    })
                    .thenCompose(done -> done
                            ? CompletableFuture.completedFuture(null)
                            : refuse("created or dropped by others at the same time"));
        }

        /** The row is written into whatever table has the name. */
        private CompletionStage<Integer> beginGeneration(int id) {
            return link.write(Generation.row(id, nextGeneration.getAsInt())).thenCompose(done -> generation(id));
        }

        // ---- adopt

        /** Two installations may adopt it at the same time: each looks for the other's contract before and after its own. */
        CompletionStage<Void> adopt() {
            return step(() -> link.read(this::own))
                    .thenCompose(seen -> step(link::table).thenCompose(id -> adopt(id, seen)));
        }

        private CompletionStage<Void> adopt(int id, Contract seen) {
            return step(() -> requireAlone(id))
                    .thenCompose(alone -> step(() -> generation(id)))
                    .exceptionallyCompose(failure -> Stages.cause(failure) instanceof Unnamed
                            ? step(() -> beginGeneration(id))
                            : CompletableFuture.failedFuture(failure))
                    .thenCompose(found -> step(() -> declare(id, seen)))
                    .thenCompose(declared -> step(() -> requireAlone(id))
                            .exceptionallyCompose(failure -> step(() -> takeBack(id, seen))
                                    .thenCompose(done -> CompletableFuture.failedFuture(failure))));
        }

        private CompletionStage<Void> requireAlone(int id) {
            return link.read(() -> isOfAnother(id))
                    .thenCompose(ofAnother -> ofAnother
                            ? refuse("another installation counts in it")
                            : CompletableFuture.completedFuture(null));
        }

        /** Only what it has declared itself. */
        private CompletionStage<Void> takeBack(int id, Contract seen) {
            return link.read(() -> {
                if (own().id() == id && seen.id() != id) {
                    replace(Replica.NO_TABLE, false);
                }
                return null;
            });
        }

        // ---- open

        CompletionStage<Opened> open() {
            return step(link::table).thenCompose(id -> step(() -> requireDeclared(id))
                    .thenCompose(own -> step(() -> generation(id)))
                    .exceptionallyCompose(none -> unlessItHasRows(id, none))
                    .thenApply(generation -> new Opened(new OpenTable(id), generation, installation)));
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

        /** A contract is of one table by its id. */
        private CompletionStage<Void> requireDeclared(int id) {
            return link.read(() -> isDeclared(id))
                    .thenCompose(declared -> declared
                            ? CompletableFuture.completedFuture(null)
                            : refuse("not declared, or by another installation"));
        }

        private boolean isDeclared(int id) {
            Contract own = own();
            if (id == Replica.NO_TABLE || own.id() == Replica.NO_TABLE) {
                return false;
            }
            return bug == Bug.CONTRACT_OF_ANY_TABLE || (own.id() == id && !isOfAnother(id));
        }

        private boolean isOfAnother(int id) {
            return contracts.entrySet().stream()
                    .anyMatch(each ->
                            each.getKey() != installation && each.getValue().id() == id);
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
