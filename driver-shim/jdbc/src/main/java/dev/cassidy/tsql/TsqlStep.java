package dev.cassidy.tsql;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One step of a {@link TsqlScript}. */
public sealed interface TsqlStep {

    /**
     * What is made of each kind of step.
     *
     * @param <R> what is made
     * @param <X> what may be thrown; {@link RuntimeException} where nothing is
     */
    interface Visitor<R, X extends Exception> {

        R cql(Cql step) throws X;

        R assisted(Assisted step) throws X;

        R assistedWrite(AssistedWrite step) throws X;

        R count(Count step) throws X;

        R insert(Insert step) throws X;

        R later(Later step) throws X;

        R selectOutput(SelectOutput step) throws X;

        R selectIdentity(SelectIdentity step) throws X;

        R nextValue(NextValue step) throws X;

        R selectRowCount(SelectRowCount step) throws X;

        R selectValues(SelectValues step) throws X;

        R assignValue(AssignValue step) throws X;

        R assignRows(AssignRows step) throws X;

        R schemaView(SchemaView step) throws X;

        R tableColumns(TableColumns step) throws X;

        R tableHelp(TableHelp step) throws X;

        R setIdentityInsert(SetIdentityInsert step) throws X;

        R checkIdentity(CheckIdentity step) throws X;

        R createSequence(CreateSequence step) throws X;

        R restartSequence(RestartSequence step) throws X;

        R dropSequence(DropSequence step) throws X;

        R createTable(CreateTable step) throws X;

        R addColumns(AddColumns step) throws X;

        R alterColumn(AlterColumn step) throws X;

        R addDefaults(AddDefaults step) throws X;

        R dropConstraints(DropConstraints step) throws X;

        R switchConstraints(SwitchConstraints step) throws X;

        R leftOut(LeftOut step) throws X;

        R ifExists(IfExists step) throws X;

        R ifHolds(IfHolds step) throws X;

        R otherwise(Otherwise step) throws X;

        R createIndex(CreateIndex step) throws X;

        R dropIndex(DropIndex step) throws X;

        R setNoCount(SetNoCount step) throws X;

        R setDateOrder(SetDateOrder step) throws X;

        R setLanguage(SetLanguage step) throws X;

        R setFirstDay(SetFirstDay step) throws X;

        R setIsolation(SetIsolation step) throws X;

        R showPlans(ShowPlans step) throws X;

        R planOf(PlanOf step) throws X;

        R print(Print step) throws X;

        R use(Use step) throws X;

        R ignored(Ignored step) throws X;
    }

    /** What an execution shows of a step. */
    enum Outcome {
        /** A result set, and no count. */
        ROWS,
        /** A count, even if SET NOCOUNT hides it. */
        COUNT,
        NOTHING
    }

    <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X;

    /** Returns what the step shows, as far as that is known before it runs. */
    default Outcome outcome() {
        return Outcome.COUNT;
    }

    /** Returns the indexes of the parameters that the step takes, as far as they are values of its statements. */
    default List<Integer> parameters() {
        return List.of();
    }

    /** Returns the CQL statements that the step alone stands for; none where more than a statement serves it. */
    default List<String> statements() {
        return List.of();
    }

    /** A step that shows a result set. */
    sealed interface Query extends TsqlStep {
        @Override
        default Outcome outcome() {
            return Outcome.ROWS;
        }
    }

    /** A step that shows nothing. */
    sealed interface Silent extends TsqlStep {
        @Override
        default Outcome outcome() {
            return Outcome.NOTHING;
        }
    }

    /** What follows is read or shown otherwise, or not at all. */
    sealed interface Setting extends TsqlStep {}

    /** Tables, indexes, sequences or constraints change. */
    sealed interface Definition extends TsqlStep {}

