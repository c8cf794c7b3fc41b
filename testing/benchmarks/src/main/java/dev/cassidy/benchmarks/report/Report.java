package dev.cassidy.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The cases of one run. One thread. */
public final class Report {

    private final String title;
    private final Map<String, String> conditions = new LinkedHashMap<>();
    private final Map<String, Case> cases = new LinkedHashMap<>();

    public Report(String title) {
        this.title = title;
    }

    /** Records the conditions under which the figures hold. */
    public void condition(String name, String value) {
        conditions.put(name, value);
    }

    /** Adds a case; refuses one that holds no number, and a second of the same name. */
    public void add(Case measured) {
        if (!Double.isFinite(measured.ours()) || !Double.isFinite(measured.rival()) || Double.isNaN(measured.ratio())) {
            throw new IllegalArgumentException("measured nothing: " + measured);
        }
        if (cases.putIfAbsent(measured.name(), measured) != null) {
            throw new IllegalArgumentException("measured twice: case=" + measured.name());
        }
    }

    public List<Case> cases() {
        return List.copyOf(cases.values());
    }

    /** Returns the names among {@code required} of which there is no case. */
    public Set<String> missing(List<String> required) {
        Set<String> missing = new LinkedHashSet<>(required);
        missing.removeAll(cases.keySet());
        return missing;
    }

    /** Writes {@code name}.json, {@code name}.md and {@code name}.svg. */
    public void write(Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".json"), json());
        Files.writeString(folder.resolve(name + ".md"), markdown(name + ".svg"));
        Files.writeString(folder.resolve(name + ".svg"), BarChart.of(title, cases()));
    }

    String json() throws IOException {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (Case each : cases.values()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("case", each.name());
            object.put("contestants", each.contestants());
            object.put("ours", each.ours());
            object.put("rival", each.rival());
            object.put("unit", each.unit());
            object.put("ratio", isShown(each.ratio()) ? each.ratio() : null);
            object.put("goal", each.goal());
            object.put("met", each.met().orElse(null));
            object.put("details", each.details());
            objects.add(object);
        }
        return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(objects) + "\n";
    }

    String markdown(String chart) {
        StringBuilder text = new StringBuilder("# ").append(title).append("\n\n");
        conditions.forEach((name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
        text.append("\n![ratios](").append(chart).append(")\n\n").append(table());
        return text.toString();
    }

    /** Returns the cases as a Markdown table. */
    public String table() {
        StringBuilder text = new StringBuilder(
                "| case | ours | rival | unit | ratio | goal | |\n|---|---:|---:|---|---:|---:|---|\n");
        for (Case each : cases.values()) {
            text.append(String.format(
                    Locale.ROOT,
                    "| `%s`<br>%s | %s | %s | %s | **%s** | %s | %s |%n",
                    each.name(),
                    each.contestants() + details(each),
                    figure(each.ours()),
                    figure(each.rival()),
                    each.unit(),
                    ratio(each.ratio()),
                    each.goal() == null ? "" : "≥ " + ratio(each.goal()),
                    each.met().map(met -> met ? "met" : "**missed**").orElse("")));
        }
        return text.toString();
    }

    private static String details(Case each) {
        StringBuilder text = new StringBuilder();
        each.details()
                .forEach((name, value) ->
                        text.append("; ").append(name).append(' ').append(figure(value)));
        return text.toString();
    }

    static String ratio(double value) {
        return isShown(value) ? figure(value) + "x" : "∞";
    }

    /** What is next to nothing, beside a limit, has a ratio of no meaning. */
    private static boolean isShown(double ratio) {
        return ratio <= 1e6;
    }

    static String figure(double value) {
        double size = Math.abs(value);
        String form = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.5f";
        return String.format(Locale.ROOT, form, value);
    }
}
