package dev.cassidy.migration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cassidy.migration.plan.TableReport;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The result of a command. The components of its records are the JSON document, documented in docs/migration.md. */
sealed interface Report
        permits Report.Tables,
                Report.Init,
                Report.ReplicationChange,
                Report.Registration,
                Report.AdoptedCounters,
                Report.CopiedCounters,
                Report.EmptiedCounters,
                Report.Counted,
                Report.Declared,
                Report.DeclaredSmall,
                Report.SmallTables,
                Report.SwitchedAssistance,
                Report.AssistanceOff,
                Report.MovedCounters,
                CopyReport,
                RollbackReport,
                SchemaReport,
                FenceReport,
                RepairReport,
                StatusReport,
                BackReport,
                AssessReport,
                CheckReport,
                AdoptReport,
                AlterReport,
                AddUniqueReport,
                AddTwinReport,
                RebuildReport,
                MoveReport,
                TransactionsReport,
                TransactionReport,
                ResolvedReport {

    /** ASCII alone, so that no terminal's or pipe's character set can spoil a name. */
    ObjectWriter JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build()
            .writerWithDefaultPrettyPrinter();

    int exitCode();

    /** Returns the result for people. */
    String text();

    /** Returns the result for programs. */
    default String json() {
        try {
            return JSON.writeValueAsString(this) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + getClass().getSimpleName() + " as JSON", e);
        }
    }

    /**
     * Of {@code plan}, {@code seed} and {@code verify}.
     *
     * @param source the source's URL without secrets
     * @param rows what {@code verify} knows of copied rows
     * @param findings what concerns the database as a whole; only {@code plan} looks
     */
    record Tables(
            String command,
            int exitCode,
            String source,
            List<TableReport> tables,
            List<CopiedRows.Row> rows,
            List<TableReport.FindingReport> findings)
            implements Report {

        public Tables {
            tables = List.copyOf(tables);
            rows = List.copyOf(rows);
            findings = List.copyOf(findings);
        }

        Tables(String command, int exitCode, String source, List<TableReport> tables) {
            this(command, exitCode, source, tables, List.of(), List.of());
        }

        Tables(String command, int exitCode, String source, List<TableReport> tables, List<CopiedRows.Row> rows) {
            this(command, exitCode, source, tables, rows, List.of());
        }

        @Override
        public String text() {
            return TextTable.of(this) + rows.stream().map(CopiedRows.Row::text).collect(Collectors.joining());
        }
    }

    /**
     * Of {@code init}.
     *
     * @param executed whether the statements were executed, and not just printed
     */
    record Init(String command, int exitCode, boolean executed, List<String> statements) implements Report {

        public Init {
            statements = List.copyOf(statements);
        }

        @Override
        public String text() {
            return executed
                    ? "Cassidy's keyspaces and tables exist (" + statements.size()
                            + " statements, each IF NOT EXISTS).\n"
                    : String.join(";\n\n", statements) + ";\n";
        }
    }

    /**
     * Of {@code ids register}.
     *
     * @param result {@code created} or {@code unchanged}
     */
    record Registration(
            String command,
            int exitCode,
            String keyspace,
            String table,
            String column,
            String sequence,
            String type,
            long start,
            long increment,
            boolean ready,
            String result)
            implements Report {

        @Override
        public String text() {
            return "sequence " + sequence + " (" + type + ", start " + start + ", increment " + increment + ", "
                    + (ready ? "ready" : "awaits its seed") + ") fills column " + column + ": " + result + "\n";
        }
    }

    /**
     * Of {@code init}, where the keyspaces exist with other replicas: what a person has to do.
     *
     * @param found the replicas of each keyspace that would change
     * @param steps in their order
     */
    record ReplicationChange(
            String command, int exitCode, boolean executed, Map<String, String> found, List<String> steps)
            implements Report {

        public ReplicationChange {
            found = Collections.unmodifiableMap(new LinkedHashMap<>(found));
            steps = List.copyOf(steps);
        }

        @Override
        public String text() {
            StringBuilder text = new StringBuilder("Cassidy's keyspaces exist with other replicas: " + found
                    + ". Nothing was changed. If other replicas are meant, change them like this"
                    + " (docs/operations.md, Replication changes):\n");
            for (int i = 0; i < steps.size(); i++) {
                text.append(i + 1).append(". ").append(steps.get(i)).append('\n');
            }
            return text.toString();
        }
    }

    /** Of {@code counters adopt}. */
    record AdoptedCounters(String command, int exitCode, String table, String kind) implements Report {

        @Override
        public String text() {
            return table + " is a table of " + kind + " counters\n";
        }
    }

    /** Of {@code counters copy}. */
    record CopiedCounters(String command, int exitCode, String source, String table, String kind, long totals)
            implements Report {

        @Override
        public String text() {
            return totals + " totals of " + source + " are in " + table + ", of " + kind + " counters\n";
        }
    }

    /** Of {@code counters truncate}. */
    record EmptiedCounters(String command, int exitCode, String table, String kind) implements Report {

        @Override
        public String text() {
            return "all " + kind + " counters of " + table + " are 0\n";
        }
    }

    /** A default of a column. */
    record DeclaredDefault(String column, String name, String expression) {}

    /**
     * The result of {@code tables count}.
     *
     * @param result {@code counted}, or {@code unchanged} if the column counted already
     */
    record Counted(String command, int exitCode, String keyspace, String table, String column, String result)
            implements Report {
        @Override
        public String text() {
            return keyspace + "." + table + ": column " + column
                    + (result.equals("unchanged") ? " counted already\n" : " counts from now on\n");
        }
    }

    /**
     * Of {@code tables declare}.
     *
     * @param writes the mode of {@code --writes}; null if that was not given
     */
    record Declared(
            String command,
            int exitCode,
            String keyspace,
            String table,
            List<DeclaredDefault> defaults,
            @Nullable String writes)
            implements Report {

        public Declared {
            defaults = List.copyOf(defaults);
        }

        @Override
        public String text() {
            StringBuilder text = new StringBuilder();
            for (DeclaredDefault each : defaults) {
                text.append("column ")
                        .append(each.column())
                        .append(" has the default ")
                        .append(each.expression())
                        .append(" as ")
                        .append(each.name())
                        .append('\n');
            }
            if (writes != null) {
                text.append("rows are written ").append(writes).append('\n');
            }
            return text.toString();
        }
    }

    /**
     * Of {@code tables small} with a table.
     *
     * @param small whether it is declared small now
     * @param changed whether it was not before
     */
    record DeclaredSmall(String command, int exitCode, String keyspace, String table, boolean small, boolean changed)
            implements Report {
        @Override
        public String text() {
            return "table " + keyspace + "." + table + (changed ? " is" : " was")
                    + (small ? " declared small" : " not declared small")
                    + (changed ? "; processes know it within a watch interval\n" : " already\n");
        }
    }

    /**
     * Of {@code tables small} without a table.
     *
     * @param tables those that are declared small, {@code keyspace.table} each
     */
    record SmallTables(String command, int exitCode, List<String> tables) implements Report {

        public SmallTables {
            tables = List.copyOf(tables);
        }

        @Override
        public String text() {
            return tables.isEmpty()
                    ? "no table is declared small\n"
                    : tables.stream().map(each -> each + "\n").collect(Collectors.joining());
        }
    }

    /**
     * Of {@code assist off} and {@code assist on}.
     *
     * @param statement null for all
     * @param on whether it is evaluated in the client now
     * @param changed whether it was not so before
     */
    record SwitchedAssistance(
            String command, int exitCode, @Nullable String statement, boolean on, boolean changed) implements Report {
        @Override
        public String text() {
            return (statement == null ? "evaluation in the client" : "statement " + statement)
                    + (changed ? " is " : " was ")
                    + (on ? "on" : "off")
                    + (changed ? "; processes know it within a watch interval\n" : " already\n");
        }
    }

    /**
     * Of {@code assist list}.
     *
     * @param all whether it is off for all statements
     */
    record AssistanceOff(String command, int exitCode, boolean all, List<Entry> off) implements Report {

        /** @param statement its hash; {@code *} for all */
        record Entry(String statement, String note) {}

        public AssistanceOff {
            off = List.copyOf(off);
        }

        @Override
        public String text() {
            return off.isEmpty()
                    ? "nothing is turned off\n"
                    : off.stream()
                            .map(each -> (each.statement().equals("*") ? "all statements" : each.statement())
                                    + (each.note().isEmpty() ? "" : "  " + each.note()) + "\n")
                            .collect(Collectors.joining());
        }
    }

    /**
     * What is to be known of a counter.
     *
     * @param level {@code risk}
     * @param counter its name; empty for all
     */
    record CounterFinding(String level, String counter, String message) {}

    /**
     * Of {@code counters}.
     *
     * @param counters how many native counters have a value
     * @param total their sum
     * @param moved how many of them Cassidy's counters contain now, with this value
     */
    record MovedCounters(
            String command,
            int exitCode,
            String source,
            String target,
            long counters,
            BigInteger total,
            long moved,
            List<CounterFinding> findings)
            implements Report {

        public MovedCounters {
            findings = List.copyOf(findings);
        }

        @Override
        public String text() {
            StringBuilder text = new StringBuilder();
            text.append(counters)
                    .append(" native counters of ")
                    .append(source)
                    .append(", sum ")
                    .append(total)
                    .append("; moved to ")
                    .append(target)
                    .append(": ")
                    .append(moved)
                    .append('\n');
            for (CounterFinding finding : findings) {
                text.append(finding.level())
                        .append(": ")
                        .append(finding.counter().isEmpty() ? "" : finding.counter() + ": ")
                        .append(finding.message())
                        .append('\n');
            }
            return text.toString();
        }
    }
}