    /**
     * A CQL statement to send as it is; an insert among them only as INSERT JSON or within BEGIN BATCH.
     *
     * @param text the statement, without the {@code ;} that ended it
     * @param keyword its first word in upper case: SELECT, UPDATE, BEGIN, CREATE ...; empty if it starts with none
     * @param parameters for each {@code ?} of the statement, in order, the index of the script's {@code ?}, from 0
     * @param guards what has to be checked when the parameters are known, before the statement is sent
     * @param calculation what the driver calculates of the result; null if that is nothing
     * @param selection what the columns of the result are; null if only the server knows
     * @param written a SELECT, UPDATE or DELETE as the script has it; null for any other statement, and where what the script says besides
     *     decides
     */
    record Cql(
            String text,
            String keyword,
            List<Integer> parameters,
            List<Guard> guards,
            @Nullable Calculation calculation,
            @Nullable Selection selection,
            @Nullable Written written)
            implements TsqlStep {
        private static final Set<String> READS = Set.of("SELECT", "LIST", "DESCRIBE", "DESC");
        private static final Set<String> ROW_WRITES = Set.of("INSERT", "UPDATE", "DELETE");
        private static final Set<String> DEFINITIONS = Set.of("TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");

        public Cql {
            parameters = List.copyOf(parameters);
            guards = List.copyOf(guards);
        }

        /** A statement whose result is shown as the server gives it. */
        public Cql(String text, String keyword, List<Integer> parameters, List<Guard> guards) {
            this(text, keyword, parameters, guards, null, null, null);
        }

        /** A statement that is sent without a check. */
        public Cql(String text, String keyword, List<Integer> parameters) {
            this(text, keyword, parameters, List.of());
        }

        /** Returns the same with other CQL, which has the same parameters. */
        public Cql withText(String other) {
            return new Cql(other, keyword, parameters, guards, calculation, selection, written);
        }

        /** Returns the same with other CQL, which has other parameters. */
        public Cql withText(String other, List<Integer> markers) {
            return new Cql(other, keyword, markers, guards, calculation, selection, written);
        }

        /** Returns the same with other checks. */
        public Cql withGuards(List<Guard> others) {
            return new Cql(text, keyword, parameters, others, calculation, selection, written);
        }

        /** Returns the same as the script has it. */
        Cql withWritten(@Nullable Written given) {
            return new Cql(text, keyword, parameters, guards, calculation, selection, given);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.cql(this);
        }

        /** Returns whether a statement with this first word only reads. */
        public static boolean reads(String keyword) {
            return READS.contains(keyword);
        }

        /** Returns whether the statement only reads. */
        public boolean reads() {
            return reads(keyword);
        }

        /** Returns whether a statement with this first word writes rows, one by one. */
        public static boolean writesRows(String keyword) {
            return ROW_WRITES.contains(keyword);
        }

        /** Returns whether the statement writes rows, one by one. */
        public boolean writesRows() {
            return writesRows(keyword);
        }

        /** Returns whether tables, what belongs to them, or rights change. */
        public boolean defines() {
            return DEFINITIONS.contains(keyword);
        }

        @Override
        public Outcome outcome() {
            return reads() ? Outcome.ROWS : Outcome.COUNT;
        }

        @Override
        public List<String> statements() {
            return rows().map(rows -> rows.reads().stream().map(Guard.Read::cql).toList())
                    .orElse(List.of(text));
        }

        /** Returns the columns that the statement compares by a binary collation, internal names. */
        public Set<String> comparedByBytes() {
            Set<String> columns = new HashSet<>();
            for (Guard guard : guards) {
                if (guard instanceof Guard.ByBytes compared) {
                    columns.add(compared.column());
                }
            }
            return columns;
        }

        /** Returns the reads of which the statement consists; empty if it is one. */
        public Optional<Guard.Rows> rows() {
            for (Guard guard : guards) {
                if (guard instanceof Guard.Rows rows) {
                    return Optional.of(rows);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * A statement as the script has it.
     *
     * @param parameters for each of its {@code ?} the index of the script's
     */
    record Written(String text, List<Integer> parameters) {
        public Written {
            parameters = List.copyOf(parameters);
        }
    }

    /** What is served in the client, if anything serves it. */
    sealed interface InClient extends TsqlStep {

        /** Returns the statement. */
        Written written();

        /** Returns what is said of it where nothing serves it. */
        UnsupportedSqlException refusal();

        @Override
        default List<Integer> parameters() {
            return written().parameters();
        }
    }

    /**
     * A SELECT that has no form in CQL, for what serves it in the client.
     *
     * @param refusal what is said of it where nothing does
     */
    record Assisted(Written written, UnsupportedSqlException refusal) implements Query, InClient {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.assisted(this);
        }
    }

    /**
     * An UPDATE, DELETE, MERGE or INSERT ... SELECT that has no form in CQL, for what serves it in the client.
     *
     * @param refusal what is said of it where nothing does
     * @param output whether it shows rows by OUTPUT
     */
    record AssistedWrite(Written written, UnsupportedSqlException refusal, boolean output) implements InClient {
        @Override
        public Outcome outcome() {
            return output ? Outcome.ROWS : Outcome.COUNT;
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.assistedWrite(this);
        }
    }

    /**
     * An UPDATE that adds to columns that count.
     *
     * @param table internal names
     * @param keys a SELECT of the keys of the rows that it is of
     * @param marks the same of their ids, by which they count; null if all rows of the table are meant
     * @param others the same statement without what it adds, which sets other columns; null if it sets none
     */
    record Count(
            CqlInsert.Table table,
            List<Increment> increments,
            Written keys,
            @Nullable Written marks,
            @Nullable Written others)
            implements TsqlStep {
        public Count {
            increments = List.copyOf(increments);
        }

        /**
         * What is added to a column.
         *
         * @param column internal name
         * @param negative whether it is subtracted
         * @param parameter the index of the script's parameter that says how much; -1 if {@code literal} does
         */
        public record Increment(String column, boolean negative, int parameter, BigInteger literal) {}

        @Override
        public List<Integer> parameters() {
            List<Integer> all = new ArrayList<>(keys.parameters());
            increments.stream().map(Increment::parameter).forEach(all::add);
            if (others != null) {
                all.addAll(others.parameters());
            }
            return all;
        }

        /** Returns the columns to which is added. */
        public List<String> columns() {
            return increments.stream().map(Increment::column).toList();
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.count(this);
        }
    }

    /**
     * What the columns of a SELECT's result are.
     *
     * @param items one for each column, in their order
     */
    record Selection(CqlInsert.Table table, List<Item> items) {
        public Selection {
            items = List.copyOf(items);
        }

        /**
         * A column of the result.
         *
         * @param column the internal name of the table's column that it is, whose case may be another one; null if it is none
         * @param label the name that SQL Server shows; empty if it shows none; null if Cassandra gives it one
         */
        public record Item(
                @Nullable String column, @Nullable String label) {}

        /** Returns the index of the first column without a name; -1 if all have one. */
        public int unnamed() {
            for (int i = 0; i < items.size(); i++) {
                if ("".equals(items.get(i).label())) {
                    return i;
                }
            }
            return -1;
        }
    }

    /**
     * One SQL INSERT of one or more rows.
     *
     * @param rows one CQL insert for each row of VALUES, in order; rows of the same shape have equal CQL
     * @param output the columns of {@code OUTPUT INSERTED.x}; empty without OUTPUT
     * @param outputKept whether OUTPUT goes INTO a table variable, for a {@link SelectOutput}, instead of to the caller
     * @param draws the sequences of {@code NEXT VALUE FOR}: the first of them has the index after the script's last
     *     {@code ?}, and so on
     */
    record Insert(List<Row> rows, List<Output> output, boolean outputKept, List<CqlInsert.Table> draws)
            implements TsqlStep {
        public Insert {
            rows = List.copyOf(rows);
            output = List.copyOf(output);
            draws = List.copyOf(draws);
        }

        /** Returns which of the {@link #draws} a row gives a column; -1 if it gives it something else, or nothing. */
        public int draw(Row row, String column) {
            if (draws.isEmpty()
                    || !(row.insert().value(column).orElse(null) instanceof CqlInsert.Value.Marker marker)) {
                return -1;
            }
            // Each draw stands in a row, behind the script's own parameters.
            int last = rows.stream()
                    .flatMap(each -> each.parameters().stream())
                    .mapToInt(Integer::intValue)
                    .max()
                    .orElseThrow();
            return Math.max(-1, row.parameters().get(marker.index()) - (last - draws.size() + 1));
        }

        /** Returns what the columns of its OUTPUT are. */
        public Selection selection() {
            CqlInsert first = rows.get(0).insert();
            return new Selection(
                    new CqlInsert.Table(first.keyspace().orElse(null), first.table()),
                    output.stream()
                            .map(each ->
                                    new Selection.Item(each.constant() == null ? each.column() : null, each.label()))
                            .toList());
        }

        /** Returns the same of rows that are written otherwise. */
        public Insert withRows(List<Row> then) {
            return new Insert(then, output, outputKept, draws);
        }

        /** Returns the same, with what a later SELECT reads of its OUTPUT. */
        Insert keeping(List<Output> columns) {
            return new Insert(rows, columns, true, draws);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.insert(this);
        }

        @Override
        public Outcome outcome() {
            return output.isEmpty() || outputKept ? Outcome.COUNT : Outcome.ROWS;
        }

        @Override
        public List<String> statements() {
            return rows.stream().map(row -> row.insert().text()).toList();
        }

        @Override
        public List<Integer> parameters() {
            return rows.stream().flatMap(row -> row.parameters().stream()).toList();
        }
    }

    /**
     * A statement behind a definition in its script. What it means is known only when it is reached, so it is read again then.
     *
     * @param text the statement
     * @param firstParameter the index of the script's {@code ?} that is its first
     * @param outcome as far as it is known
     * @param read what it is by the tables before the script; none of an INSERT without a list of columns
     */
    record Later(String text, int firstParameter, Outcome outcome, List<TsqlStep> read) implements TsqlStep {
        public Later {
            read = List.copyOf(read);
        }

        /** A statement that shows what the steps show that it was read as. */
        static Later of(String text, int firstParameter, List<TsqlStep> read) {
            Outcome shown = Outcome.NOTHING;
            for (TsqlStep step : read) {
                shown = step.outcome() == Outcome.NOTHING ? shown : step.outcome();
            }
            return new Later(text, firstParameter, shown, read);
        }

        /** Returns whether it is an INSERT. */
        boolean inserts() {
            return read.isEmpty() || read.stream().anyMatch(Insert.class::isInstance);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.later(this);
        }

        @Override
        public List<String> statements() {
            return read.stream().flatMap(step -> step.statements().stream()).toList();
        }
    }

    /**
     * One row of an INSERT.
     *
     * @param insert the CQL insert of this row alone
     * @param parameters for each {@code ?} of the insert, in order, the index of the script's {@code ?}, from 0, or of a
     *     draw
     * @param defaulted the columns, by internal name, that the row gave DEFAULT, and that {@code insert} leaves out
     */
    record Row(CqlInsert insert, List<Integer> parameters, List<String> defaulted) {
        public Row {
            parameters = List.copyOf(parameters);
            defaulted = List.copyOf(defaulted);
        }
    }

    /**
     * A column of OUTPUT.
     *
     * @param column the column's internal name; empty for a literal
     * @param label as the result set shows it
     * @param constant the literal; null for a column
     */
    record Output(String column, String label, @Nullable Constant constant) {

        /** A column of the inserted row. */
        public Output(String column, String label) {
            this(column, label, null);
        }
    }

    /**
     * The value of a literal.
     *
     * @param type the name of its type in CQL: int, decimal, double or text
     * @param value null for NULL
     */
    record Constant(String type, @Nullable Object value) {}

    /**
     * {@code SELECT} of a table variable that took an insert's OUTPUT.
     *
     * @param insert the index of that {@link Insert} among the script's steps; its output is what this shows
     */
    record SelectOutput(int insert) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.selectOutput(this);
        }
    }

    /**
     * {@code SELECT SCOPE_IDENTITY()} or {@code SELECT @@IDENTITY}.
     *
     * @param label the alias, empty if there is none
     * @param type what it is cast to; NUMERIC, SQL Server's numeric(38,0), if it is not cast
     */
    record SelectIdentity(String label, NumericType type) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.selectIdentity(this);
        }
    }

    /**
     * {@code SELECT NEXT VALUE FOR sequence}.
     *
     * @param label the alias, empty if there is none
     */
    record NextValue(CqlInsert.Table sequence, String label) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.nextValue(this);
        }
    }

    /**
     * {@code SELECT @@ROWCOUNT}.
     *
     * @param label the alias, empty if there is none
     */
    record SelectRowCount(String label) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.selectRowCount(this);
        }
    }

    /**
     * {@code SELECT @a AS a, @b}: values that the script knows.
     *
     * @param values at least one
     */
    record SelectValues(List<Value> values) implements Query {
        public SelectValues {
            values = List.copyOf(values);
        }

        /**
         * A column of the one row.
         *
         * @param label the alias, empty if there is none
         * @param cast what the value is cast to; null if it is not
         */
        public record Value(
                String label,
                Variable.Target source,
                @Nullable SqlType cast) {

            /** Returns the type of the column. */
            public SqlType type() {
                return cast == null ? source.variable().type() : cast;
            }
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.selectValues(this);
        }

        @Override
        public List<Integer> parameters() {
            return values.stream().map(each -> each.source().parameter()).toList();
        }
    }

    /**
     * {@code SET @x = value}.
     *
     * @param parameter the index of the parameter that is the value; -1 for a literal
     * @param literal the value of a literal; null of a parameter, and of NULL
     * @param cast what the parameter is cast to; null if it is not
     */
    record AssignValue(
            Variable.Target target,
            int parameter,
            @Nullable Object literal,
            @Nullable SqlType cast) implements Silent {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.assignValue(this);
        }

        @Override
        public List<Integer> parameters() {
            return parameter < 0 ? List.of() : List.of(parameter);
        }
    }

    /**
     * {@code SELECT @x = a, @y = b FROM t}, and {@code SET @x = (SELECT a FROM t)}.
     *
     * @param query its columns are the values of the targets, in their order
     * @param single whether one row is allowed and none is NULL; otherwise the last row counts, and without one nothing changes
     */
    record AssignRows(TsqlStep query, List<Variable.Target> targets, boolean single) implements Silent {
        public AssignRows {
            targets = List.copyOf(targets);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.assignRows(this);
        }

        @Override
        public List<String> statements() {
            return query.statements();
        }

        @Override
        public List<Integer> parameters() {
            return query.parameters();
        }
    }

    /** SELECT of a view of INFORMATION_SCHEMA. */
    record SchemaView(SchemaQuery query) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.schemaView(this);
        }
    }

    /**
     * {@code sp_columns}.
     *
     * @param table a pattern, as of LIKE
     * @param owner likewise; null for the keyspace in use
     * @param column likewise; null for all
     */
    record TableColumns(
            String table, @Nullable String owner, @Nullable String column) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.tableColumns(this);
        }
    }

    /** One of the result sets of {@code sp_help}. */
    record TableHelp(CqlInsert.Table table, Part part) implements Query {

        /** The result sets, in their order. */
        public enum Part {
            TABLE,
            COLUMNS,
            IDENTITY,
            ROW_GUID,
            FILE_GROUP,
            INDEXES,
            CONSTRAINTS
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.tableHelp(this);
        }
    }

    /** {@code SET IDENTITY_INSERT table ON} or {@code OFF}. */
    record SetIdentityInsert(CqlInsert.Table table, boolean on) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setIdentityInsert(this);
        }
    }

    /**
     * {@code DBCC CHECKIDENT}.
     *
     * @param reseed the value of RESEED; null to report only
     * @param quiet whether WITH NO_INFOMSGS leaves the report out
     */
    record CheckIdentity(CqlInsert.Table table, @Nullable Long reseed, boolean quiet) implements TsqlStep {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.checkIdentity(this);
        }
    }

    /**
     * {@code CREATE SEQUENCE}.
     *
     * @param minimum null for the bound that follows from start and direction
     * @param maximum likewise
     */
    record CreateSequence(
            CqlInsert.Table sequence,
            NumericType type,
            long start,
            long increment,
            @Nullable Long minimum,
            @Nullable Long maximum)
            implements Definition {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.createSequence(this);
        }
    }

    /** {@code ALTER SEQUENCE sequence RESTART WITH next}. */
    record RestartSequence(CqlInsert.Table sequence, long next) implements Definition {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.restartSequence(this);
        }
    }

    /** {@code DROP SEQUENCE [IF EXISTS] sequence}. */
    record DropSequence(CqlInsert.Table sequence, boolean ifExists) implements Definition {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.dropSequence(this);
        }
    }

    /**
     * T-SQL's {@code CREATE TABLE}.
     *
     * @param cql what creates the table
     * @param identity null if no column has IDENTITY
     * @param columns in the order of the statement
     * @param constraints but for the key and the defaults
     * @param defaults those of its columns
     * @param small whether it says that a statement may read all rows of the table
     * @param indexed the columns on which the statement makes indexes, internal names
     */
    record CreateTable(
            String cql,
            CqlInsert.Table table,
            @Nullable DeclaredIdentity identity,
            boolean ifNotExists,
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> constraints,
            List<DeclaredDefault> defaults,
            @Nullable WritesClause writes,
            boolean small,
            List<String> indexed)
            implements Definition {

        public CreateTable {
            indexed = List.copyOf(indexed);
            columns = List.copyOf(columns);
            constraints = List.copyOf(constraints);
            defaults = List.copyOf(defaults);
        }

        /** Returns what creates the table under an id. */
        public String cql(UUID id) {
            return cql + (hasOptions() ? " AND" : " WITH") + " id = " + id;
        }

        /** Returns the same, whose rows have another column, which the statement does not name. */
        public CreateTable with(String column) {
            Tokens tokens = new Tokens(cql);
            int open = tokens.start(opening(tokens)) + 1;
            return new CreateTable(
                    cql.substring(0, open) + column + ", " + cql.substring(open),
                    table,
                    identity,
                    ifNotExists,
                    columns,
                    constraints,
                    defaults,
                    writes,
                    small,
                    indexed);
        }

        /**
         * Returns the same with twins, those of columns of the key in their place in it.
         *
         * @param twins by the internal names of columns
         */
        public CreateTable with(Map<String, Twin> twins) {
            return twins.isEmpty()
                    ? this
                    : new CreateTable(
                            TwinnedTable.of(cql, twins.keySet()),
                            table,
                            identity,
                            ifNotExists,
                            columns.stream()
                                    .map(column -> column.withTwin(twins.get(column.name())))
                                    .toList(),
                            constraints,
                            defaults,
                            writes,
                            small,
                            indexed);
        }

        /** WITH stands behind the bracket of the columns. */
        private boolean hasOptions() {
            Tokens tokens = new Tokens(cql);
            int opening = opening(tokens);
            return !tokens.isEnd(opening) && tokens.isWord(tokens.afterClosing(opening), "with");
        }

        private static int opening(Tokens tokens) {
            int token = 0;
            while (!tokens.isEnd(token) && !tokens.isSymbol(token, '(')) {
                token++;
            }
            return token;
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.createTable(this);
        }

        @Override
        public List<String> statements() {
            return List.of(cql);
        }
    }

    /**
     * What {@code ALTER TABLE ... ADD} says of columns and constraints, before the step that adds the columns.
     *
     * @param columns may be empty
     * @param defaults those of the columns
     * @param unlooked whether a CHECK is declared without a look at the rows that are there: WITH NOCHECK
     */
    record AddColumns(
            CqlInsert.Table table,
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> constraints,
            List<DeclaredDefault> defaults,
            boolean unlooked)
            implements Silent, Definition {
        public AddColumns {
            columns = List.copyOf(columns);
            constraints = List.copyOf(constraints);
            defaults = List.copyOf(defaults);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.addColumns(this);
        }
    }

    /**
     * {@code ALTER TABLE ... ALTER COLUMN}.
     *
     * @param column as it is to be
     * @param text the statement, for a refusal
     */
    record AlterColumn(CqlInsert.Table table, ColumnDefinition column, String text) implements Silent, Definition {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.alterColumn(this);
        }
    }

    /** {@code ALTER TABLE ... ADD CONSTRAINT d DEFAULT 0 FOR c}, and what {@code ADD c INT DEFAULT 0} adds to the column. */
    record AddDefaults(CqlInsert.Table table, List<DeclaredDefault> defaults) implements Silent, Definition {
        public AddDefaults {
            defaults = List.copyOf(defaults);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.addDefaults(this);
        }
    }

    /**
     * {@code ALTER TABLE ... DROP CONSTRAINT}. Of those that Cassandra keeps, a default is the only kind.
     *
     * @param names without quotes
     * @param ifExists whether a name that no constraint has is left out
     * @param text the statement, for a warning of the others
     */
    record DropConstraints(CqlInsert.Table table, List<String> names, boolean ifExists, String text)
            implements Silent, Definition {
        public DropConstraints {
            names = List.copyOf(names);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.dropConstraints(this);
        }
    }

    /**
     * {@code ALTER TABLE ... CHECK CONSTRAINT} and {@code NOCHECK CONSTRAINT}.
     *
     * @param names without quotes; none for ALL
     * @param on whether they are to be checked
     * @param text the statement, for a warning
     */
    record SwitchConstraints(CqlInsert.Table table, List<String> names, boolean on, String text)
            implements Silent, Definition {
        public SwitchConstraints {
            names = List.copyOf(names);
        }

        /** Returns whether a constraint of the table is meant; UNIQUE is none that can be switched. */
        public boolean isOf(ConstraintDefinition constraint) {
            return !constraint.kind().isUnique()
                    && (names.isEmpty() || names.stream().anyMatch(constraint.name()::equalsIgnoreCase));
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.switchConstraints(this);
        }
    }

    /**
     * What a table's definition says and Cassandra does not keep.
     *
     * @param what as it is written, for a warning
     * @param refusal null if the data stays as it would be; otherwise what to say where constraints are not to be left
     *     out
     */
    record LeftOut(String what, @Nullable Refusal refusal) implements Silent, Definition {

        LeftOut(String what) {
            this(what, null);
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.leftOut(this);
        }
    }

    /** What is refused, and a workaround. */
    record Refusal(String construct, String workaround) {

        /** Returns the error that says so. */
        public UnsupportedSqlException toException() {
            return new UnsupportedSqlException(construct, workaround);
        }
    }

    /**
     * T-SQL's IF around definitions.
     *
     * @param exists whether the object must exist for the steps to run
     * @param steps how many of the steps behind this one belong to it
     */
    record IfExists(SchemaObject object, boolean exists, int steps) implements Silent {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.ifExists(this);
        }
    }

    /**
     * T-SQL's IF whose condition depends on rows.
     *
     * @param written a SELECT of 1 if the condition holds, and of 0 otherwise
     * @param refusal what is said of the IF where nothing serves it
     * @param steps how many of the steps behind this one run only if it holds; with an ELSE, the last of them is {@link Otherwise}
     */
    record IfHolds(Written written, UnsupportedSqlException refusal, int steps) implements Silent, InClient {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.ifHolds(this);
        }
    }

    /**
     * The ELSE of an {@link IfHolds}, reached where its condition holds.
     *
     * @param steps how many of the steps behind this one do not run then
     */
    record Otherwise(int steps) implements Silent {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.otherwise(this);
        }
    }

    /**
     * T-SQL's {@code CREATE INDEX}. Names are internal ones.
     *
     * @param column the first of the index's columns
     * @param unique null if it is not UNIQUE
     * @param plain the statement itself if it is CQL as well; empty otherwise
     * @param ifNotExists whether an index that is there already is left alone
     */
    record CreateIndex(
            CqlInsert.Table table,
            String name,
            String column,
            @Nullable Unique unique,
            String plain,
            boolean ifNotExists)
            implements Definition {

        /**
         * That no two rows may have the same values.
         *
         * @param label the index's name as it was written
         * @param columns internal names
         * @param nullsApart whether it is not of rows with a NULL in one of them
         */
        public record Unique(String label, List<String> columns, boolean nullsApart) {
            public Unique {
                columns = List.copyOf(columns);
            }
        }

        /** Returns the same on another column. */
        public CreateIndex on(String other) {
            return new CreateIndex(table, name, other, unique, plain, ifNotExists);
        }

        /** Returns the CQL that makes the index under another name, in a keyspace or in the session's own. */
        public String cql(@Nullable String keyspace, String as) {
            return "CREATE CUSTOM INDEX " + Identifiers.toCql(as) + " ON "
                    + (keyspace == null ? "" : Identifiers.toCql(keyspace) + ".") + Identifiers.toCql(table.name())
                    + " (" + Identifiers.toCql(column) + ") USING 'sai'";
        }

        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.createIndex(this);
        }

        @Override
        public List<String> statements() {
            // What is unique is kept without an index of Cassandra's.
            return unique == null ? List.of(cql(table.keyspace(), name)) : List.of();
        }
    }

    /** T-SQL's {@code DROP INDEX name ON table}. Names are internal ones. */
    record DropIndex(CqlInsert.Table table, String name, boolean ifExists) implements Definition {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.dropIndex(this);
        }
    }

    /** {@code SET NOCOUNT ON} or {@code OFF}. */
    record SetNoCount(boolean on) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setNoCount(this);
        }
    }

    /**
     * {@code USE db}.
     *
     * @param keyspace the keyspace's internal name
     */
    record Use(String keyspace) implements Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.use(this);
        }
    }

    /**
     * {@code SET DATEFORMAT}.
     *
     * @param order mdy, dmy or ymd
     */
    record SetDateOrder(String order) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setDateOrder(this);
        }
    }

    /**
     * {@code SET LANGUAGE}, which implies {@code SET DATEFORMAT} and {@code SET DATEFIRST}.
     *
     * @param name of the language, in small letters
     * @param order mdy, dmy or ymd
     * @param firstDay the first day of a week, 1 is Monday and 7 Sunday
     */
    record SetLanguage(String name, String order, int firstDay) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setLanguage(this);
        }
    }

    /**
     * {@code SET DATEFIRST}.
     *
     * @param day the first day of a week, 1 is Monday and 7 Sunday; 0 if it is no literal of these
     */
    record SetFirstDay(int day) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setFirstDay(this);
        }
    }

    /**
     * {@code SET TRANSACTION ISOLATION LEVEL}.
     *
     * @param level as {@link java.sql.Connection} numbers it
     * @param text the statement
     */
    record SetIsolation(int level, String text) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.setIsolation(this);
        }
    }

    /** {@code SET SHOWPLAN_TEXT ON} or {@code OFF}. */
    record ShowPlans(boolean on) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.showPlans(this);
        }
    }

    /** A statement that is not run, because SET SHOWPLAN_TEXT is ON: how it would be served is shown in its place. */
    record PlanOf(String sql) implements Query {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.planOf(this);
        }
    }

    /** {@code PRINT 'text'}: a message to the client. */
    record Print(String text) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.print(this);
        }
    }

    /**
     * A session setting of SQL Server that has no effect here, such as {@code SET ANSI_NULLS ON}.
     *
     * @param text the statement, for a warning
     */
    record Ignored(String text) implements Silent, Setting {
        @Override
        public <R, X extends Exception> R accept(Visitor<R, X> visitor) throws X {
            return visitor.ignored(this);
        }
    }
}
