package dev.cassidy.applications;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** What a scenario has seen of its database: for each of its steps the values that a DAO returned, as lines, or its failure. */
public final class Journal {

    private static final List<String> FAILED = List.of("failed");

    private final Map<String, List<String>> steps = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /**
     * Notes what a step returns, or that it failed. So one refused statement does not hide those after it.
     *
     * @param name of the step, which no other one has
     * @return what the step returned; null if it failed
     */
    public <T> T see(String name, Callable<T> step) {
        T value = null;
        List<String> lines;
        try {
            value = step.call();
            lines = lines(value);
        } catch (Exception e) {
            failures.put(name, e + " <- " + cause(e));
            lines = FAILED;
        }
        if (steps.put(name, lines) != null) {
            throw new IllegalArgumentException("must be a step's only name: " + name);
        }
        return value;
    }

    /** Notes by what class of SQLStates a database refuses a step that it must refuse. */
    public void seeRefused(String name, Callable<?> step) {
        see(name, () -> {
            try {
                return "accepted: " + step.call();
            } catch (Exception e) {
                if (cause(e) instanceof SQLException sql && sql.getSQLState() != null) {
                    return "refused: " + sql.getSQLState().substring(0, 2) + "...";
                }
                throw e;
            }
        });
    }

    /** Returns the steps that failed, and why. */
    public Map<String, String> failures() {
        return failures;
    }

    /** Returns each step that saw something else than it did in another run of the same scenario, and what both saw. */
    public Map<String, String> differencesFrom(Journal expected) {
        Map<String, String> differences = new LinkedHashMap<>();
        expected.steps.forEach((name, lines) -> {
            List<String> seen = steps.get(name);
            if (!lines.equals(seen)) {
                differences.put(
                        name,
                        "\n  expected " + lines + "\n  but saw " + seen
                                + (failures.containsKey(name) ? "\n  because " + failures.get(name) : "")
                                + "\n");
            }
        });
        steps.keySet().stream()
                .filter(name -> !expected.steps.containsKey(name))
                .forEach(name -> differences.put(name, "was not expected"));
        return differences;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            if (cause instanceof SQLException) {
                return cause;
            }
            cause = cause.getCause();
        }
        return cause;
    }

    private static List<String> lines(Object value) {
        List<String> lines = new ArrayList<>();
        if (value instanceof Iterable<?> rows) {
            rows.forEach(row -> lines.add(shown(row)));
        } else {
            lines.add(shown(value));
        }
        return lines;
    }

    /** The columns of a row that is a map have no order. */
    private static String shown(Object value) {
        if (value instanceof Map<?, ?> row) {
            Map<String, String> columns = new TreeMap<>();
            row.forEach((column, content) -> columns.put(String.valueOf(column), shown(content)));
            return columns.toString();
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        return String.valueOf(value);
    }
}
