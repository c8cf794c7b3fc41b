package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a statement as a script for one connection. */
public final class ScriptParser {

    private static final Pattern SHOW_PLANS =
            Pattern.compile("^\\s*set\\s+showplan_text\\s+(?:on|off)\\s*;?\\s*$", Pattern.CASE_INSENSITIVE);

    private ScriptParser() {}

    /** Reads a statement that is executed as it is. It is not remembered: with its values in it, it rarely comes twice. */
    public static TsqlScript parse(@Nullable String sql, ConnectionState state) throws SQLException {
        SharedSession session = state.session();
        return parse(sql, text -> TsqlScript.parse(text, session.tables()), state);
    }

    /** Reads a statement that is to be prepared, and so may be used often: the session remembers it. */
    public static TsqlScript parsePrepared(@Nullable String sql, ConnectionState state) throws SQLException {
        return parse(sql, state.session().statements()::script, state);
    }

    /** As {@link #parse(String, ConnectionState)}, also while plans are shown in place of what statements do. */
    static TsqlScript parseToRun(String sql, ConnectionState state) throws SQLException {
        SharedSession session = state.session();
        return read(sql, text -> TsqlScript.parse(text, session.tables()), state);
    }

    private static TsqlScript parse(@Nullable String sql, Function<String, TsqlScript> reader, ConnectionState state)
            throws SQLException {
        if (sql == null) {
            throw new SQLException("must be a statement: sql=null", SqlStates.BAD_ARGUMENT);
        }
        if (state.showsPlans() && !SHOW_PLANS.matcher(sql).find()) {
            return new TsqlScript(List.of(new TsqlStep.PlanOf(sql)), 1, markers(sql), false);
        }
        try {
            return read(sql, reader, state);
        } catch (SQLException e) {
            if (Unserved.isRefusal(e)) {
                state.figures().count(Plan.Kind.REFUSED);
            }
            throw e;
        }
    }

    private static int markers(String sql) throws SQLException {
        try {
            return new Tokens(sql).markers();
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    private static TsqlScript read(String sql, Function<String, TsqlScript> reader, ConnectionState state)
            throws SQLException {
        TsqlScript script;
        try {
            script = reader.apply(sql);
        } catch (UnsupportedSqlException e) {
            throw state.settings().assists() ? AssistedErrors.told(e) : SqlErrors.of(e);
        } catch (UnreadDeclarations e) {
            throw e.error();
        }
        // Here, before anything of the script has run.
        TsqlStep.Refusal unkept = script.unkept();
        if (unkept != null && !state.settings().leavesConstraintsOut()) {
            throw SqlErrors.of(unkept.toException());
        }
        if (!state.settings().assists()) {
            for (TsqlStep step : script.asRead()) {
                if (step instanceof TsqlStep.InClient unserved) {
                    throw SqlErrors.of(unserved.refusal());
                }
            }
        }
        requireOne(script, state);
        requireOneRaiseEach(script);
        requireNoSequenceDdl(script, state);
        if (script.steps().size() > 1 && script.steps().stream().anyMatch(TsqlStep.ShowPlans.class::isInstance)) {
            throw SqlErrors.of(UnsupportedSqlException.asSqlServer(
                    1067,
                    "The SET SHOWPLAN statements must be the only statements in the batch: run it on its own before the"
                            + " statements whose plans it is to show"));
        }
        // The statements after it would be prepared and described in the keyspace from before it.
        if (script.steps().size() > 1 && script.steps().stream().anyMatch(TsqlStep.Use.class::isInstance)) {
            throw Unserved.feature("USE is not served among other statements: run it on its own before them, call"
                    + " setSchema, or name the keyspace: keyspace.table");
        }
        return script;
    }

    private static void requireOne(TsqlScript script, ConnectionState state) throws SQLException {
        if (script.statements() > 1 && !state.settings().allowsSeveralStatements()) {
            throw Unserved.feature("A script of " + script.statements()
                    + " statements is refused by multipleStatements=false: run each by itself, or set"
                    + " multipleStatements=true");
        }
    }

    /** Refused here before anything runs; by which sequence a table's ids are made, only the run finds out. */
    private static void requireOneRaiseEach(TsqlScript script) throws SQLException {
        Set<String> raised = new HashSet<>();
        for (TsqlStep step : script.asRead()) {
            CqlInsert.Table sequence = step instanceof TsqlStep.RestartSequence restart
                    ? restart.sequence()
                    : step instanceof TsqlStep.CheckIdentity check && check.reseed() != null ? check.table() : null;
            if (sequence != null && !raised.add(sequence.name())) {
                throw SequenceStatements.restartedTwice(sequence.name());
            }
        }
    }

    private static void requireNoSequenceDdl(TsqlScript script, ConnectionState state) throws SQLException {
        if (state.settings().allowsSequenceDdl()) {
            return;
        }
        for (TsqlStep step : script.asRead()) {
            boolean changes = step instanceof TsqlStep.CreateSequence
                    || step instanceof TsqlStep.RestartSequence
                    || step instanceof TsqlStep.DropSequence
                    || (step instanceof TsqlStep.CheckIdentity check && check.reseed() != null)
                    || (step instanceof TsqlStep.CreateTable table && table.identity() != null);
            if (changes) {
                throw Unserved.feature("A statement that creates, restarts or drops a sequence is refused by"
                        + " sequenceDdl=refused: let the migration tool do it, or connect with sequenceDdl=allowed");
            }
        }
    }
}
