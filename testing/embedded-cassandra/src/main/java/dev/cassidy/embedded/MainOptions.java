package dev.cassidy.embedded;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command line of {@link Main}; port 0 stands for a free one. */
record MainOptions(boolean help, int port, @Nullable Path data, boolean keep, Map<String, Integer> datacenters) {

    static MainOptions parse(List<String> arguments) {
        boolean help = false;
        int port = 0;
        Path data = null;
        boolean keep = false;
        Map<String, Integer> datacenters = Map.of("dc1", 1);
        Deque<String> rest = new ArrayDeque<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.pop();
            switch (option) {
                case "--help", "-h" -> help = true;
                case "--keep" -> keep = true;
                case "--port" -> port = Ports.require(number(option, value(option, rest)));
                case "--data" -> data = Path.of(value(option, rest));
                case "--datacenters" -> datacenters = datacenters(value(option, rest));
                default -> throw new IllegalArgumentException("unknown option: " + option + "; --help lists all");
            }
        }
        return new MainOptions(help, port, data, keep || data != null, datacenters);
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException("needs a value: " + option);
        }
        return rest.pop();
    }

    private static int number(String option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number: " + option + " " + text, e);
        }
    }

    private static Map<String, Integer> datacenters(String text) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int colon = part.lastIndexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException(
                        "must be name:nodes, comma-separated, e.g. dc1:1,dc2:1: --datacenters " + text);
            }
            String name = part.substring(0, colon);
            if (counts.putIfAbsent(name, number("--datacenters", part.substring(colon + 1))) != null) {
                throw new IllegalArgumentException("named twice: " + name + ": --datacenters " + text);
            }
        }
        return counts;
    }
}
