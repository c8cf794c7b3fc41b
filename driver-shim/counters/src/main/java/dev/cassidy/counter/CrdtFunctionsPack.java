package dev.cassidy.counter;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.functions.CrdtScript;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a version of the script creates, and what earlier versions created that it no longer does.
 *
 * @param parts by signature, in the script's order
 * @param retired signatures as in {@link Part#signature()}
 */
record CrdtFunctionsPack(Map<String, Part> parts, Set<String> retired) {

    /** Without parameters and with a body that returns a number: the version is read from there, not called. */
    static final String VERSION = "crdt_pack_version()";

    private static final Pattern HEAD = Pattern.compile("^CREATE OR REPLACE (FUNCTION|AGGREGATE) (\\w+)\\((.*)\\)\\n");
    private static final Pattern BODY = Pattern.compile("(?s)AS \\$\\$(.*)\\$\\$$");
    private static final Pattern CLAUSE = Pattern.compile("(?m)^    (RETURNS|SFUNC|STYPE|FINALFUNC|INITCOND) (.+)$");
    private static final Pattern RETURNED = Pattern.compile("return (\\d+);");

    /**
     * A function or an aggregate, as the script creates it or as a keyspace has it.
     *
     * @param arguments their types as CQL writes them, without {@code frozen}
     * @param definition the columns of {@code system_schema} that tell whether two of them are the same
     */
    record Part(boolean isAggregate, String name, List<String> arguments, Map<String, String> definition) {

        /** As {@code crdt_sum(bigint)}. */
        String signature() {
            return signature(name);
        }

        /** As {@code shop.crdt_sum(bigint)}. */
        String signatureIn(CqlIdentifier keyspace) {
            return signature(keyspace.asCql(true) + "." + name);
        }

        private String signature(String qualified) {
            return qualified + "(" + String.join(", ", arguments) + ")";
        }

        String createIn(CqlIdentifier keyspace) {
            String qualified = keyspace.asCql(true) + "." + name;
            if (isAggregate) {
                String last = definition.getOrDefault("final_func", "");
                return "CREATE OR REPLACE AGGREGATE " + signature(qualified) + " SFUNC " + definition.get("state_func")
                        + " STYPE " + definition.get("state_type") + (last.isEmpty() ? "" : " FINALFUNC " + last)
                        + " INITCOND " + definition.get("initcond");
            }
            return "CREATE OR REPLACE FUNCTION " + qualified + "(" + definition.get("parameters")
                    + ") CALLED ON NULL INPUT RETURNS " + definition.get("return_type") + " LANGUAGE java AS $$"
                    + definition.get("body") + "$$";
        }

        String dropIn(CqlIdentifier keyspace) {
            return "DROP " + (isAggregate ? "AGGREGATE" : "FUNCTION") + " IF EXISTS " + signatureIn(keyspace);
        }

        /** The signatures of the functions that an aggregate calls. */
        List<String> calls() {
            if (!isAggregate) {
                return List.of();
            }
            String state = definition.getOrDefault("state_type", "");
            List<String> calls = new ArrayList<>();
            calls.add(arguments.stream()
                    .collect(joining(
                            ", ",
                            definition.get("state_func") + "(" + state + (arguments.isEmpty() ? "" : ", "),
                            ")")));
            String last = definition.getOrDefault("final_func", "");
            if (!last.isEmpty()) {
                calls.add(last + "(" + state + ")");
            }
            return calls;
        }
    }

    /** What the script of this build creates. No version has retired anything yet. */
    static CrdtFunctionsPack current() {
        return new CrdtFunctionsPack(
                bySignature(CrdtScript.statements().stream()
                        .map(CrdtFunctionsPack::parse)
                        .toList()),
                Set.of());
    }

    /**
     * Some of the aggregates, with what they call, and the version.
     *
     * @throws IllegalArgumentException if one is not in this pack
     */
    CrdtFunctionsPack of(Collection<String> aggregates) {
        Set<String> offered = new LinkedHashSet<>();
        Set<String> called = new HashSet<>(Set.of(VERSION));
        for (Part aggregate : aggregates()) {
            offered.add(aggregate.name());
            if (aggregates.contains(aggregate.name())) {
                called.add(aggregate.signature());
                called.addAll(aggregate.calls());
            }
        }
        if (!offered.containsAll(aggregates)) {
            throw new IllegalArgumentException("must be of " + offered + ": aggregates=" + aggregates);
        }
        Map<String, Part> some = new LinkedHashMap<>(parts);
        some.keySet().retainAll(called);
        return new CrdtFunctionsPack(some, retired);
    }

    private static Map<String, Part> bySignature(List<Part> parts) {
        return parts.stream()
                .collect(toMap(Part::signature, part -> part, (first, second) -> first, LinkedHashMap::new));
    }

    List<Part> functions() {
        return parts.values().stream().filter(part -> !part.isAggregate()).toList();
    }

    List<Part> aggregates() {
        return parts.values().stream().filter(Part::isAggregate).toList();
    }

    /** The version of what a keyspace has; 0 if it has nothing. */
    static int version(Map<String, Part> installed) {
        Part version = installed.get(VERSION);
        if (version == null) {
            return 0;
        }
        Matcher returned = RETURNED.matcher(version.definition().getOrDefault("body", ""));
        return returned.find() ? Integer.parseInt(returned.group(1)) : 0;
    }

    /** @param statement of the script, whose form the script's generator and its tests hold */
    private static Part parse(String statement) {
        Matcher head = HEAD.matcher(statement);
        if (!head.find()) {
            throw new IllegalStateException("not a statement of the script: " + statement);
        }
        Map<String, String> clauses = CLAUSE.matcher(statement)
                .results()
                .collect(toMap(clause -> clause.group(1), CrdtFunctionsPack::value, (first, second) -> first));
        List<String> parameters = split(head.group(3));
        if (head.group(1).equals("AGGREGATE")) {
            return new Part(
                    true,
                    head.group(2),
                    parameters,
                    Map.of(
                            "state_func", clauses.getOrDefault("SFUNC", ""),
                            "state_type", clauses.getOrDefault("STYPE", ""),
                            "final_func", clauses.getOrDefault("FINALFUNC", ""),
                            "initcond", clauses.getOrDefault("INITCOND", "")));
        }
        Matcher body = BODY.matcher(statement);
        if (!body.find()) {
            throw new IllegalStateException("a function without a body: " + statement);
        }
        return new Part(
                false,
                head.group(2),
                parameters.stream()
                        .map(parameter -> parameter.substring(parameter.indexOf(' ') + 1))
                        .toList(),
                Map.of(
                        "parameters", head.group(3),
                        "return_type", clauses.getOrDefault("RETURNS", ""),
                        "called_on_null_input", "true",
                        "body", body.group(1)));
    }

    private static String value(MatchResult clause) {
        return clause.group(2);
    }

    /** Splits at the commas that are not between angle brackets. */
    private static List<String> split(String list) {
        List<String> elements = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == ',' && depth == 0) {
                elements.add(list.substring(start, i).strip());
                start = i + 1;
            }
        }
        if (!list.isBlank()) {
            elements.add(list.substring(start).strip());
        }
        return List.copyOf(elements);
    }

    /** @param row of {@code system_schema.functions} */
    static Part function(Row row) {
        List<String> types = types(row);
        List<String> names = Objects.requireNonNullElse(row.getList("argument_names", String.class), List.of());
        List<String> parameters = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            parameters.add(names.get(i) + " " + types.get(i));
        }
        return new Part(
                false,
                text(row, "function_name"),
                types,
                Map.of(
                        "parameters", String.join(", ", parameters),
                        "return_type", unfrozen(text(row, "return_type")),
                        "called_on_null_input", Boolean.toString(row.getBoolean("called_on_null_input")),
                        "body", text(row, "body")));
    }

    /** @param row of {@code system_schema.aggregates} */
    static Part aggregate(Row row) {
        return new Part(
                true,
                text(row, "aggregate_name"),
                types(row),
                Map.of(
                        "state_func", text(row, "state_func"),
                        "state_type", unfrozen(text(row, "state_type")),
                        "final_func", text(row, "final_func"),
                        "initcond", text(row, "initcond")));
    }

    private static List<String> types(Row row) {
        return Objects.requireNonNullElse(row.getList("argument_types", String.class), List.<String>of()).stream()
                .map(CrdtFunctionsPack::unfrozen)
                .toList();
    }

    private static String text(Row row, String column) {
        return Objects.requireNonNullElse(row.getString(column), "");
    }

    /** Cassandra stores types as frozen that a function must not call frozen. */
    private static String unfrozen(String type) {
        StringBuilder unfrozen = new StringBuilder(type);
        for (int at = unfrozen.indexOf("frozen<"); at >= 0; at = unfrozen.indexOf("frozen<")) {
            int depth = 1;
            int end = at + "frozen<".length();
            while (depth > 0) {
                char c = unfrozen.charAt(end++);
                depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            }
            unfrozen.deleteCharAt(end - 1).delete(at, at + "frozen<".length());
        }
        return unfrozen.toString();
    }
}
