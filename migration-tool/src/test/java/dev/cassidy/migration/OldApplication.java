package dev.cassidy.migration;

import dev.cassidy.recorder.RecordingDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.stream.Stream;

/** An application on H2 in SQL Server mode, beside a recorder. */
final class OldApplication implements AutoCloseable {

    /** What it does. */
    interface Work {
        void on(Connection connection) throws Exception;
    }

    private final Path folder;
    private final String url;

    /** @param name of the database, which lives as long as the JVM */
    OldApplication(Path folder, String name) {
        this.folder = folder;
        this.url = "jdbc:h2:mem:" + name + ";MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;DB_CLOSE_DELAY=-1"
                + ";INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo";
        System.setProperty("cassidy.record", folder.resolve("shop").toString());
        System.setProperty("cassidy.record.databases", "jdbc:h2:");
    }

    String url() {
        return url;
    }

    String recordedUrl() {
        return RecordingDriver.PREFIX + url;
    }

    /** Runs statements on the old database, which the recorder does not see. */
    OldApplication prepare(String... statements) throws SQLException {
        try (Connection plain = DriverManager.getConnection(url)) {
            for (String statement : statements) {
                plain.createStatement().execute(statement);
            }
        }
        return this;
    }

    /** Runs the application, and returns what was recorded of it. */
    Path record(Work work) throws Exception {
        try (Connection connection = DriverManager.getConnection(recordedUrl())) {
            work.on(connection);
        }
        return record();
    }

    /** Ends the recording and returns its file. */
    Path record() throws IOException {
        RecordingDriver.end();
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    public void close() {
        RecordingDriver.end();
        System.clearProperty("cassidy.record");
        System.clearProperty("cassidy.record.databases");
    }
}
