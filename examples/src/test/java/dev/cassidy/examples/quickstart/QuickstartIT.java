package dev.cassidy.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each run has its own server, because the quickstart says that it starts with an empty one. */
class QuickstartIT {

    private static final Sizes SMALL = new Sizes(6, 5, 30, 3, 4, 25, 200, 20);

    private final Steps real = Quickstart.realSteps();
    private final ByteArrayOutputStream narration = new ByteArrayOutputStream();

    @Test
    void shouldExitWithZeroWhenEveryCheckHolds() {
        assertThat(run(real)).as(this::narration).isZero();
        assertThat(narration()).contains("9 of 9 parts were completed").doesNotContain("[FAIL]");
        assertThat(narration().lines()).as("a terminal's width").allSatisfy(line -> assertThat(line)
                .hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void shouldFailWhenTheSequencesWereNotSeeded() {
        Steps.Migration withoutSeed = (arguments, out) ->
                arguments.contains("seed") ? 0 : real.migration().run(arguments, out);

        assertThat(run(new Steps(withoutSeed, real.counterFunctions())))
                .as(this::narration)
                .isNotZero();
        assertThat(narration()).contains("[FAIL] each sequence is ready and begins");
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
                .contains("[FAIL] the server sums the three inserts of IBM to 2,000 (expected 2,000, read 0)")
                .contains("[FAIL] the server's sum of 203 trades is the client's")
                .contains("9 of 9 parts were completed");
    }

    private int run(Steps steps) {
        PrintStream out = new PrintStream(narration, true, StandardCharsets.UTF_8);
        return new Quickstart(SMALL, steps, System::nanoTime, out).run();
    }

    private String narration() {
        return narration.toString(StandardCharsets.UTF_8);
    }
}
