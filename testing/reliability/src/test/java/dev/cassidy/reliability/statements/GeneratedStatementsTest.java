package dev.cassidy.reliability.statements;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks with Cassandra's own parser what the product makes of generated statements: correct ones, spoiled ones, and
 * T-SQL. {@code -Dstatements.seed=N} checks one again, {@code -Dstatements=N} checks more. The first seed is the same
 * in every build, so that a failure can be repeated on every machine.
 */
class GeneratedStatementsTest {

    private static final Logger LOG = LoggerFactory.getLogger(GeneratedStatementsTest.class);
    private static final int THREADS = 2;
    private static final long STATEMENTS = Long.getLong("statements", 25_000);

    /** Names of columns that users may have registered. */
    private static final List<String> IDENTITIES = List.of(
            "the_id",
            "The Id",
            "a\"b",
            "\"",
            "\"\"",
            "x\"); DROP TABLE t; --",
            "x) VALUES (1); DROP TABLE t",
            "/*",
            "*/",
            "--",
            "//",
            "select",
            "",
            "\u00e9",
            "a.b",
            "')",
            "$$",
            "?",
            ":x",
            "\n",
            "[a]",
            "N'x'");

    /** The numbers of checked statements. */
    private record Tally(long made, long spoiled, long tsql, long cql) {

        Tally plus(Tally other) {
            return new Tally(made + other.made, spoiled + other.spoiled, tsql + other.tsql, cql + other.cql);
        }
    }

    private final Judge judge = new Judge(new CassandraParser());

    @Test
    void shouldChangeNothingButTheIdentityColumn() throws Exception {
        Long only = Long.getLong("statements.seed");
        AtomicLong seeds = new AtomicLong(only == null ? 0 : only);
        long end = only == null ? STATEMENTS : only + 1;
        Tally all = new Tally(0, 0, 0, 0);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Tally>> shares = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                shares.add(threads.submit(() -> judgeUntil(end, seeds)));
            }
            for (Future<Tally> share : shares) {
                all = all.plus(share.get());
            }
        } finally {
            threads.shutdownNow();
        }
        LOG.info(
                "{} CQL statements of which {} are accepted, {} spoiled ones, {} in T-SQL",
                all.made,
                all.cql,
                all.spoiled,
                all.tsql);
        // Statements that Cassandra refuses prove little.
        if (only == null) {
            assertThat(all.cql).as("accepted by Cassandra").isGreaterThan(all.made * 3 / 4);
        }
    }

    private Tally judgeUntil(long end, AtomicLong seeds) {
        Tally tally = new Tally(0, 0, 0, 0);
        for (long seed = seeds.getAndIncrement(); seed < end; seed = seeds.getAndIncrement()) {
            try {
                tally = tally.plus(judge(seed));
            } catch (AssertionError | RuntimeException e) {
                // The other threads need not continue.
                seeds.set(Long.MAX_VALUE / 2);
                throw new AssertionError("again with -Dstatements.seed=" + seed, e);
            }
        }
        return tally;
    }

    private Tally judge(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        String identity = IDENTITIES.get(random.nextInt(IDENTITIES.size()));
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> {
                boolean cql = judge.judge(new CqlGrammar(random).statement().text(), identity);
                yield new Tally(1, 0, 0, cql ? 1 : 0);
            }
            case 9, 10, 11, 12, 13 -> {
                judge.judge(new Mutator(random).spoil(new CqlGrammar(random).statement()), identity);
                yield new Tally(0, 1, 0, 0);
            }
            case 14, 15, 16 -> {
                TsqlGrammar.Case made = new TsqlGrammar(random).insert();
                judge.parsedUnlessRefusedByName(new Mutator(random).spoil(made.pieces()));
                yield new Tally(0, 1, 0, 0);
            }
            default -> {
                judge.judge(new TsqlGrammar(random).insert());
                yield new Tally(0, 0, 1, 0);
            }
        };
    }
}
