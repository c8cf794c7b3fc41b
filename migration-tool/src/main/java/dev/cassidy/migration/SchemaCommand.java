package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.SeedRule;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.rows.FoldedKeys;
import dev.cassidy.migration.rows.LossMeasure;
import dev.cassidy.migration.rows.MovedColumn;
import dev.cassidy.migration.rows.RowRefused;
import dev.cassidy.migration.schema.DefaultExpression;
import dev.cassidy.migration.schema.KeyChoice;
import dev.cassidy.migration.schema.TableDesign;
import dev.cassidy.migration.schema.TextComparison;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.schema.UniqueIndex;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Declared;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableDeclaration;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.table.TableWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "schema",
        description =
                "Prints the tables of Cassandra that the source's tables become, as a script for cqlsh, and what they"
                        + " would lose. With --apply it creates and registers them.")
final class SchemaCommand implements Callable<Integer> {

    /** How many rows the JDBC driver reads for one statement, unless assistRows says otherwise. */
    private static final int ASSIST_ROWS = 10_000;

    /** Half of what statements may read of a table that is not declared small. */
    private static final int FEWEST_TO_DECLARE = 500;

    private static final int MOST_TO_DECLARE = ASSIST_ROWS / 2;

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final ChosenTables tables = new ChosenTables();

