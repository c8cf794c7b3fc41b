package dev.cassidy.jdbc.run;

import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.tsql.StepPrinter;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Makes the plans of a script's steps. Prepares what they would send, and runs nothing. */
final class StepPlanner implements TsqlStep.Visitor<Plan, SQLException> {

    private static final Set<String> NOT_THERE_YET = Set.of(SqlStates.NO_COLUMN, SqlStates.NO_TABLE);

    private final SharedSession session;
    private final CqlSteps cqlSteps;
    private final AssistedReads assisted;
    private final AssistedWrites assistedWrites;
    private final CountedWrites countedWrites;
    private final Inserts inserts;
    private final Definitions definitions;
    private final boolean judgesCosts;

    /** @param judgesCosts whether a query is refused that this connection refuses because it asks too many nodes */
    StepPlanner(
            SharedSession session,
            CqlSteps cqlSteps,
            AssistedReads assisted,
            AssistedWrites assistedWrites,
            CountedWrites countedWrites,
            Inserts inserts,
            Definitions definitions,
            boolean judgesCosts) {
        this.session = session;
        this.judgesCosts = judgesCosts;
        this.cqlSteps = cqlSteps;
        this.assisted = assisted;
        this.assistedWrites = assistedWrites;
        this.countedWrites = countedWrites;
        this.inserts = inserts;
        this.definitions = definitions;
    }

    /** Returns the kind of a step's plan, if it is not refused. */
    static Plan.Kind kind(TsqlStep step) {
        if (step instanceof TsqlStep.Definition
                || (step instanceof TsqlStep.Cql cql && cql.defines())
                || (step instanceof TsqlStep.CheckIdentity check && check.reseed() != null)) {
            return Plan.Kind.DEFINITION;
        }
        if (step instanceof TsqlStep.Assisted || step instanceof TsqlStep.AssistedWrite) {
            return Plan.Kind.ASSISTED;
        }
        if (step instanceof TsqlStep.AssignRows rows) {
            return kind(rows.query());
        }
        return step instanceof TsqlStep.Setting ? Plan.Kind.SETTING : Plan.Kind.DIRECT;
    }

    /**
     * Returns whether a step writes rows, or changes what {@link Plan.Definition} does. What only belongs to the statement of the
     * next step changes nothing by itself, or is taken back with it.
     */
    static boolean changes(TsqlStep step) {
        boolean apart = !(step instanceof TsqlStep.AddColumns || step instanceof TsqlStep.LeftOut);
        return (apart && kind(step) == Plan.Kind.DEFINITION)
                || step instanceof TsqlStep.Insert
                || step instanceof TsqlStep.AssistedWrite
                || step instanceof TsqlStep.Count
                || (step instanceof TsqlStep.Cql cql && !cql.reads());
    }

    /** Returns the plan of a statement that is refused with an error. */
    static Plan refused(SQLException error) {
        return new Plan.Refused(String.valueOf(error.getMessage()), String.valueOf(error.getSQLState()));
    }

    /**
     * Returns the plans in the order in which the steps run, without those that the condition of an IF excludes now. What follows a
     * definition may use tables that are not there yet.
     *
     * @throws SQLException for what says nothing of the script, such as a lost connection
     */
    List<Plan> plans(TsqlScript script) throws SQLException {
        List<Plan> plans = new ArrayList<>();
        int skipped = 0;
        for (TsqlStep step : script.steps()) {
            if (skipped > 0) {
                skipped--;
            } else if (step instanceof TsqlStep.IfExists guard) {
                skipped = definitions.exists(guard.object()) == guard.exists() ? 0 : guard.steps();
            } else if (step instanceof TsqlStep.Later later) {
                later(later, plans);
            } else if (!(step instanceof TsqlStep.IfHolds || step instanceof TsqlStep.Otherwise)) {
                // Which of the steps behind those run, only the run decides.
                plans.add(plan(step));
            }
        }
        return plans;
    }

