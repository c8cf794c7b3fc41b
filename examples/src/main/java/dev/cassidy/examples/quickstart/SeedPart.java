package dev.cassidy.examples.quickstart;

import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The migration tool carries the identities over: it creates Cassidy's keyspaces, plans and seeds. */
record SeedPart(OldShop oldShop, NewShop newShop, Steps.Migration migration) implements Narration.Part {

    @Override
    public void tell(Narration narration) throws SQLException {
        narration.say("The migration tool reads the old database's identity columns and seeds Cassidy's sequences.");
        List<String> target = List.of("--contact-points", newShop.contactPoint(), "--local-dc", newShop.datacenter());
        List<String> both = new ArrayList<>(List.of("--source-url", OldShop.URL, "--keyspace", NewShop.KEYSPACE));
        both.addAll(target);
        run(narration, target, "init", "--replication", newShop.datacenter() + ":1");
        run(narration, both, "migrate", "plan");
        run(narration, both, "migrate", "seed", "--offline", "--yes");

        narration.blank();
        narration.say("The sequences as Cassandra has them now, read by another session:");
        List<List<Object>> rows = new ArrayList<>();
        boolean continues = true;
        try (Sequences sequences = Sequences.open(newShop.session(), SequencesConfig.defaults())) {
            for (String table : OldShop.TABLES) {
                Optional<SequenceState> state = sequences.admin().find(NewShop.KEYSPACE + "." + table);
                long last = oldShop.lastIdentity(table);
                boolean ready = state.map(SequenceState::ready).orElse(false);
                Object floor = state.<Object>map(SequenceState::floor).orElse("none");
                rows.add(List.of(table, last, floor, ready ? "yes" : "no"));
                continues &= ready && floor.equals(last + 1);
            }
        }
        narration.table(List.of("table", "last identity, old", "first id, new", "ready"), rows);
        narration.blank();
        narration.check("each sequence is ready and begins one past the old table's last identity", continues);
    }

    private void run(Narration narration, List<String> where, String... command) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(where);
        narration.blank();
        narration.command("cassidy", arguments);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        int code = migration.run(arguments, new PrintStream(text, true, StandardCharsets.UTF_8));
        narration.quote(text.toString(StandardCharsets.UTF_8));
        narration.equal("cassidy " + String.join(" ", command).replaceFirst(" --.*", "") + " exits with 0", 0, code);
    }
}
