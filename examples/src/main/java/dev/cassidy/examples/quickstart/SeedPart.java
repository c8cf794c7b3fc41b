package dev.cassidy.examples.quickstart;

import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The migration tool carries the identities over: it creates Cassidy's keyspaces, plans and seeds. */
record SeedPart(OldShop oldShop, NewShop newShop, Steps.Migration migration) implements Narration.Part {

    @Override
    public void tell(Narration narration) throws SQLException {
        narration.say("The migration tool reads the old database's identity columns and seeds Cassidy's sequences.");
        narration.say("Its output:");
        String node = newShop.contactPoint();
        run(narration, "init", "--contact-points", node, "--replication", newShop.datacenter() + ":1");
        run(narration, "plan", "--contact-points", node, "--source-url", OldShop.URL, "--keyspace", NewShop.KEYSPACE);
        run(
                narration,
                "seed",
                "--offline",
                "--yes",
                "--contact-points",
                node,
                "--source-url",
                OldShop.URL,
                "--keyspace",
                NewShop.KEYSPACE);

        narration.blank();
        narration.say("The sequences as Cassandra has them now, read by another session:");
        List<List<Object>> rows = new ArrayList<>();
        boolean continues = true;
        try (Sequences sequences = Sequences.open(newShop.session(), SequencesConfig.defaults())) {
            for (String table : OldShop.TABLES) {
                Optional<SequenceState> state = sequences.find(NewShop.KEYSPACE + "." + table);
                long last = oldShop.lastIdentity(table);
                boolean ready = state.map(SequenceState::ready).orElse(false);
                Object floor = state.<Object>map(SequenceState::floor).orElse("none");
                rows.add(List.of(table, last, floor, ready ? "yes" : "no"));
                continues &= ready && floor.equals(last + 1);
            }
        }
        narration.table(List.of("table", "last identity, old", "first id, new", "ready"), rows);
        narration.blank();
        narration.check("each sequence is ready and begins one past the last identity of the old table", continues);
    }

    private void run(Narration narration, String... arguments) {
        narration.blank();
        narration.say("$ migration-tool " + String.join(" ", arguments));
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        int code = migration.run(List.of(arguments), out);
        out.flush();
        narration.quote(text.toString());
        narration.equal("migration-tool " + arguments[0] + " exits with 0", 0, code);
    }
}
