package dev.cassidy.reliability.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every conditional statement of sequences, with every failure and every outcome in the store. */
class StatementFaultsIT {

    private static final Logger LOG = LoggerFactory.getLogger(StatementFaultsIT.class);
    private static final String KEYSPACE = "faults_it";

    private static final EnumSet<Step> CREATION = EnumSet.of(Step.INSERT, Step.ESTABLISH, Step.INSERT_COPY);
    private static final EnumSet<Step> RAISE = EnumSet.of(
            Step.REPLACE, Step.ADOPT, Step.REPLACE_COPY, Step.FORGET, Step.ACKNOWLEDGE, Step.NOTE_ACKNOWLEDGED);
    private static final EnumSet<Step> RETURN = EnumSet.of(Step.GIVE_BACK, Step.CLAIM_TAIL);
    private static final int MAX_ALONE = 64;
    private static final long RAISED_TO = 100_000;

    private static final Matrix MATRIX = new Matrix();

    private static TwoProcesses processes;
    private static FaultyNode node;
    private static Evidence.Tables tables;
    private static int cells;

    @BeforeAll
    static void open() throws IOException {
        processes = new TwoProcesses(KEYSPACE);
        node = processes.node;
        tables = new Evidence.Tables(processes.direct, KEYSPACE);
    }

    @AfterAll
    static void close() throws IOException {
        processes.close();
        LOG.info("{} cells{}", cells, MATRIX);
    }

    static List<Cell> cells() {
        return Cell.of(EnumSet.range(Step.GRANT, Step.ACKNOWLEDGE));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void shouldServeOnlyProvenClaims(Cell cell) {
        assertThat(violationsOf(cell)).isEmpty();
    }

    /** Cells for a client that guesses the outcome. They prove that the cells above would detect such an error. */
    static List<Cell> guesses() {
        return List.of(
                new Cell(Step.GRANT, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.ROLL_OVER, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.ROLL_OVER, Failure.TOLD_REFUSED, Outcome.APPLIED),
                new Cell(Step.CLAIM, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.CLAIM, Failure.TOLD_APPLIED, Outcome.OVERTAKEN),
                new Cell(Step.CLAIM, Failure.TOLD_REFUSED, Outcome.APPLIED),
                new Cell(Step.CLAIM_TAIL, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.CLAIM_TAIL, Failure.TOLD_REFUSED, Outcome.APPLIED),
                new Cell(Step.GIVE_BACK, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.INSERT, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.ESTABLISH, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.REPLACE, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.FORGET, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED));
    }

    @ParameterizedTest
    @MethodSource("guesses")
    void shouldDetectAClientThatGuesses(Cell cell) {
        assertThat(violationsOf(cell)).isNotEmpty();
    }

    private static List<String> violationsOf(Cell cell) {
        String sequence = "cell" + cells++;
        SequenceSpec spec = SequenceSpec.of(sequence).withBlock(8, 8).withReserve(256, 256);
        Evidence evidence = new Evidence(tables, sequence, node::hasSent);
        Client faulty = new Client(Evidence.FAULTY, processes.faulty, sequence, evidence);
        Client rival = new Client("rival", processes.rival, sequence, evidence);
        List<String> violations = new ArrayList<>();
        try {
            if (CREATION.contains(cell.step())) {
                create(cell, spec, faulty, rival);
            } else if (RAISE.contains(cell.step())) {
                raise(cell, spec, faulty, rival, evidence);
            } else {
                issue(cell, spec, faulty, rival);
            }
            faulty.giveBack();
            node.land();
            rival.draw(12);
            rival.giveBack();
            evidence.account();
        } catch (SequenceException | CompletionException refused) {
            violations.add("it did not go on: " + refused);
        }
        assertThat(node.broken()).isEmpty();
        assertThat(node.injected()).as("the fault was injected").isTrue();
        violations.addAll(node.repeated());
        violations.addAll(evidence.violations());
        if (evidence.stillHeld() > 0) {
            violations.add(evidence.stillHeld() + " ids are held by claims that no process knows");
        }
        if (evidence.leaked() > 0 && !RAISE.contains(cell.step())) {
            violations.add(evidence.leaked() + " ids are nowhere");
        }
        MATRIX.add(cell, violations.isEmpty(), node.landing(), faulty.refusals());
        return violations;
    }

    private static void create(Cell cell, SequenceSpec spec, Client faulty, Client rival) {
        node.arm(cell, spec.name(), () -> {
            rival.sequences().create(spec);
            rival.draw(10);
        });
        faulty.eventually(() -> faulty.sequences().create(spec));
        drawInTurn(faulty, rival);
    }

    private static void issue(Cell cell, SequenceSpec spec, Client faulty, Client rival) {
        rival.sequences().create(spec);
        if (RETURN.contains(cell.step())) {
            drawInTurn(faulty, rival);
            node.arm(cell, spec.name(), () -> rival.draw(10));
            faulty.giveBack();
        } else {
            node.arm(cell, spec.name(), () -> rival.draw(10));
        }
        // The faulty process draws alone, so that a statement that lands later meets the state for which it was sent,
        // unless the outcome lets the rival continue.
        for (int i = 0; i < MAX_ALONE && !node.settled(); i++) {
            faulty.draw(1);
        }
        drawInTurn(faulty, rival);
    }

    private static void raise(Cell cell, SequenceSpec spec, Client faulty, Client rival, Evidence evidence) {
        rival.sequences().create(spec);
        faulty.draw(3);
        rival.draw(3);
        node.arm(cell, spec.name(), () -> rival.draw(10));
        CompletableFuture<Void> looked = node.answered("writetime(claim)");
        CompletableFuture<Boolean> raised = CompletableFuture.supplyAsync(
                () -> isSeeded(faulty, spec, cell.failure().isLie()));
        CompletableFuture.anyOf(looked, raised).join();
        if (raised.isDone() && raised.join()) {
            evidence.reseeded(RAISED_TO);
        }
        // The rival has not noticed the raise yet, and continues with its ids. So the raise must wait for it.
        rival.draw(2);
        rival.giveBack();
        if (raised.join()) {
            evidence.reseeded(RAISED_TO);
        }
        drawInTurn(faulty, rival);
    }

    /**
     * Seeds the sequence.
     *
     * @param lied whether the client may wait for ever, because it believes to have done what it waits for. Then it
     *     tries once, and the tables alone are the evidence.
     * @return whether every process has let go of older ids
     */
    private static boolean isSeeded(Client client, SequenceSpec spec, boolean lied) {
        Runnable seed = () -> client.sequences().admin().seed(spec.name(), RAISED_TO);
        if (!lied) {
            client.eventually(seed);
            return true;
        }
        try {
            seed.run();
            return true;
        } catch (SequenceException.NotAcknowledged waitsForEver) {
            return false;
        }
    }

    private static void drawInTurn(Client faulty, Client rival) {
        for (int i = 0; i < 12; i++) {
            faulty.draw(1);
            rival.draw(1);
        }
    }
}
