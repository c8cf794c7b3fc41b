package dev.cassidy.reliability.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The result of each cell, for printing: one line per statement and failure, one column per outcome. */
final class Matrix {

    private final Map<Step, Map<Failure, Map<Outcome, String>>> results = new EnumMap<>(Step.class);

    /**
     * @param landing the result of the statement that was held back
     * @param refusals the exceptions after which the process continued
     */
    void add(Cell cell, boolean holds, String landing, Collection<String> refusals) {
        List<String> words = new ArrayList<>();
        words.add(holds ? "ok" : "BROKEN");
        if (!landing.isEmpty()) {
            words.add(landing);
        }
        words.addAll(refusals);
        results.computeIfAbsent(cell.step(), step -> new EnumMap<>(Failure.class))
                .computeIfAbsent(cell.failure(), failure -> new EnumMap<>(Outcome.class))
                .put(cell.outcome(), String.join(" ", words));
    }

    @Override
    public String toString() {
        StringBuilder table = new StringBuilder();
        line(table, "", "", Outcome::name);
        results.forEach((step, failures) -> failures.forEach((failure, outcomes) ->
                line(table, step.name(), failure.name(), outcome -> outcomes.getOrDefault(outcome, ""))));
        return table.toString();
    }

    private interface Column {
        String of(Outcome outcome);
    }

    private static void line(StringBuilder table, String step, String failure, Column column) {
        table.append(String.format("%n%-18s %-21s", step, failure));
        for (Outcome outcome : Outcome.values()) {
            table.append(String.format(" | %-26s", column.of(outcome)));
        }
    }
}
