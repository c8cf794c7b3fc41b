package dev.cassidy.migration.target;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.SequencesConfig;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The record of each run that changes something, in table {@code migration_run} of Cassidy's global keyspace: who seeded
 * what, when, by which plan, and how it ended. A run that was killed has no end. Nothing is decided by it, so a run that
 * cannot be recorded goes on and says so.
 */
public final class RunLog {

    private static final String TABLE = ".migration_run";

    private final CqlSession session;
    private final String keyspace;
    private final InstantSource clock;
    private final Consumer<String> notes;

    RunLog(CqlSession session, String globalKeyspace, InstantSource clock, Consumer<String> notes) {
        this.session = session;
        this.keyspace = globalKeyspace;
        this.clock = clock;
        this.notes = notes;
    }

    /** Returns the CQL that creates the table. */
    public static String schema(SequencesConfig config) {
        return "CREATE TABLE IF NOT EXISTS " + config.globalKeyspace() + TABLE
                + " (source text, started timestamp, run uuid, ended timestamp, command text, exit_code int, tables int,"
                + " plan text, process text, tool text, PRIMARY KEY (source, started, run))"
                + " WITH CLUSTERING ORDER BY (started DESC, run ASC) AND comment = 'runs of migration-tool'";
    }

    /**
     * Records that a run begins.
     *
     * @param plan the hash of the plan that it executes, or null
     * @param by the process, as the sequences name it
     * @param tool the tool's version
     */
    public Run begin(String command, String source, int tables, @Nullable String plan, String by, String tool) {
        Run run = new Run(source, clock.instant(), UUID.randomUUID());
        write(
                "INSERT INTO " + keyspace + TABLE
                        + " (source, started, run, command, tables, plan, process, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                source,
                run.started,
                run.id,
                command,
                tables,
                plan,
                by,
                tool);
        return run;
    }

    /** One run. */
    public final class Run {

        private final String source;
        private final Instant started;
        private final UUID id;

        private Run(String source, Instant started, UUID id) {
            this.source = source;
            this.started = started;
            this.id = id;
        }

        /** Records how the run ended. */
        public void end(ExitCode exitCode) {
            write(
                    "UPDATE " + keyspace + TABLE
                            + " SET ended = ?, exit_code = ? WHERE source = ? AND started = ? AND run = ?",
                    clock.instant(),
                    exitCode.code(),
                    source,
                    started,
                    id);
        }
    }

    private void write(String cql, @Nullable Object... values) {
        try {
            session.execute(SimpleStatement.newInstance(cql, values));
        } catch (QueryValidationException e) {
            notes.accept("this run is not recorded: " + e.getMessage() + " (cassidy init creates table " + keyspace
                    + TABLE + ")");
        } catch (DriverException e) {
            notes.accept("this run is not recorded: " + e.getMessage());
        }
    }
}
