package dev.cassidy.migration;

import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Declares of a table what rows that are there may break. In this order: it is declared, every process obeys it, and then all rows
 * are read. So no row can break it that was not read. If a row does, or if rows cannot be read, the declaration is taken back,
 * unless somebody has changed the contract meanwhile. A crash in between leaves it declared, and rows that nobody has read.
 *
 * @param contract on which it was decided
 * @param wanted the definition of the same table
 * @param progress takes what is done next
 */
record Alteration(TableRegistry registry, TableContract contract, TableDefinition wanted, Consumer<String> progress) {

    /** How it ended. The names are those of the report. */
    enum Result {
        /** It is declared, and no row breaks it. */
        ALTERED,
        /** It was declared before, and no row breaks it. */
        CONFIRMED,
        /** Rows break it. The contract is what it was before. */
        TAKEN_BACK,
        /** Rows break it. It was declared before, and stays. */
        BROKEN,
        /** Rows break it. It stays declared, because another process has, or may have, declared it meanwhile. */
        LEFT
    }

    /** @param rows what was found in rows */
    record Outcome(Result result, RowCheck.Result rows) {}

    /**
     * Does it.
     *
     * @param rows reads all rows of the table
     * @throws SequenceException.Conflict if the contract was changed meanwhile
     * @throws MigrationException if rows cannot be read; the message says what is declared now
     */
    Outcome apply(Supplier<RowCheck.Result> rows) {
        boolean before = wanted.equals(contract.definition());
        TableContract tightened = tighten();
        RowCheck.Result found;
        try {
            progress.accept("it is declared; waiting until every process obeys it");
            registry.awaitNoticed();
            found = rows.get();
        } catch (RuntimeException e) {
            throw failed(tightened, before, e);
        }
        if (found.broken().isEmpty()) {
            requireDeclared(tightened);
            return new Outcome(before ? Result.CONFIRMED : Result.ALTERED, found);
        }
        if (before) {
            return new Outcome(Result.BROKEN, found);
        }
        try {
            takeBack(tightened);
            return new Outcome(Result.TAKEN_BACK, found);
        } catch (SequenceException.Conflict e) {
            progress.accept(String.valueOf(e.getMessage()));
            return new Outcome(Result.LEFT, found);
        }
    }

    private TableContract tighten() {
        try {
            return registry.tighten(contract, wanted);
        } catch (SequenceException.Unavailable e) {
            throw new MigrationException(
                    ExitCode.of(e),
                    "whether it is declared of table " + contract.name()
                            + " is not known, and no rows were read: run the" + " command again. " + e.getMessage(),
                    e);
        }
    }

    /** @throws SequenceException.Conflict if this is, or may be, not this command's own declaration alone */
    private void takeBack(TableContract tightened) {
        if (tightened.revision() != contract.revision() + 1) {
            throw new SequenceException.Conflict(
                    "another process has, or may have, declared the same of table " + contract.name() + " meanwhile");
        }
        registry.loosen(tightened, Objects.requireNonNull(contract.definition()));
    }

    /** Another process that has taken it back, or changed it, has made a revision. */
    private void requireDeclared(TableContract tightened) {
        TableContract now = registry.contract(contract.keyspace(), contract.table());
        if (now.revision() != tightened.revision() && !wanted.equals(now.definition())) {
            throw new SequenceException.Conflict("no row breaks it, but the contract of table " + contract.name()
                    + " was changed meanwhile, and says something else now. Run the command again");
        }
    }

    private MigrationException failed(TableContract tightened, boolean before, RuntimeException e) {
        // Also a command that is to end takes it back, and waits for that.
        boolean interrupted = Thread.interrupted();
        String state = before ? "It was declared before, and stays" : takenBack(tightened, e);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new MigrationException(
                interrupted ? ExitCode.INTERRUPTED : ExitCode.of(e),
                "the rows of table " + contract.name() + " were not read to the end: " + e.getMessage() + ". " + state,
                e);
    }

    private String takenBack(TableContract tightened, RuntimeException e) {
        try {
            takeBack(tightened);
            return "The contract is what it was before";
        } catch (RuntimeException alsoHere) {
            e.addSuppressed(alsoHere);
            return "It is declared, and rows may break it: run the command again. It was not taken back, because "
                    + alsoHere.getMessage();
        }
    }
}
