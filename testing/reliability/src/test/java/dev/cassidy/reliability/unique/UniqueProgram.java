package dev.cassidy.reliability.unique;

import dev.cassidy.reliability.program.Recorder;
import java.util.ArrayList;
import java.util.List;

/** DAO code in a JVM of its own: {@code NAME URL NUMBER} writes accounts by several threads until its input ends. */
final class UniqueProgram {

    /** How many threads write in one process. */
    static final int THREADS = 2;

    private UniqueProgram() {}

    public static void main(String[] args) throws Exception {
        Recorder recorder = new Recorder();
        List<Registrar> registrars = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            registrars.add(new Registrar(recorder, args[1], THREADS * Integer.parseInt(args[2]) + i));
        }
        recorder.ready();
        List<Thread> threads = registrars.stream()
                .map(each -> new Thread(() -> work(each), args[0] + each.number()))
                .toList();
        threads.forEach(Thread::start);
        if (System.in.read() < 0) {
            // The test has ended without a word.
            Runtime.getRuntime().halt(1);
        }
        registrars.forEach(Registrar::end);
        for (Thread each : threads) {
            each.join();
        }
        for (Registrar each : registrars) {
            each.close();
        }
    }

    private static void work(Registrar registrar) {
        try {
            registrar.work();
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(2);
        }
    }
}
