package dev.cassidy.reliability.transactions;

import dev.cassidy.reliability.program.Recorder;
import java.util.ArrayList;
import java.util.List;

/**
 * DAO code in a JVM of its own: {@code NAME URL SEED ACCOUNTS ROLES} moves money between accounts until its input ends, by one thread for
 * each letter of ROLES: {@code w} writes, and {@code r} reads.
 */
final class BankProgram {

    private BankProgram() {}

    public static void main(String[] args) throws Exception {
        Recorder recorder = new Recorder();
        Bank bank = Bank.parse(args[3]);
        List<Teller> tellers = new ArrayList<>();
        Teller.Attention attention = new Teller.Attention();
        for (char role : args[4].toCharArray()) {
            int number = tellers.size();
            tellers.add(new Teller(
                    recorder,
                    bank,
                    args[0] + role + number,
                    10 * Long.parseLong(args[2]) + number,
                    args[1],
                    role == 'w',
                    attention));
        }
        recorder.ready();
        tellers.forEach(teller -> new Thread(() -> work(teller), teller.name()).start());
        if (System.in.read() < 0) {
            // The test has ended without a word.
            Runtime.getRuntime().halt(1);
        }
        tellers.forEach(Teller::end);
        for (Teller teller : tellers) {
            teller.awaitEnd();
            teller.close();
        }
    }

    private static void work(Teller teller) {
        try {
            teller.work();
        } catch (RuntimeException | InterruptedException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(2);
        }
    }
}
