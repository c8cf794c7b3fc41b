package dev.cassidy.migration.assess;

import dev.cassidy.insert.Identifiers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What would make refused and dear statements cheap, as CQL and commands to run. Immutable.
 *
 * @param tables definitions of tables by a key that statements give; each is to be filled, and written beside the other
 * @param indexes definitions of indexes, where nodes are few enough to ask them all
 * @param commands lines of the command cassidy
 */
public record Plan(List<Step> tables, List<Step> indexes, List<Step> commands) {

    /** In a larger datacenter the driver refuses by default what asks nodes all over it, so a table by the key comes before an index. */
    static final int MAX_NODES = 12;

    private static final Pattern COMMAND = Pattern.compile(
            "cassidy(?: [a-z]+){1,2}(?: --[a-z-]+(?: (?!-)(?:'[^']*'|\\\\'|[\\w.,:/@%+=-]*[\\w/%+=-])+)?)+");

    /**
     * One definition or command.
     *
     * @param text to be run as it is
     * @param serves the statements that it serves
     */
    public record Step(String text, List<Assessment.Seen> serves) {
        public Step {
            serves = List.copyOf(serves);
        }

        /** Returns the places in the application that it serves. */
        public List<String> calledBy() {
            return serves.stream()
                    .flatMap(seen -> seen.calledBy().stream())
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** Returns how many executions it serves. */
        public long executions() {
            return serves.stream().mapToLong(Assessment.Seen::executions).sum();
        }
    }

    public Plan {
        tables = List.copyOf(tables);
        indexes = List.copyOf(indexes);
        commands = List.copyOf(commands);
    }

    /** Makes the plan of a report, for the number of nodes that it was made for. */
    static Plan of(Assessment report) {
        int nodes = report.nodes();
        boolean large = nodes > MAX_NODES;
        Map<String, List<Assessment.Seen>> tables = new LinkedHashMap<>();
        Map<String, List<Assessment.Seen>> indexes = new LinkedHashMap<>();
        Map<String, List<Assessment.Seen>> commands = new LinkedHashMap<>();
        for (Assessment.Seen seen : report.statements()) {
            addCommands(seen, commands);
            for (Access access : seen.accesses()) {
                boolean needs = access.kind() == Access.Kind.REFUSED
                        || access.kind() == Access.Kind.FAN_OUT
                        || !access.refusal().isEmpty();
                List<String> byKey = access.tableByKey().map(List::of).orElse(List.of());
                boolean table = large ? !byKey.isEmpty() : access.indexes().isEmpty();
                for (String text : needs ? (table ? byKey : access.indexes()) : List.<String>of()) {
                    (text.startsWith("CREATE TABLE") ? tables : indexes)
                            .computeIfAbsent(text, absent -> new ArrayList<>())
                            .add(seen);
                }
            }
        }
        return new Plan(steps(tables, ";"), steps(indexes, ";"), steps(commands, ""));
    }

    /**
     * Returns the statements of indexes. One of strings is T-SQL, for the driver, whose index compares them by their collation.
     *
     * @param shown the table as CQL writes it
     * @param columns internal names
     * @param strings those of the columns that have strings
     */
    static List<String> indexes(String shown, String table, List<String> columns, List<String> strings) {
        return columns.stream()
                .map(column -> "CREATE INDEX "
                        + Identifiers.toCql((table + "_" + column).replaceAll("[^A-Za-z0-9_]", "_")) + " ON " + shown
                        + " (" + Identifiers.toCql(column) + ")" + (strings.contains(column) ? "" : " USING 'sai'"))
                .toList();
    }

    /** The commands that the driver's own messages tell the user to run. */
    private static void addCommands(Assessment.Seen seen, Map<String, List<Assessment.Seen>> commands) {
        List<String> texts = new ArrayList<>(seen.reasons());
        texts.addAll(seen.differences());
        for (String text : texts) {
            Matcher command = COMMAND.matcher(text);
            while (command.find()) {
                commands.computeIfAbsent(command.group(), absent -> new ArrayList<>())
                        .add(seen);
            }
        }
    }

    private static List<Step> steps(Map<String, List<Assessment.Seen>> serving, String end) {
        return serving.entrySet().stream()
                .map(each -> new Step(
                        each.getKey() + end, each.getValue().stream().distinct().toList()))
                .sorted((a, b) -> Long.compare(b.executions(), a.executions()))
                .toList();
    }

    /** Returns whether there is nothing to do. */
    public boolean isEmpty() {
        return tables.isEmpty() && indexes.isEmpty() && commands.isEmpty();
    }
}
