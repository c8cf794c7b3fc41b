package dev.cassidy.migration;

import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Reading;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Moves native counters that have come to rest.
 *
 * <p>The order matters. They are read twice before the first write, so that a writer that was forgotten is likely to be
 * noticed while nothing has changed, and once more after the last. A counter that was moved before keeps what was moved
 * then; if its native counter is another value now, the command names the difference.
 */
final class CounterMover {

    private static final int WRITES_AT_ONCE = 64;
    private static final int MAX_FINDINGS = 1_000;

    /**
     * What was done.
     *
     * @param counters how many native counters have a value
     * @param total their sum
     * @param moved how many of them Cassidy's counters contain now, with this value
     */
    record Result(
            ExitCode exitCode, long counters, BigInteger total, long moved, List<Report.CounterFinding> findings) {}

    /** What a reading of all counters gave. */
    private record Reading(long counters, BigInteger total, String digest) {}

    private final NativeCounters source;
    private final Counters target;
    private final Consumer<String> progress;
    private final LongConsumer confirm;
    private final List<Report.CounterFinding> findings = new ArrayList<>();
    private long conflicts;
    private long moved;

    /** @param confirm receives the number of counters, and throws to refuse */
    CounterMover(NativeCounters source, Counters target, Consumer<String> progress, LongConsumer confirm) {
        this.source = source;
        this.target = target;
        this.progress = progress;
        this.confirm = confirm;
    }

    Result move(boolean dryRun) {
        progress.accept("reading " + source.name());
        Reading before = read((name, value) -> {});
        if (dryRun) {
            return result(ExitCode.OK, before);
        }
        confirm.accept(before.counters());
        requireAtRest(before, read((name, value) -> {}));
        progress.accept("moving " + before.counters() + " counters");
        Reading written = write();
        Reading after = read((name, value) -> {});
        if (!written.equals(before) || !after.equals(before)) {
            findings.add(
                    new Report.CounterFinding(
                            "risk",
                            "",
                            "the native counters changed while they were moved. Stop what increments them and run the command"
                                    + " again: it names each counter that is another value than was moved, and the difference"));
            return result(ExitCode.RISK, after);
        }
        return result(conflicts > 0 ? ExitCode.RISK : ExitCode.OK, after);
    }

    private static void requireAtRest(Reading before, Reading now) {
        if (!now.equals(before)) {
            throw new MigrationException(
                    ExitCode.RISK,
                    "the native counters are not at rest: between two readings their sum went from " + before.total()
                            + " to " + now.total()
                            + ", or one of them changed. Nothing was written. Stop what increments them, then run"
                            + " again");
        }
    }

    private Reading read(NativeCounters.Visitor visitor) {
        MessageDigest digest = sha256();
        long[] counters = {0};
        BigInteger[] total = {BigInteger.ZERO};
        source.each((name, value) -> {
            counters[0]++;
            total[0] = total[0].add(BigInteger.valueOf(value));
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES + text.length + Long.BYTES)
                    .putInt(text.length)
                    .put(text)
                    .putLong(value)
                    .array());
            visitor.visit(name, value);
        });
        return new Reading(counters[0], total[0], HexFormat.of().formatHex(digest.digest()));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    private record Write(String name, BigInteger value, CompletableFuture<BigInteger> carried) {}

    private Reading write() {
        Deque<Write> underWay = new ArrayDeque<>();
        Reading reading = read((name, value) -> {
            if (name.isEmpty()) {
                conflict(name, "a counter without a name cannot be moved: its key is an empty text");
                return;
            }
            if (underWay.size() == WRITES_AT_ONCE) {
                end(underWay.remove());
            }
            BigInteger total = BigInteger.valueOf(value);
            try {
                underWay.add(
                        new Write(name, total, target.carryOver(name, total).toCompletableFuture()));
            } catch (CounterException.Overflow e) {
                conflict(name, String.valueOf(e.getMessage()));
            }
        });
        underWay.forEach(this::end);
        return reading;
    }

    private void end(Write write) {
        BigInteger there;
        try {
            there = write.carried().join();
        } catch (CompletionException e) {
            throw new MigrationException(
                    ExitCode.PARTIAL,
                    "counter '" + write.name() + "' could not be moved: "
                            + Objects.requireNonNullElse(e.getCause(), e).getMessage()
                            + ". Others were; run the command again",
                    e);
        }
        if (there.equals(write.value())) {
            moved++;
        } else {
            conflict(
                    write.name(),
                    "was moved before as " + there + ", which stays; its native counter is " + write.value()
                            + " now. If the difference was counted after the move, increment Cassidy's counter by "
                            + write.value().subtract(there));
        }
    }

    private void conflict(String name, String message) {
        conflicts++;
        if (findings.size() < MAX_FINDINGS) {
            findings.add(new Report.CounterFinding("risk", name, message));
        } else if (findings.size() == MAX_FINDINGS) {
            findings.add(new Report.CounterFinding("risk", "", "and more"));
        }
    }

    private Result result(ExitCode code, Reading reading) {
        return new Result(code, reading.counters(), reading.total(), moved, List.copyOf(findings));
    }
}