    private void later(TsqlStep.Later later, List<Plan> plans) throws SQLException {
        for (TsqlStep each : later.read()) {
            Plan plan = plan(each);
            plans.add(
                    plan instanceof Plan.Refused refused && NOT_THERE_YET.contains(refused.sqlState())
                            ? new Plan.Direct(
                                    "by the tables that the script has made then", each.statements(), List.of())
                            : plan);
        }
        if (later.read().isEmpty()) {
            plans.add(new Plan.Direct("by the tables that the script has made then", List.of(later.text()), List.of()));
        }
    }

    /** Returns how one step is served, that is no IF. */
    Plan plan(TsqlStep step) throws SQLException {
        try {
            return step.accept(this);
        } catch (SQLException | RuntimeException e) {
            SQLException refusal = SyntaxErrors.told(SqlErrors.of(e, session.commandLines()), step, session);
            if (isOfTheCluster(refusal)) {
                throw refusal;
            }
            return refused(refusal);
        }
    }

    static boolean isOfTheCluster(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return state.startsWith("08") || state.equals(SqlStates.TIMEOUT) || state.startsWith("53");
    }

    private static Plan byTheDriver(TsqlStep step) {
        return new Plan.Direct("the driver answers " + StepPrinter.of(step), List.of(), List.of());
    }

    private static Plan definition(TsqlStep step) {
        return new Plan.Definition(StepPrinter.of(step), step.statements());
    }

    private static Plan setting(TsqlStep step) {
        return new Plan.Setting(StepPrinter.of(step));
    }

    @Override
    public Plan cql(TsqlStep.Cql step) throws SQLException {
        if (judgesCosts) {
            cqlSteps.refuseCosts(step);
        }
        // A change of the schema cannot be judged before it is made.
        return step.defines() ? new Plan.Definition("sent as it is", List.of(step.text())) : planned(step);
    }

    private Plan planned(TsqlStep.Cql step) throws SQLException {
        TsqlStep.Written written = step.written();
        if (written != null
                && step.reads()
                && assisted.isServed()
                && session.statements().assisted(written).get()) {
            return assisted.plan(written, Unserved.feature("It was evaluated in the client before"));
        }
        try {
            return cqlSteps.plan(step);
        } catch (SQLException | RuntimeException e) {
            SQLException refusal = SqlErrors.of(e, session.commandLines());
            if (written == null || !Unserved.isOfCql(refusal) || !assisted.isServed()) {
                throw e;
            }
            return step.reads() ? assisted.plan(written, refusal) : assistedWrites.plan(written, refusal);
        }
    }

    @Override
    public Plan assisted(TsqlStep.Assisted step) throws SQLException {
        return assisted.plan(step.written(), step.refusal());
    }

    @Override
    public Plan assistedWrite(TsqlStep.AssistedWrite step) throws SQLException {
        return assistedWrites.plan(step.written(), SqlErrors.of(step.refusal()));
    }

    @Override
    public Plan count(TsqlStep.Count step) throws SQLException {
        return countedWrites.plan(step);
    }

    @Override
    public Plan insert(TsqlStep.Insert step) throws SQLException {
        return inserts.plan(step);
    }

    @Override
    public Plan later(TsqlStep.Later step) {
        throw new IllegalStateException("is read again when it is reached: " + step.text());
    }

    @Override
    public Plan selectOutput(TsqlStep.SelectOutput step) {
        return byTheDriver(step);
    }

    @Override
    public Plan selectIdentity(TsqlStep.SelectIdentity step) {
        return byTheDriver(step);
    }

    @Override
    public Plan nextValue(TsqlStep.NextValue step) {
        return byTheDriver(step);
    }

    @Override
    public Plan selectRowCount(TsqlStep.SelectRowCount step) {
        return byTheDriver(step);
    }

    @Override
    public Plan selectValues(TsqlStep.SelectValues step) {
        return byTheDriver(step);
    }

    @Override
    public Plan assignValue(TsqlStep.AssignValue step) {
        return byTheDriver(step);
    }

    @Override
    public Plan assignRows(TsqlStep.AssignRows step) throws SQLException {
        return step.query().accept(this);
    }

