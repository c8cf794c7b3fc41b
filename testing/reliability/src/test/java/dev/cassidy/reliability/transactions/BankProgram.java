package dev.cassidy.reliability.transactions;

import dev.cassidy.reliability.program.Recorder;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.SessionFactory;

/**
 * DAO code in a JVM of its own: {@code NAME URL SEED ACCOUNTS ROLES} moves money between accounts until its input ends, by one thread for
 * each letter of ROLES: {@code w} writes, {@code h} does so with Hibernate, and {@code r} reads. With {@code w} there is no {@code h}: it changes no
 * versions.
 */
final class BankProgram {

    private BankProgram() {}

    public static void main(String[] args) throws Exception {
        Recorder recorder = new Recorder();
        Bank bank = Bank.parse(args[3]);
        List<Clerk> tellers = new ArrayList<>();
        Teller.Attention attention = new Teller.Attention();
        SessionFactory factory = args[4].contains("h") ? HibernateTeller.factory() : null;
        for (char role : args[4].toCharArray()) {
            int number = tellers.size();
            String name = args[0] + role + number;
            long seed = 10 * Long.parseLong(args[2]) + number;
            tellers.add(
                    role == 'h'
                            ? new HibernateTeller(factory, recorder, bank, name, seed, args[1], attention)
                            : new Teller(recorder, bank, name, seed, args[1], role == 'w', attention));
        }
        recorder.ready();
        tellers.forEach(teller -> new Thread(() -> work(teller), teller.name()).start());
        if (System.in.read() < 0) {
            // The test has ended without a word.
            Runtime.getRuntime().halt(1);
        }
        tellers.forEach(Clerk::end);
        for (Clerk teller : tellers) {
            teller.awaitEnd();
            teller.close();
        }
    }

    private static void work(Clerk teller) {
        try {
            teller.work();
        } catch (RuntimeException | InterruptedException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(2);
        }
    }
}
