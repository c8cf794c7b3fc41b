package dev.cassidy.migration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The result of one run of the command. */
record ToolRun(int exitCode, String out, String err) {

    static ToolRun of(Map<String, String> environment, Terminal terminal, List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = new MigrationTool(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        environment,
                        Optional.ofNullable(terminal))
                .run(words(arguments));
        return new ToolRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command, and {@code event} once, when the command has said {@code point} on a line of its progress. */
    static ToolRun listening(Map<String, String> environment, List<String> arguments, String point, Runnable event) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringBuilder said = new StringBuilder();
        OutputStream err = new OutputStream() {
            private boolean over;

            @Override
            public synchronized void write(int b) {
                said.append((char) b);
                if (!over && b == '\n' && said.indexOf(point) >= 0) {
                    over = true;
                    event.run();
                }
            }
        };
        int exitCode = new MigrationTool(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        environment,
                        Optional.empty())
                .run(words(arguments));
        return new ToolRun(exitCode, out.toString(StandardCharsets.UTF_8), said.toString());
    }

    static ToolRun of(String... arguments) {
        return of(Map.of("SOURCE_PASSWORD", ""), null, List.of(arguments));
    }

    /** Returns the arguments of a command line whose first ones may be written as one, {@code migrate plan}. */
    private static String[] words(List<String> arguments) {
        return arguments.isEmpty()
                ? new String[0]
                : Stream.concat(
                                Stream.of(arguments.get(0).split(" ")),
                                arguments.stream().skip(1))
                        .toArray(String[]::new);
    }

    /** Joins the words of a command, the arguments that name its systems, and the rest. */
    static List<String> join(String command, List<String> systems, String... rest) {
        List<String> all = new ArrayList<>();
        all.addAll(List.of(command.split(" ")));
        all.addAll(systems);
        all.addAll(Arrays.asList(rest));
        return all;
    }

    JsonNode json() {
        try {
            return new ObjectMapper().readTree(out);
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + out + "\nerr: " + err, e);
        }
    }

    /** Returns a property of each table of a JSON result, keyed by the source's table. */
    Map<String, String> tables(String property) {
        return StreamSupport.stream(json().get("tables").spliterator(), false)
                .collect(Collectors.toMap(table -> table.get("table").asText(), table -> table.get(property)
                        .asText()));
    }

    /** Returns a terminal where a person answers every question with {@code answer}. */
    static Terminal answering(String answer) {
        return new Terminal() {
            @Override
            public String readLine(String prompt) {
                return answer;
            }

            @Override
            public char[] readPassword(String prompt) {
                return answer.toCharArray();
            }
        };
    }

    /**
     * Returns a terminal where {@code event} runs while the question is open. The question is then answered with yes.
     */
    static Terminal meanwhile(Runnable event) {
        return new Terminal() {
            @Override
            public String readLine(String prompt) {
                event.run();
                return "y";
            }

            @Override
            public char[] readPassword(String prompt) {
                event.run();
                return new char[0];
            }
        };
    }
}