    @Override
    public Plan schemaView(TsqlStep.SchemaView step) {
        return byTheDriver(step);
    }

    @Override
    public Plan tableColumns(TsqlStep.TableColumns step) {
        return byTheDriver(step);
    }

    @Override
    public Plan tableHelp(TsqlStep.TableHelp step) {
        return byTheDriver(step);
    }

    @Override
    public Plan planOf(TsqlStep.PlanOf step) {
        return byTheDriver(step);
    }

    @Override
    public Plan checkIdentity(TsqlStep.CheckIdentity step) {
        return step.reseed() == null ? byTheDriver(step) : definition(step);
    }

    @Override
    public Plan createSequence(TsqlStep.CreateSequence step) {
        return definition(step);
    }

    @Override
    public Plan restartSequence(TsqlStep.RestartSequence step) {
        return definition(step);
    }

    @Override
    public Plan dropSequence(TsqlStep.DropSequence step) {
        return definition(step);
    }

    @Override
    public Plan createTable(TsqlStep.CreateTable step) throws SQLException {
        definitions.verify(step);
        return new Plan.Definition(
                "CREATE TABLE " + step.table().name()
                        + (step.identity() == null
                                ? ""
                                : ", whose column " + step.identity().column() + " takes the ids of a sequence"),
                step.statements());
    }

    @Override
    public Plan addColumns(TsqlStep.AddColumns step) {
        return new Plan.Definition(
                "what ALTER TABLE " + step.table().name() + " ADD says of columns and constraints is declared",
                List.of());
    }

    @Override
    public Plan alterColumn(TsqlStep.AlterColumn step) {
        return definition(step);
    }

    @Override
    public Plan addDefaults(TsqlStep.AddDefaults step) {
        return definition(step);
    }

    @Override
    public Plan dropConstraints(TsqlStep.DropConstraints step) {
        return definition(step);
    }

    @Override
    public Plan switchConstraints(TsqlStep.SwitchConstraints step) {
        return definition(step);
    }

    @Override
    public Plan leftOut(TsqlStep.LeftOut step) {
        return new Plan.Definition("left out: " + step.what(), List.of());
    }

    @Override
    public Plan ifExists(TsqlStep.IfExists step) {
        throw new IllegalStateException("decides about the steps behind it: " + step.object());
    }

    @Override
    public Plan ifHolds(TsqlStep.IfHolds step) {
        throw new IllegalStateException(
                "decides about the steps behind it: " + step.written().text());
    }

    @Override
    public Plan otherwise(TsqlStep.Otherwise step) {
        throw new IllegalStateException("decides about the steps behind it: " + step.steps());
    }

    @Override
    public Plan createIndex(TsqlStep.CreateIndex step) throws SQLException {
        definitions.verify(step);
        return definition(step);
    }

    @Override
    public Plan dropIndex(TsqlStep.DropIndex step) {
        return definition(step);
    }

    @Override
    public Plan setIdentityInsert(TsqlStep.SetIdentityInsert step) {
        return setting(step);
    }

    @Override
    public Plan setNoCount(TsqlStep.SetNoCount step) {
        return setting(step);
    }

    @Override
    public Plan setIsolation(TsqlStep.SetIsolation step) {
        return setting(step);
    }

    @Override
    public Plan setDateOrder(TsqlStep.SetDateOrder step) {
        return setting(step);
    }

    @Override
    public Plan setLanguage(TsqlStep.SetLanguage step) {
        return setting(step);
    }

    @Override
    public Plan setFirstDay(TsqlStep.SetFirstDay step) {
        return setting(step);
    }

    @Override
    public Plan showPlans(TsqlStep.ShowPlans step) {
        return setting(step);
    }

    @Override
    public Plan print(TsqlStep.Print step) {
        return setting(step);
    }

    @Override
    public Plan use(TsqlStep.Use step) {
        return setting(step);
    }

    @Override
    public Plan ignored(TsqlStep.Ignored step) {
        return setting(step);
    }
}
