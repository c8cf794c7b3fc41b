package dev.cassidy.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.IdentityColumn;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each run has a server of its own, because it claims to begin with nothing. */
class QuickstartIT {

    private static final Sizes SMALL = new Sizes(6, 5, 30, 3, 4, 25, 200, 20);

    private final Steps real = Quickstart.realSteps();
    private final ByteArrayOutputStream narration = new ByteArrayOutputStream();

    @Test
    void shouldExitWithZeroWhenEveryCheckHolds() {
        assertThat(run(real)).as(this::narration).isZero();
        assertThat(narration()).contains("6 of 6 parts were told").doesNotContain("[FAILED]");
        assertThat(narration().lines()).as("a terminal's width").allSatisfy(line -> assertThat(line)
                .hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void shouldFailWhenTheSequencesWereNotSeeded() {
        Steps.Migration withoutSeed = (arguments, out) ->
                arguments.get(0).equals("seed") ? 0 : real.migration().run(arguments, out);

        assertThat(run(new Steps(withoutSeed, real.counterFunctions())))
                .as(this::narration)
                .isNotZero();
        assertThat(narration()).contains("[FAILED] each sequence is ready and begins");
    }

    @Test
    void shouldFailWhenTheSequencesWereSeededAtOne() {
        Steps.Migration atOne = (arguments, out) -> arguments.get(0).equals("seed")
                ? seedAtOne(arguments)
                : real.migration().run(arguments, out);

        assertThat(run(new Steps(atOne, real.counterFunctions())))
                .as(this::narration)
                .isNotZero();
        assertThat(narration()).contains("[FAILED] each sequence is ready and begins");
    }

    @Test
    void shouldFailWhenTheServersSumIsZero() {
        Steps.CounterFunctions zero = (session, keyspace) -> {
            for (String type : List.of("int", "bigint")) {
                session.execute("CREATE FUNCTION " + keyspace + ".nothing(state varint, value " + type
                        + ") CALLED ON NULL INPUT RETURNS varint LANGUAGE java AS 'return state;'");
                session.execute("CREATE AGGREGATE " + keyspace + ".crdt_sum(" + type
                        + ") SFUNC nothing STYPE varint INITCOND 0");
            }
        };

        assertThat(run(new Steps(real.migration(), zero))).as(this::narration).isNotZero();
        assertThat(narration())
                .contains("[FAILED] the server sums them to 2,000 (expected 2,000, read 0)")
                .contains("[FAILED] the server's sum is the client's")
                .contains("6 of 6 parts were told");
    }

    private int run(Steps steps) {
        PrintStream out = new PrintStream(narration, true, StandardCharsets.UTF_8);
        return new Quickstart(SMALL, steps, System::nanoTime, out).run();
    }

    private String narration() {
        return narration.toString(StandardCharsets.UTF_8);
    }

    private static int seedAtOne(List<String> arguments) {
        String[] address =
                arguments.get(arguments.indexOf("--contact-points") + 1).split(":");
        try (CqlSession session = CqlSession.builder()
                        .addContactPoint(new InetSocketAddress(address[0], Integer.parseInt(address[1])))
                        .withLocalDatacenter("dc1")
                        .build();
                Sequences sequences = Sequences.open(session, SequencesConfig.defaults())) {
            for (String table : OldShop.TABLES) {
                sequences.create(SequenceSpec.of("shop." + table));
                sequences.registerIdentity(new IdentityColumn("shop", table, "id", "shop." + table));
            }
        }
        return 0;
    }
}
