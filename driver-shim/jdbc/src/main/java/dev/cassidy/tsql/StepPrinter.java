package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import java.util.List;
import java.util.stream.Collectors;

/** Writes the steps that the driver serves itself, without CQL, as T-SQL. */
public final class StepPrinter implements TsqlStep.Visitor<String, RuntimeException> {

    private static final StepPrinter INSTANCE = new StepPrinter();

    private StepPrinter() {}

    /** Returns a statement that says what the step does. */
    public static String of(TsqlStep step) {
        return step.accept(INSTANCE);
    }

    private static String name(CqlInsert.Table table) {
        String name = Identifiers.toCql(table.name());
        return table.keyspace() == null ? name : Identifiers.toCql(table.keyspace()) + "." + name;
    }

    private static String labelled(String select, String label) {
        return label.isEmpty() ? select : select + " AS " + Identifiers.toCql(label);
    }

    @Override
    public String cql(TsqlStep.Cql step) {
        return step.text();
    }

    @Override
    public String assisted(TsqlStep.Assisted step) {
        return step.written().text();
    }

    @Override
    public String assistedWrite(TsqlStep.AssistedWrite step) {
        return step.written().text();
    }

    @Override
    public String count(TsqlStep.Count step) {
        return "UPDATE " + name(step.table()) + " SET "
                + step.increments().stream()
                        .map(each -> each.column()
                                + (each.negative() ? " -= " : " += ")
                                + (each.parameter() < 0 ? each.literal() : "?"))
                        .collect(Collectors.joining(", "))
                + ", of the rows of " + step.keys().text();
    }

    @Override
    public String insert(TsqlStep.Insert step) {
        return String.join("; ", step.statements());
    }

    @Override
    public String later(TsqlStep.Later step) {
        return step.text();
    }

    @Override
    public String selectOutput(TsqlStep.SelectOutput step) {
        return "SELECT the OUTPUT of statement " + (step.insert() + 1);
    }

    @Override
    public String selectIdentity(TsqlStep.SelectIdentity step) {
        return labelled(
                step.type() == NumericType.NUMERIC
                        ? "SELECT SCOPE_IDENTITY()"
                        : "SELECT CAST(SCOPE_IDENTITY() AS " + step.type() + ")",
                step.label());
    }

    @Override
    public String nextValue(TsqlStep.NextValue step) {
        return labelled("SELECT NEXT VALUE FOR " + name(step.sequence()), step.label());
    }

    @Override
    public String selectRowCount(TsqlStep.SelectRowCount step) {
        return labelled("SELECT @@ROWCOUNT", step.label());
    }

    @Override
    public String selectValues(TsqlStep.SelectValues step) {
        return "SELECT "
                + step.values().stream()
                        .map(each -> labelled(
                                each.cast() == null
                                        ? each.source().variable().name()
                                        : "CAST(" + each.source().variable().name() + " AS " + each.cast() + ")",
                                each.label()))
                        .collect(Collectors.joining(", "));
    }

    @Override
    public String assignValue(TsqlStep.AssignValue step) {
        Object literal = step.literal();
        String value = step.parameter() >= 0
                ? "?"
                : literal instanceof String text
                        ? "'" + text.replace("'", "''") + "'"
                        : literal == null ? "NULL" : literal.toString();
        return "SET " + step.target().variable().name() + " = " + value;
    }

    @Override
    public String assignRows(TsqlStep.AssignRows step) {
        return "SET "
                + step.targets().stream().map(each -> each.variable().name()).collect(Collectors.joining(", "))
                + " = (" + of(step.query()) + ")";
    }

    @Override
    public String schemaView(TsqlStep.SchemaView step) {
        return "SELECT of INFORMATION_SCHEMA." + step.query().view();
    }

    @Override
    public String tableColumns(TsqlStep.TableColumns step) {
        return "EXEC sp_columns '" + step.table() + "'";
    }

    @Override
    public String tableHelp(TsqlStep.TableHelp step) {
        return "EXEC sp_help '" + name(step.table()) + "', its " + step.part();
    }

    @Override
    public String setIdentityInsert(TsqlStep.SetIdentityInsert step) {
        return "SET IDENTITY_INSERT " + name(step.table()) + (step.on() ? " ON" : " OFF");
    }

    @Override
    public String checkIdentity(TsqlStep.CheckIdentity step) {
        return "DBCC CHECKIDENT ('" + name(step.table()) + "'"
                + (step.reseed() == null ? ")" : ", RESEED, " + step.reseed() + ")")
                + (step.quiet() ? " WITH NO_INFOMSGS" : "");
    }

