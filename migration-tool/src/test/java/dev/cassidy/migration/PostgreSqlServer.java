package dev.cassidy.migration;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A real PostgreSQL on the loopback interface, for all tests of this JVM. It ends with the JVM. */
final class PostgreSqlServer {

    private static PostgreSqlServer shared;

    private final EmbeddedPostgres server;

    private PostgreSqlServer(EmbeddedPostgres server) {
        this.server = server;
    }

    static synchronized PostgreSqlServer shared() {
        if (shared == null) {
            try {
                shared = new PostgreSqlServer(EmbeddedPostgres.builder()
                        .setServerConfig("listen_addresses", "127.0.0.1")
                        .start());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start PostgreSQL", e);
            }
        }
        return shared;
    }

    /** Returns the URL of the superuser {@code postgres}, who needs no password. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
    }
}
