package dev.cassidy.examples.quickstart;

import dev.cassidy.counter.CrdtFunctions;
import dev.cassidy.migration.MigrationTool;
import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Moves a small shop from SQL Server's dialect to a real Cassandra before the reader's eyes, and checks every number.
 * Exits with 0 only if every check held. Run it by {@code mvn -q -Pquickstart verify}.
 */
public final class Quickstart {

    private static final int PARTS = 9;
    private static final long SEED = 2_015;

    private final Sizes sizes;
    private final Steps steps;
    private final LongSupplier nanoTime;
    private final PrintStream out;

    Quickstart(Sizes sizes, Steps steps, LongSupplier nanoTime, PrintStream out) {
        this.sizes = sizes;
        this.steps = steps;
        this.nanoTime = nanoTime;
        this.out = out;
    }

    public static void main(String[] args) {
        int code = new Quickstart(Sizes.defaults(), realSteps(), System::nanoTime, System.out).run();
        // The driver's threads would keep this JVM alive for a while.
        System.exit(code);
    }

    static Steps realSteps() {
        return new Steps(
                (arguments, out) ->
                        new MigrationTool(out, out, Map.of(), Optional.empty()).run(arguments.toArray(String[]::new)),
                CrdtFunctions::install);
    }

    /** Returns the exit code: 0 if everything was done and every check held. */
    int run() {
        Narration narration = new Narration(out, nanoTime, PARTS);
        narration.title("Cassidy: a shop moves from SQL Server to Apache Cassandra and keeps its ids");
        narration.say("The parts are real: an application's JDBC code, a Cassandra server, the migration tool, the JDBC"
                + " driver. What one connection wrote, another reads back. [ok] marks a check that held; the exit code"
                + " is 0 only if every check did.");
        try {
            tell(narration);
        } catch (Exception e) {
            narration.check("the story runs to its end; it was stopped by: " + firstLine(e), false);
            e.printStackTrace(out);
        }
        return narration.verdict() ? 0 : 1;
    }

    private static String firstLine(Exception e) {
        return e.toString().lines().findFirst().orElse("");
    }

    private void tell(Narration narration) throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        try (OldShop oldShop = OldShop.create()) {
            narration.part("The old shop", new OldShopPart(oldShop, sizes, random));
            try (NewShopPart starting = new NewShopPart()) {
                narration.part("A real Cassandra", starting);
                NewShop newShop = starting.shop();
                narration.part("The identities move", new SeedPart(oldShop, newShop, steps.migration()));
                narration.part("The same code, another URL", new SameDaoPart(oldShop, newShop));
                narration.part("Many at once", new RushPart(newShop, sizes, nanoTime));
                CustomerDay day = new CustomerDay(newShop, sizes);
                narration.part("Tables with defaults", day::prepare);
                narration.part(
                        "Trades, counted", new CounterPart(newShop, steps.counterFunctions(), sizes, random.split()));
                narration.part("Counted once", new CountedOncePart(newShop, sizes));
                narration.part("A customer's day", day::tell);
            }
        }
    }
}
