package dev.cassidy.migration;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

/** Lists the options of a command under headings: its own first, then those of the source, of Cassandra and the rest. */
final class HelpGroups implements IHelpSectionRenderer {

    static final String CASSANDRA = "Cassandra";

    /** The headings, by the class that declares the option. */
    private static final Map<Class<?>, String> HEADINGS = Map.of(
            SourceOptions.class, "The source",
            ReadOptions.class, "The source",
            TableOptions.class, "Tables, and where they go",
            ChosenTables.class, "Tables, and where they go",
            CassandraOptions.class, CASSANDRA,
            OutputOption.class, "Output",
            ReportOption.class, "Output");

    private static final List<String> ORDER =
            List.of("Options", "Tables, and where they go", "The source", CASSANDRA, "Output", "General");

    @Override
    public String render(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        ORDER.forEach(heading -> groups.put(heading, new ArrayList<>()));
        for (OptionSpec option : help.commandSpec().options()) {
            groups.computeIfAbsent(heading(option), absent -> new ArrayList<>()).add(option);
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, options) -> {
            if (!options.isEmpty()) {
                Help.Layout layout = help.createDefaultLayout();
                layout.addOptions(options, help.parameterLabelRenderer());
                text.append(System.lineSeparator()).append(heading).append(':').append(System.lineSeparator());
                text.append(layout);
            }
        });
        return text.toString();
    }

    static String heading(OptionSpec option) {
        return option.userObject() instanceof Field field
                ? HEADINGS.getOrDefault(field.getDeclaringClass(), "Options")
                : "General";
    }
}
