package dev.cassidy.examples.quickstart;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Starts the Cassandra that the shop moves to, and creates the shop's tables in it. Closing it ends the node. */
final class NewShopPart implements Narration.Part, AutoCloseable {

    private @Nullable NewShop shop;

    @Override
    public void tell(Narration narration) {
        narration.say("A server starts, of the released Maven artifact, with its own yaml, commit log and data:");
        NewShop started = NewShop.start();
        shop = started;
        narration.table(
                List.of("version", "address", "datacenter"),
                List.of(List.of(started.version(), started.contactPoint(), started.datacenter())));
        narration.blank();
        narration.say("The shop's tables are ordinary CQL, and nothing in them is Cassidy's:");
        narration.quote(NewShop.DDL);
        started.execute(NewShop.DDL);
        narration.blank();
        narration.equal("the server has the shop's three tables", (long) OldShop.TABLES.size(), started.tables());
    }

    /** Returns what was started. */
    NewShop shop() {
        return Objects.requireNonNull(shop, "the part was not told");
    }

    @Override
    public void close() {
        if (shop != null) {
            shop.close();
        }
    }
}