    @Override
    public String createSequence(TsqlStep.CreateSequence step) {
        return "CREATE SEQUENCE " + name(step.sequence()) + " AS " + step.type() + " START WITH " + step.start()
                + " INCREMENT BY " + step.increment()
                + (step.minimum() == null ? "" : " MINVALUE " + step.minimum())
                + (step.maximum() == null ? "" : " MAXVALUE " + step.maximum());
    }

    @Override
    public String restartSequence(TsqlStep.RestartSequence step) {
        return "ALTER SEQUENCE " + name(step.sequence()) + " RESTART WITH " + step.next();
    }

    @Override
    public String dropSequence(TsqlStep.DropSequence step) {
        return "DROP SEQUENCE " + (step.ifExists() ? "IF EXISTS " : "") + name(step.sequence());
    }

    @Override
    public String createTable(TsqlStep.CreateTable step) {
        return step.cql();
    }

    /** The columns are shown by the step that adds them. */
    @Override
    public String addColumns(TsqlStep.AddColumns step) {
        return "";
    }

    @Override
    public String alterColumn(TsqlStep.AlterColumn step) {
        return step.text();
    }

    @Override
    public String addDefaults(TsqlStep.AddDefaults step) {
        return step.defaults().stream()
                .map(each -> "ALTER TABLE " + name(step.table()) + " ADD"
                        + (each.name() == null ? "" : " CONSTRAINT " + each.name()) + " DEFAULT "
                        + each.value().expression() + " FOR " + Identifiers.toCql(each.column()))
                .collect(Collectors.joining("; "));
    }

    @Override
    public String dropConstraints(TsqlStep.DropConstraints step) {
        return "ALTER TABLE " + name(step.table()) + " DROP CONSTRAINT " + String.join(", ", step.names());
    }

    @Override
    public String switchConstraints(TsqlStep.SwitchConstraints step) {
        return "ALTER TABLE " + name(step.table()) + (step.on() ? " CHECK" : " NOCHECK") + " CONSTRAINT "
                + (step.names().isEmpty() ? "ALL" : String.join(", ", step.names()));
    }

    @Override
    public String leftOut(TsqlStep.LeftOut step) {
        return "-- left out: " + step.what().replaceAll("\\s+", " ") + "\n";
    }

    @Override
    public String ifExists(TsqlStep.IfExists step) {
        SchemaObject object = step.object();
        return "-- the next " + step.steps() + " statements only if " + object.kind() + " " + object.name()
                + (step.exists() ? " exists" : " does not exist") + "\n";
    }

    @Override
    public String ifHolds(TsqlStep.IfHolds step) {
        return "-- the next " + step.steps() + " steps only if 1: "
                + step.written().text() + "\n";
    }

    @Override
    public String otherwise(TsqlStep.Otherwise step) {
        return "-- otherwise the next " + step.steps() + " steps\n";
    }

    @Override
    public String createIndex(TsqlStep.CreateIndex step) {
        TsqlStep.CreateIndex.Unique unique = step.unique();
        List<String> columns = unique == null ? List.of(step.column()) : unique.columns();
        return "CREATE " + (unique == null ? "" : "UNIQUE ") + "INDEX " + Identifiers.toCql(step.name()) + " ON "
                + name(step.table()) + " ("
                + columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", ")) + ")";
    }

    @Override
    public String dropIndex(TsqlStep.DropIndex step) {
        return "DROP INDEX " + (step.ifExists() ? "IF EXISTS " : "") + Identifiers.toCql(step.name()) + " ON "
                + name(step.table());
    }

    @Override
    public String setNoCount(TsqlStep.SetNoCount step) {
        return "SET NOCOUNT " + (step.on() ? "ON" : "OFF");
    }

    @Override
    public String setIsolation(TsqlStep.SetIsolation step) {
        return step.text();
    }

    @Override
    public String setDateOrder(TsqlStep.SetDateOrder step) {
        return "SET DATEFORMAT " + step.order();
    }

    @Override
    public String setLanguage(TsqlStep.SetLanguage step) {
        return "SET LANGUAGE '" + step.name() + "'";
    }

    @Override
    public String setFirstDay(TsqlStep.SetFirstDay step) {
        return "SET DATEFIRST " + (step.day() == 0 ? "?" : step.day());
    }

    @Override
    public String showPlans(TsqlStep.ShowPlans step) {
        return "SET SHOWPLAN_TEXT " + (step.on() ? "ON" : "OFF");
    }

    @Override
    public String planOf(TsqlStep.PlanOf step) {
        return step.sql();
    }

    @Override
    public String print(TsqlStep.Print step) {
        return "PRINT '" + step.text().replace("'", "''") + "'";
    }

    @Override
    public String use(TsqlStep.Use step) {
        return "USE " + Identifiers.toCql(step.keyspace());
    }

    @Override
    public String ignored(TsqlStep.Ignored step) {
        return step.text();
    }
}
