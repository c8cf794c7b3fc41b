package dev.cassidy.flyway;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;

/**
 * A service that migrates when it starts, as a process. Connects, prints the jar of its Flyway, waits for a line, migrates, and prints how
 * many migrations it has applied. It waits for the lock without end.
 *
 * <p>Arguments: the URL; the folder of the migrations; {@code hang}, if a further migration is to never end.
 */
public final class FlywayProgram {
    private FlywayProgram() {}

    static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    /** Tells that it has begun, and never ends. */
    public static final class V6__Hang extends BaseJavaMigration {
        @Override
        public void migrate(Context context) throws InterruptedException {
            OUT.println("migrating");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    public static void main(String[] arguments) throws Exception {
        FluentConfiguration configuration = Flyway.configure()
                .dataSource(arguments[0], "", "")
                .locations("filesystem:" + arguments[1])
                // Until the test frees the lock of the process that it kills.
                .lockRetryCount(-1);
        if (arguments.length > 2) {
            configuration.javaMigrations(new V6__Hang());
        }
        Flyway flyway = configuration.load();
        // It keeps the session open that Flyway's connections share.
        try (Connection connected = DriverManager.getConnection(arguments[0])) {
            OUT.println(
                    "jar=" + Flyway.class.getProtectionDomain().getCodeSource().getLocation());
            if (System.in.read() < 0 || connected.isClosed()) {
                throw new IllegalStateException("no line to begin with");
            }
            OUT.println("applied=" + flyway.migrate().migrationsExecuted);
        }
    }
}
