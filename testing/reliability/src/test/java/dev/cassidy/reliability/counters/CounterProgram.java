package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * An application in its own JVM. {@code HOST PORT cassidy} and {@code HOST PORT native} increment counters of either kind
 * as long as they are told to, {@code HOST PORT folder} folds counters. It reads commands: {@code load NAME CALLERS},
 * {@code stop}, {@code fold COUNTER COUNTER...}, {@code end}. It prints each entry of its ledger when it makes it.
 */
final class CounterProgram {

    /** Begins the lines that are meant for the test; others are logged. */
    static final String TELLS = "> ";

    /** Ends them: a kill may cut the last line short. */
    static final String END_OF_LINE = " ;";

    static final String STOP = "stop";
    static final String STOPPED = "stopped";
    static final String FOLDING = "folding";
    static final String READY = "ready";

    private CounterProgram() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress contact = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        try (CqlSession session = Sessions.to(contact);
                Counters counters = Counters.open(session, CounterCluster.CONFIG)) {
            obey(
                    counters,
                    args[2].equals("native")
                            ? Incrementing.OfCassandra.of(session, CounterCluster.NATIVE, false)
                            : new Incrementing.OfCassidy(counters));
        }
    }

    private static void obey(Counters counters, Incrementing client) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Ledger ledger = new Ledger(client instanceof Incrementing.OfCassandra, CounterProgram::tell);
        Load load = null;
        tell(READY);
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("load")) {
                load = Load.start(words[1], client, ledger, Integer.parseInt(words[2]), Duration.ofMillis(2));
            } else if (words[0].equals(STOP)) {
                load.stop();
                tell(STOPPED);
            } else {
                foldForEver(counters, words);
            }
        }
    }

    /** Until the process is killed. */
    private static void foldForEver(Counters counters, String[] words) {
        while (true) {
            for (int i = 1; i < words.length; i++) {
                tell(FOLDING);
                try {
                    counters.counter(words[i]).fold();
                } catch (CounterException.Unavailable e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    private static void tell(String line) {
        System.out.println(TELLS + line + END_OF_LINE);
    }
}
