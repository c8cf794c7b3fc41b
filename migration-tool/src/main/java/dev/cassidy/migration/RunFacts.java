package dev.cassidy.migration;

import dev.cassidy.migration.HtmlReport.Fact;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a report says of the run that made it. */
final class RunFacts {

    private final List<Fact> facts = new ArrayList<>();

    RunFacts(Shell shell, String source) {
        add("date", shell.clock().instant());
        add("tool", "cassidy " + MigrationTool.version());
        add("source", source);
    }

    /** Adds a fact, unless it has no value. */
    RunFacts add(String name, @Nullable Object value) {
        if (value != null && !String.valueOf(value).isEmpty()) {
            facts.add(new Fact(name, String.valueOf(value)));
        }
        return this;
    }

    List<Fact> list() {
        return List.copyOf(facts);
    }
}