    @Mixin
    private final RowOptions rows = new RowOptions();

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--key",
            paramLabel = "TABLE=KEY",
            description = "schema.table=what stands in PRIMARY KEY (...): dbo.Order=OrderId, or"
                    + " \"dbo.Item=(OrderId), ItemId DESC\". Needed for each table. May be repeated.")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description = "A file of such keys, one in a line; a line that begins with # is a comment.")
    private @Nullable Path keyFile;

    @Option(
            names = "--writes",
            paramLabel = "[TABLE=]MODE",
            description =
                    "How rows are written: exact, exact:<datacenter>, serial or plain. schema.table=MODE is of one"
                            + " table, MODE alone of those that are created and not named. May be repeated. Default: exact.")
    private List<String> writes = new ArrayList<>();

    @Option(
            names = "--collation",
            paramLabel = "SCHEMA.TABLE.COLUMN=NAME",
            description =
                    "By which collation of SQL Server the strings of this column compare, in place of the source's:"
                            + " Latin1_General_BIN2 compares characters by code. May be repeated.")
    private List<String> collations = new ArrayList<>();

    @Option(
            names = "--skip-default",
            paramLabel = "SCHEMA.TABLE.COLUMN",
            description = "The default of this column stays behind. May be repeated.")
    private List<String> skippedDefaults = new ArrayList<>();

    @Option(names = "--no-measure", description = "Does not count the values that would change.")
    private boolean noMeasure;

    @Option(names = "--indexes", description = "Of --apply: creates the proposed indexes too.")
    private boolean indexes;

    @Option(names = "--apply", description = "Creates the tables and registers them; needs --contact-points.")
    private boolean apply;

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    SchemaCommand(Shell shell) {
        this.shell = shell;
    }

    /**
     * What is known of one table before anything is created.
     *
     * @param saysWrites whether it is said of this table how its rows are written, also if it exists
     */
    private record Plan(
            ChosenTables.Choice choice,
            @Nullable TableDesign design,
            Optional<SequenceSpec> sequence,
            List<ColumnDefault> columnDefaults,
            boolean saysWrites,
            SchemaReport.Table report) {}

    @Override
    public Integer call() {
        try (Source opened = source.open(shell);
                Target target = apply ? cassandra.openToWrite(shell) : null) {
            List<ChosenTables.Choice> choices = tables.choose(opened);
            List<Plan> plans = plan(opened, choices);
            if (target != null) {
                plans = plans.stream().map(plan -> against(target, plan)).toList();
                requireHomes(target, plans);
            }
            List<SchemaReport.Table> reports = plans.stream().map(Plan::report).toList();
            ExitCode code = reports.stream().anyMatch(SchemaReport.Table::refused) ? ExitCode.REFUSED : ExitCode.OK;
            if (target != null && code == ExitCode.OK) {
                reports = apply(target, plans);
            }
            output.write(
                    shell,
                    new SchemaReport(
                            "schema",
                            code.code(),
                            source.url().toString(),
                            target != null && code == ExitCode.OK,
                            reports));
            return code.code();
        }
    }

    private List<Plan> plan(Source opened, List<ChosenTables.Choice> choices) {
        List<SourceTable> chosen =
                choices.stream().map(ChosenTables.Choice::table).toList();
        Map<String, String> given = keys();
        ChosenTables.requireKnown(List.copyOf(given.keySet()), chosen, "--key");
        List<String> ofOthers =
                writes.stream().filter(mode -> mode.indexOf('=') < 0).toList();
        if (ofOthers.size() > 1) {
            throw new MigrationException(ExitCode.USAGE, "--writes is given twice for all tables: " + ofOthers);
        }
        String ofAll = ofOthers.isEmpty() ? "exact" : ofOthers.get(0);
        Map<String, String> modes = Selection.pairs(
                writes.stream().filter(mode -> mode.indexOf('=') >= 0).toList(), "--writes");
        Stream.concat(Stream.of(ofAll), modes.values().stream()).forEach(SchemaCommand::requireMode);
        ChosenTables.requireKnown(List.copyOf(modes.keySet()), chosen, "--writes");
        Set<String> leftOut = rows.leftOut(chosen);
        Set<String> accepted = rows.acceptedLosses(chosen);
        Set<String> noDefault = RowOptions.columns(skippedDefaults, chosen, "--skip-default");
        Map<String, String> chosenCollations = collations(chosen);
        Map<String, SourceColumn> identities = new LinkedHashMap<>();
        opened
                .read(all -> all.stream()
                        .filter(column -> chosen.stream()
                                .anyMatch(table -> table.qualifiedName().equals(column.qualifiedTable())))
                        .toList())
                .stream()
                .map(Reading::column)
                .forEach(column -> identities.put(column.qualifiedTable(), column));
        List<Plan> plans = new ArrayList<>();
        try (Progress.Bar bar = shell.bars().start("counting what would change", Progress.UNKNOWN, "rows")) {
            for (ChosenTables.Choice choice : choices) {
                plans.add(new Planning(opened, choice, leftOut, accepted, noDefault, chosenCollations, bar)
                        .plan(
                                ChosenTables.named(given, choice.table()),
                                Optional.ofNullable(ChosenTables.named(modes, choice.table())),
                                ofAll,
                                identities.get(choice.table().qualifiedName())));
            }
        }
        return plans;
    }

    /** Returns the collations that were chosen, by the full names of columns as the source writes them. */
    private Map<String, String> collations(List<SourceTable> chosen) {
        Map<String, String> all = new LinkedHashMap<>();
        Selection.pairs(collations, "--collation").forEach((given, collation) -> {
            if (!TextComparison.isKnown(collation)) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "must be a collation of SQL Server of which is known what it takes for equal, such as "
                                + Collation.DEFAULT_NAME + " or " + TextComparison.BY_CODE + ": --collation '" + given
                                + "=" + collation + "'");
            }
            for (String column : RowOptions.columns(List.of(given), chosen, "--collation")) {
                if (all.put(column, collation) != null) {
                    throw new MigrationException(ExitCode.USAGE, "--collation is given twice for '" + column + "'");
                }
            }
        });
        return all;
    }

    private Map<String, String> keys() {
        List<String> all = new ArrayList<>(keys);
        if (keyFile != null) {
            try {
                Files.readAllLines(keyFile).stream()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .forEach(all::add);
            } catch (IOException e) {
                throw new MigrationException(ExitCode.USAGE, "cannot read --keys " + keyFile + ": " + e, e);
            }
        }
        return Selection.pairs(all, "--key");
    }

    /** Plans one table. */
    private final class Planning {
        private final Source opened;
        private final ChosenTables.Choice choice;
        private final SourceTable table;
        private final Set<String> leftOut;
        private final Set<String> accepted;
        private final Set<String> noDefault;
        private final Map<String, String> collations;
        private final Progress.Bar bar;
        private final List<Finding> findings = new ArrayList<>();
        private final List<SchemaReport.Loss> losses = new ArrayList<>();
        private final List<Report.DeclaredDefault> shownDefaults = new ArrayList<>();
        private final List<ColumnDefault> defaults = new ArrayList<>();
        private String mode = "";
        private @Nullable TableDesign design;

        Planning(
                Source opened,
                ChosenTables.Choice choice,
                Set<String> leftOut,
                Set<String> accepted,
                Set<String> noDefault,
                Map<String, String> collations,
                Progress.Bar bar) {
            this.opened = opened;
            this.choice = choice;
            this.table = choice.table();
            this.leftOut = leftOut;
            this.accepted = accepted;
            this.noDefault = noDefault;
            this.collations = collations;
            this.bar = bar;
        }

        private void refuse(String message) {
            findings.add(Finding.refused(message));
        }

        /**
         * @param given how its rows are written, if that is said of this table
         * @param ofAll how those of tables are written that are created
         */
        Plan plan(@Nullable String keyText, Optional<String> given, String ofAll, @Nullable SourceColumn identity) {
            String mode = given.orElse(ofAll);
            KeyChoice key = key(keyText);
            List<TableDesign.DesignedColumn> columns = columns().stream()
                    .map(column -> compared(column, key, Declarations.isExact(mode)))
                    .toList();
            this.mode = mode;
            design = key == null || columns.isEmpty()
                    ? null
                    : new TableDesign(
                            table,
                            choice.target().keyspace(),
                            choice.target().table(),
                            columns,
                            key,
                            Declarations.isExact(mode));
            if (design != null) {
                checkKey(design);
            }
            List<MovedColumn> moved =
                    columns.stream().flatMap(column -> moved(column, key)).toList();
            measure(moved);
            if (design != null && !noMeasure) {
                checkFolded(moved, design.key());
            }
            columns.forEach(this::readDefault);
            Optional<SequenceSpec> sequence = identity == null ? Optional.empty() : sequence(identity);
            notKept();
            proposeSmall();
            return new Plan(
                    choice,
                    design,
                    sequence,
                    defaults,
                    given.isPresent(),
                    new SchemaReport.Table(
                            table.qualifiedName(),
                            choice.target().sequence(),
                            design == null ? null : design.cql(),
                            sequence.map(SequenceSpec::name).orElse(null),
                            shownDefaults,
                            mode,
                            design == null ? List.of() : design.proposedIndexes(),
                            uniques(),
                            losses,
                            findings,
                            null));
        }

        /** With its twin behind it, if it has one: then the column itself is not part of the key. */
        private Stream<MovedColumn> moved(TableDesign.DesignedColumn column, @Nullable KeyChoice key) {
            Twin twin = column.twin();
            MovedColumn moved = new MovedColumn(
                    table.qualifiedName(),
                    column.from(),
                    column.tsql(),
                    CqlIdentifier.fromInternal(column.name()),
                    column.type(),
                    twin == null && isInKey(column, key),
                    null);
            return twin == null ? Stream.of(moved) : Stream.of(moved, moved.twinned(twin));
        }

        private boolean isInKey(TableDesign.DesignedColumn column, @Nullable KeyChoice key) {
            return key != null && key.columns().contains(column.from().name());
        }

        /** Decides by what a column of the key is compared, and tells of those that are not compared as in the source. */
        private TableDesign.DesignedColumn compared(
                TableDesign.DesignedColumn column, @Nullable KeyChoice key, boolean exact) {
            boolean inKey = isInKey(column, key);
            String name = full(column.from());
            Twin twin = null;
            if (inKey && exact) {
                try {
                    twin = column.comparison().twin(column.definition()).orElse(null);
                } catch (SQLException e) {
                    refuse(name + " is part of the key, and what "
                            + (column.from().collation() == null
                                    ? "its collation"
                                    : "its collation " + column.from().collation())
                            + " takes for equal is not known: " + chooseCollation(name));
                    return column;
                }
            }
            String chosen = collations.get(name);
            if (inKey && !exact && chosen != null && !column.comparison().isByCode()) {
                refuse(name + " is part of the key of a table whose writes are plain, which compares characters:"
                        + " --collation '" + name + "=" + chosen + "' decides nothing. Leave it out, or give --writes '"
                        + table.qualifiedName() + "=exact'");
            }
            boolean isUnique = exact
                    && table.indexes().stream()
                            .anyMatch(index -> index.unique()
                                    && index.columns().contains(column.from().name()));
            if (isUnique
                    && !inKey
                    && TextComparison.isString(column.tsql())
                    && !TextComparison.isKnown(column.comparison().collation())) {
                refuse(name + " is in a unique index, and what "
                        + (column.from().collation() == null
                                ? "its collation"
                                : "its collation " + column.from().collation())
                        + " takes for equal is not known: " + chooseCollation(name));
                return column;
            }
            boolean isKept = twin != null || (!inKey && column.comparison().known());
            if ((inKey || isUnique) && !isKept && !comparesByCode(column)) {
                String collation = column.from().collation();
                findings.add(Finding.warning(name + " is "
                        + (inKey ? "part of the key" : "in a unique index")
                        + ", and Cassandra compares its characters, because "
                        + why(column, exact)
                        + ": what "
                        + (collation == null
                                ? column.from().type()
                                : column.from().type() + " with collation " + collation)
                        + " takes for equal, such as 'Admin' and 'admin', is different there"
                        + (exact ? ". Otherwise " + chooseCollation(name) : "")));
            }
            return column.with(twin);
        }

        private static String chooseCollation(String name) {
            return "give --collation '" + name + "=" + Collation.DEFAULT_NAME
                    + "', or another one of SQL Server by which it is to be compared, such as "
                    + TextComparison.BY_CODE;
        }

        private static String why(TableDesign.DesignedColumn column, boolean exact) {
            return !exact
                    ? "the table's writes are plain"
                    : !column.comparison().known()
                            ? "it is not known which of SQL Server's collations compares as the source does"
                            : "it is " + column.tsql().text() + ", which has no length";
        }

        /** Returns whether no two of its strings are equal in the source that are not in Cassandra, but for blanks at the end. */
        private static boolean comparesByCode(TableDesign.DesignedColumn column) {
            return !TextComparison.isString(column.tsql())
                    || (column.comparison().known() && column.comparison().isByCode());
        }

        /** Two rows of the source must not become one because a collation takes their keys for equal. */
        private void checkFolded(List<MovedColumn> moved, KeyChoice key) {
            List<MovedColumn> keys = key.columns().stream()
                    .flatMap(name -> moved.stream()
                            .filter(column ->
                                    column.key() && column.from().name().equals(name)))
                    .toList();
            RowOptions.apart(shell, new FoldedKeys(opened, table, keys, rows.zone()), table.qualifiedName())
                    .ifPresent(this::refuse);
        }

        private String full(SourceTable.Column column) {
            return table.qualifiedName() + "." + column.name();
        }

        private List<TableDesign.DesignedColumn> columns() {
            List<TableDesign.DesignedColumn> columns = new ArrayList<>();
            Map<String, String> names = new LinkedHashMap<>();
            for (SourceTable.Column column : table.columns()) {
                if (leftOut.contains(full(column))) {
                    findings.add(Finding.info(full(column) + " is left out"));
                    if (collations.containsKey(full(column))) {
                        refuse(full(column) + " is left out: leave out --collation '" + full(column) + "="
                                + collations.get(full(column)) + "', too");
                    }
                    continue;
                }
                TsqlType type = TsqlType.of(opened.engine(), column);
                Optional<String> cql = type.cql();
                if (cql.isEmpty() || column.computed()) {
                    refuse(full(column)
                            + (column.computed() && cql.isPresent()
                                    ? " is computed by the source, and by nothing in Cassandra: compute it in the"
                                            + " application"
                                    : " is " + type.text() + ", which Cassandra has no type for")
                            + "; to leave it behind, give --leave-out '" + full(column) + "'");
                    continue;
                }
                String name = TableDeclarations.columnName(column.name());
                String before = names.put(name, column.name());
                if (before != null) {
                    refuse(before + " and " + column.name() + " of " + table.qualifiedName()
                            + " are one column in CQL, " + name + ": rename one of them, or leave it out");
                }
                if (collations.containsKey(full(column)) && !TextComparison.isString(type)) {
                    refuse(full(column) + " is " + type.text() + ", which has no collation: leave out --collation '"
                            + full(column) + "=" + collations.get(full(column)) + "'");
                }
                if (Twin.isOne(name)) {
                    refuse(full(column)
                            + " cannot have its name in Cassandra, where names like it are those of columns by"
                            + " which keys are compared: rename it, or give --leave-out '" + full(column) + "'");
                }
                columns.add(new TableDesign.DesignedColumn(
                        column,
                        type,
                        name,
                        cql.get(),
                        TextComparison.of(opened.engine(), column, type, collations.get(full(column))),
                        null));
            }
            return columns;
        }

        private @Nullable KeyChoice key(@Nullable String text) {
            if (text == null) {
                refuse(
                        "no key is given: Cassandra's key decides where rows are and which queries are fast, so choose it by"
                                + " the queries: --key '" + table.qualifiedName()
                                + "=...'. The source's primary key is "
                                + (table.primaryKey().isEmpty() ? "none" : table.primaryKey()));
                return null;
            }
            KeyChoice key = KeyChoice.parse(text, table, "--key " + table.qualifiedName());
            for (String column : key.columns()) {
                if (leftOut.contains(table.qualifiedName() + "." + column)) {
                    refuse(column + " is part of the key and left out");
                    return null;
                }
            }
            return key;
        }

        /** Two rows of the source must not become one. */
        private void checkKey(TableDesign design) {
            List<String> key = design.key().columns();
            boolean unique = (!table.primaryKey().isEmpty() && key.containsAll(table.primaryKey()))
                    || table.indexes().stream()
                            .anyMatch(index -> index.unique()
                                    && index.filter() == null
                                    && !index.columns().isEmpty()
                                    && key.containsAll(index.columns()));
            if (!unique) {
                long duplicates = LossMeasure.duplicates(opened, table, key);
                String why = "the key " + key + " does not have the source's primary key " + table.primaryKey() + ": ";
                if (duplicates > 0) {
                    refuse(why + duplicates
                            + " keys are those of several rows, which would be one row in Cassandra: add"
                            + " columns to the key");
                } else {
                    findings.add(Finding.warning(why + "no two rows have the same key now, and nothing keeps it so"));
                }
            }
            List<String> nullable = table.columns().stream()
                    .filter(column -> column.nullable() && key.contains(column.name()))
                    .map(SourceTable.Column::name)
                    .toList();
            if (!nullable.isEmpty()) {
                long nulls = LossMeasure.nulls(opened, table, nullable);
                if (nulls > 0) {
                    refuse(nulls + " rows have NULL in " + nullable
                            + ", and a key of Cassandra has no nulls: choose another" + " key, or correct them");
                }
            }
        }

        private void measure(List<MovedColumn> moved) {
            Optional<ZoneId> zone = rows.zone();
            for (MovedColumn column : moved) {
                if (zone.isEmpty() && LossMeasure.needsZone(column)) {
                    findings.add(
                            Finding.warning(column.qualifiedName() + " has times without a zone: copy and export need"
                                    + " --zone, and with it schema counts times that the zone's clocks skip"));
                }
            }
            if (noMeasure) {
                moved.stream()
                        .filter(column -> LossMeasure.mayLose(column, zone) || LossMeasure.mayLoseCase(column, moved))
                        .forEach(column -> add(
                                column,
                                column.tsql().text() + " becomes "
                                        + column.type().asCql(false, false),
                                null,
                                ""));
                return;
            }
            try {
                LossMeasure.count(opened, table, moved, zone, bar::step)
                        .forEach(loss -> add(loss.column(), loss.meaning(), loss.values(), loss.example()));
            } catch (RowRefused e) {
                refuse(String.valueOf(e.getMessage()));
            }
        }

        private void add(MovedColumn column, String meaning, @Nullable Long values, String example) {
            boolean taken = accepted.contains(column.qualifiedName());
            losses.add(new SchemaReport.Loss(column.qualifiedName(), meaning, values, example, taken));
            if (values != null && values == 0) {
                return;
            }
            boolean text = column.tsql().kind() == TsqlType.Kind.TEXT;
            if (column.key() && !text) {
                refuse(column.qualifiedName() + " is part of the key, and " + shown(values)
                        + " would change: two rows could become one. Choose another key");
            } else if (!taken) {
                refuse(shown(values) + " of " + column.qualifiedName() + " would change (" + meaning
                        + "): accept it with --accept-loss '" + column.qualifiedName() + "'");
            }
        }

        private String shown(@Nullable Long values) {
            return values == null ? "an unknown number of values" : values + " values";
        }

        private void readDefault(TableDesign.DesignedColumn column) {
            Optional<String> expression = DefaultExpression.of(column.from());
            if (expression.isEmpty() || noDefault.contains(full(column.from()))) {
                return;
            }
            try {
                var read = TableDeclarations.columnDefault(
                        choice.target().keyspace(),
                        choice.target().table(),
                        column.name(),
                        column.type(),
                        expression.get());
                defaults.add(read);
                shownDefaults.add(new Report.DeclaredDefault(read.column(), read.name(), read.expression()));
            } catch (SQLException e) {
                refuse("the default of " + full(column.from()) + " cannot be kept: " + e.getMessage()
                        + ". To leave it behind, give --skip-default '" + full(column.from()) + "'");
            }
        }

        private Optional<SequenceSpec> sequence(SourceColumn identity) {
            Optional<IdentityType> type = SeedRule.targetType(identity);
            try {
                return Optional.of(SequenceSpec.of(
                        choice.target().sequence(),
                        type.orElseThrow(() -> new IllegalArgumentException("no integer type holds its ids")),
                        identity.seed().longValueExact(),
                        identity.increment().longValueExact()));
            } catch (IllegalArgumentException | ArithmeticException e) {
                refuse("the identity " + identity.qualifiedTable() + "." + identity.column() + " ("
                        + identity.typeText() + ") can have no sequence: " + e.getMessage());
                return Optional.empty();
            }
        }

        private void notKept() {
            if (!table.foreignKeys().isEmpty()) {
                findings.add(Finding.info("Cassandra enforces no foreign keys: "
                        + table.foreignKeys().stream()
                                .map(SourceTable.ForeignKey::name)
                                .collect(Collectors.joining(", "))));
            }
            table.indexes().stream()
                    .filter(SourceTable.Index::unique)
                    .filter(index -> design != null && UniqueIndex.isKey(index, design))
                    .filter(index -> Objects.requireNonNull(design).columns().stream()
                            .anyMatch(column ->
                                    index.columns().contains(column.from().name())
                                            && TextComparison.isString(column.tsql())
                                            && TextComparison.isFiner(column.from(), column.twin())))
                    .forEach(index -> findings.add(Finding.warning("unique index " + index.name() + " "
                            + index.columns()
                            + " is kept as Cassandra's key compares, which tells strings apart that the"
                            + " index takes for equal: two rows such as 'Admin' and 'admin' can come to be")));
            table.indexes().stream()
                    .filter(SourceTable.Index::unique)
                    .filter(index -> uniqueKeeping(index).isEmpty())
                    .filter(index -> design == null || !UniqueIndex.isKey(index, design))
                    .forEach(index -> findings.add(Finding.warning("nothing keeps the values of unique index "
                            + index.name() + " " + index.columns() + " unique"
                            + (Declarations.isExact(mode) ? "" : ", because the table's writes are plain"))));
        }

        /** Statements may read all rows of a table of some rows in any case, and a table that may grow beyond a bound is not small. */
        private void proposeSmall() {
            Long size = opened.tableSizes().get(table.qualifiedName());
            if (size == null || size < FEWEST_TO_DECLARE || size > MOST_TO_DECLARE) {
                return;
            }
            TargetTable to = choice.target();
            CommandLines lines = new CommandLines(
                    MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
            findings.add(Finding.info("the source's statistics say " + size + " rows. If there will never be more than "
                    + ASSIST_ROWS
                    + ", statements without a form in CQL may read all of them once the table is declared small: "
                    + lines.of(new Remedy.DeclareSmall(to.keyspace(), to.table()))));
        }

        /** Returns the lines that keep the source's unique constraints and indexes, once its rows are there. */
        private List<String> uniques() {
            TargetTable to = choice.target();
            CommandLines lines = new CommandLines(
                    MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
            return table.indexes().stream()
                    .filter(SourceTable.Index::unique)
                    .flatMap(index -> uniqueKeeping(index).stream())
                    .map(unique -> lines.of(new Remedy.AddUnique(to.keyspace(), to.table(), unique)))
                    .toList();
        }

        private Optional<String> uniqueKeeping(SourceTable.Index index) {
            return design == null ? Optional.empty() : UniqueIndex.keeping(index, design, opened.engine());
        }
    }

    /** Compares a plan with what Cassandra has already. */
    private static Plan against(Target target, Plan plan) {
        TargetTable to = plan.choice().target();
        List<Finding> findings = new ArrayList<>(plan.report().findings());
        boolean keyspace = target.session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(to.keyspace()))
                .isPresent();
        if (!keyspace) {
            findings.add(
                    Finding.refused("keyspace " + to.keyspace() + " does not exist: its replication is yours to choose,"
                            + " CREATE KEYSPACE " + TableDesign.quoted(to.keyspace()) + " WITH replication = {...}"));
        }
        Optional<TableMetadata> there = target.table(to);
        TableDesign design = plan.design();
        if (design != null && there.isPresent()) {
            String wanted = shape(design);
            String found = shape(there.get());
            if (!wanted.equals(found)) {
                findings.add(Finding.refused("table " + to.sequence() + " exists and is another one: it has " + found
                        + ", not " + wanted + waysOut(plan, design, there.get())));
            } else {
                comparedOtherwise(target, plan, design, there.get()).ifPresent(findings::add);
                findings.addAll(keptCollations(target, plan, design, there.get()));
            }
        }
        SchemaReport.Table report = plan.report();
        return new Plan(
                plan.choice(),
                design,
                plan.sequence(),
                plan.columnDefaults(),
                plan.saysWrites(),
                new SchemaReport.Table(
                        report.table(),
                        report.target(),
                        report.cql(),
                        report.sequence(),
                        report.defaults(),
                        there.isPresent() && !plan.saysWrites() ? null : report.writes(),
                        report.indexes(),
                        report.uniques(),
                        report.losses(),
                        findings,
                        there.isPresent() ? "exists" : null));
    }

    /** Returns how to go on with a table whose key compares characters, and is to be compared by a collation; empty if that is not it. */
    private static String waysOut(Plan plan, TableDesign design, TableMetadata there) {
        String name = plan.choice().table().qualifiedName();
        List<String> byCode = design.columns().stream()
                .filter(column -> column.twin() != null
                        && there.getPrimaryKey().stream()
                                .anyMatch(key -> key.getName().asInternal().equals(column.name())))
                .map(column -> "--collation '" + name + "." + column.from().name() + "=" + TextComparison.BY_CODE + "'")
                .toList();
        if (byCode.isEmpty()) {
            return "";
        }
        return there.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isEmpty() && !plan.saysWrites()
                ? ". To go on with it as a table whose writes are plain, give --writes '" + name + "=plain'"
                : ". Its key compares characters: drop it, so that it is created with one that compares as the source does, and"
                        + " copy again; or go on with it, and give " + String.join(" ", byCode);
    }

    /**
     * Returns what is to be said of collations of a table that is there, of columns in whose place nothing stands in the key. They stay: an
     * ALTER COLUMN may have decided them, and values of UNIQUE are reserved by them.
     */
    private static List<Finding> keptCollations(Target target, Plan plan, TableDesign design, TableMetadata there) {
        TargetTable to = plan.choice().target();
        TableDefinition known = InternalAccess.tables(target.sequences())
                .contract(to.keyspace(), to.table())
                .definition();
        if (known == null || !known.isOf(there.getId().orElse(null))) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        for (TableDesign.DesignedColumn column : design.columns()) {
            ColumnDefinition before = known.column(column.name())
                    .filter(each -> each.type() != null && !isInKey(each))
                    .orElse(null);
            boolean inKey = there.getPrimaryKey().stream()
                    .anyMatch(key -> key.getName().asInternal().equals(column.name()));
            if (before == null || inKey || !TextComparison.isString(column.tsql())) {
                continue;
            }
            String is = named(before.collation());
            String other = named(column.comparison().collation());
            if (!is.equalsIgnoreCase(other)) {
                String what =
                        "column " + column.name() + " of table " + to.sequence() + " exists, and compares by " + is;
                findings.add(
                        column.comparison().chosen()
                                ? Finding.refused(what + ", not by " + other
                                        + ": leave out --collation, or change it by ALTER TABLE ... ALTER COLUMN ... COLLATE"
                                        + " through the JDBC driver")
                                : Finding.warning(what + ", as is declared; it stays so"));
            }
        }
        return findings;
    }

    private static String named(String collation) {
        return collation.isEmpty() ? Collation.DEFAULT_NAME : collation;
    }

    /** Returns what the source says of a table, and of columns that are known what is declared of them. */
    private static TableDefinition definition(TableRegistry registry, TargetTable to, TableDesign design, UUID id) {
        TableDefinition wanted = design.definition(id);
        TableDefinition known = registry.contract(to.keyspace(), to.table()).definition();
        if (known != null && known.isOf(id)) {
            for (ColumnDefinition column : known.columns()) {
                if (column.type() != null && wanted.column(column.name()).isPresent()) {
                    wanted = wanted.replacing(column);
                }
            }
        }
        return wanted;
    }

    /** Of a table that is there with these columns, whether its key is compared as the source compares it. */
    private static Optional<Finding> comparedOtherwise(
            Target target, Plan plan, TableDesign design, TableMetadata there) {
        TargetTable to = plan.choice().target();
        Map<String, String> wanted = collations(design.columns().stream().map(TableDesign.DesignedColumn::definition));
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        TableContract contract = InternalAccess.tables(target.sequences()).contract(to.keyspace(), to.table());
        Optional<TableDefinition> known = Optional.ofNullable(contract.definition())
                .filter(definition -> definition.isOf(there.getId().orElse(null))
                        && !definition.columns().isEmpty());
        Map<String, String> found = known.map(definition -> collations(definition.columns().stream()))
                .orElse(wanted);
        if (!wanted.equals(found)) {
            return Optional.of(Finding.refused("table " + to.sequence() + " exists, and its key is compared by " + found
                    + ", not by " + wanted + ": give --collation, or create another table"));
        }
        return (known.isPresent() && contract.writes() != null) || plan.saysWrites()
                ? Optional.empty()
                : Optional.of(Finding.refused("table " + to.sequence()
                        + " exists, and its key is compared by a collation, which exact writes alone keep: give --writes '"
                        + plan.choice().table().qualifiedName() + "="
                        + plan.report().writes() + "'"));
    }

    /** Returns by which collations columns of a key are compared: a later release has the same with newer characters. */
    private static Map<String, String> collations(Stream<ColumnDefinition> columns) {
        Map<String, String> collations = new TreeMap<>();
        columns.forEach(column -> {
            if (isInKey(column)) {
                collations.put(
                        column.name(),
                        Objects.requireNonNull(column.twin()).collation().toLowerCase(Locale.ROOT));
            }
        });
        return collations;
    }

    private static boolean isInKey(ColumnDefinition column) {
        return column.twin() != null && column.twin().isOfKey();
    }

    private static String shape(TableDesign design) {
        String columns = design.columns().stream()
                .flatMap(column -> Stream.concat(
                        Stream.of(column.name() + " " + column.type().asCql(false, false)),
                        column.twin() == null ? Stream.of() : Stream.of(Twin.nameOf(column.name()) + " text")))
                .sorted()
                .collect(Collectors.joining(", "));
        return columns + ", partition key "
                + design.key().partition().stream().map(design::keyColumn).toList() + ", clustering columns "
                + design.key().clustering().stream()
                        .map(each -> design.keyColumn(each.column()))
                        .toList();
    }

    private static String shape(TableMetadata table) {
        String columns = table.getColumns().values().stream()
                .filter(column -> !TableDefinition.isHidden(column.getName().asInternal())
                        || table.getPrimaryKey().contains(column))
                .map(column ->
                        column.getName().asInternal() + " " + column.getType().asCql(false, false))
                .sorted()
                .collect(Collectors.joining(", "));
        return columns + ", partition key " + names(table.getPartitionKey()) + ", clustering columns "
                + names(List.copyOf(table.getClusteringColumns().keySet()));
    }

    private static List<String> names(List<ColumnMetadata> columns) {
        return columns.stream().map(column -> column.getName().asInternal()).toList();
    }

    private List<SchemaReport.Table> apply(Target target, List<Plan> plans) {
        List<SchemaReport.Table> done = new ArrayList<>();
        for (Plan plan : plans) {
            MigrationException.throwIfInterrupted();
            TargetTable to = plan.choice().target();
            TableDesign design = Objects.requireNonNull(plan.design());
            shell.progress("creating " + to.sequence());
            boolean exists = target.table(to).isPresent();
            plan.sequence().ifPresent(spec -> target.sequences().admin().register(spec));
            create(target, to, design, plan);
            if (exists && plan.saysWrites() && design.exact()) {
                Declarations.of(target, to, List.of(), plan.report().writes())
                        .register(target, to, Duration.ZERO, shell::progress);
            }
            if (indexes) {
                design.proposedIndexes().forEach(index -> target.session().execute(index));
            }
            done.add(plan.report().with(exists ? "exists" : "created"));
        }
        return done;
    }

    private static void requireMode(String mode) {
        if (!mode.equals("plain") && !Declarations.isExact(mode)) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be exact, exact:<datacenter>, serial or plain: --writes '" + mode + "'");
        }
    }

    /** Before anything is created: where there are several datacenters, exact does not say which one decides. */
    private static void requireHomes(Target target, List<Plan> plans) {
        for (Plan plan : plans) {
            TableDesign design = plan.design();
            String mode = plan.report().writes();
            if (design != null && design.exact() && mode != null) {
                var unused = Declarations.exact(target, plan.choice().target(), mode, null);
            }
        }
    }

    private static void create(Target target, TargetTable to, TableDesign design, Plan plan) {
        TableRegistry registry = InternalAccess.tables(target.sequences());
        IdentityColumn identity = plan.sequence()
                .map(spec -> new TargetTable(
                                to.keyspace(),
                                to.table(),
                                design.identity().orElseThrow().name())
                        .identityColumn())
                .orElse(null);
        List<ColumnDefault> defaults = plan.columnDefaults();
        if (target.table(to).isEmpty()) {
            UUID id = Uuids.timeBased();
            TableWrites writes = design.exact()
                    ? Declarations.exact(
                            target, to, Objects.requireNonNull(plan.report().writes()), id)
                    : null;
            Declared declared = registry.declare(
                    new TableDeclaration(to.keyspace(), to.table(), design.definition(id), identity, defaults, writes));
            target.session().execute(design.cql(declared.id()));
            if (idOf(target, to).equals(declared.id())) {
                registry.created(to.keyspace(), to.table(), declared.id());
                return;
            }
        }
        // There was one before, or another process was faster.
        registry.adopt(to.keyspace(), to.table(), definition(registry, to, design, idOf(target, to)));
        if (identity != null) {
            registry.registerIdentity(identity);
        }
        defaults.forEach(registry::registerDefault);
    }

    private static UUID idOf(Target target, TargetTable table) {
        return target.table(table).flatMap(RelationMetadata::getId).orElseThrow();
    }
}
