package dev.cassidy.examples.quickstart;

import java.io.PrintStream;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** The quickstart's text: parts, figures and checks, in lines of at most {@value #WIDTH} characters where it can. */
final class Narration {

    static final int WIDTH = 100;

    private static final String INDENT = "  ";
    private static final String QUOTED = "| ";

    private final PrintStream out;
    private final LongSupplier nanoTime;
    private final int parts;
    private final List<Check> checks = new ArrayList<>();
    private final List<String> times = new ArrayList<>();
    private final long start;

    /**
     * Begins to measure the time.
     *
     * @param parts how many there will be
     */
    Narration(PrintStream out, LongSupplier nanoTime, int parts) {
        this.out = out;
        this.nanoTime = nanoTime;
        this.parts = parts;
        this.start = nanoTime.getAsLong();
    }

    /** A part of the story. */
    interface Part {
        void tell(Narration narration) throws Exception;
    }

    void title(String text) {
        out.println();
        out.println(text);
        out.println("=".repeat(WIDTH));
    }

    /** Runs a part under its number and title, and prints how long it took. */
    void part(String title, Part part) throws Exception {
        long began = nanoTime.getAsLong();
        int number = times.size() + 1;
        out.println();
        out.println("Part " + number + " of " + parts + "   " + title);
        out.println("-".repeat(WIDTH));
        part.tell(this);
        String time = seconds(began);
        times.add(time);
        out.println(right("part " + number + " took " + time));
    }

    void say(String text) {
        wrap(text, INDENT);
    }

    /** Text of another program, in lines that fit. */
    void cite(String text) {
        wrap(text, QUOTED);
    }

    /** Text of another program, line by line as it is. */
    void quote(String text) {
        text.stripTrailing().lines().forEach(line -> out.println((QUOTED + line).stripTrailing()));
        out.flush();
    }

    /** A command line as a shell takes it; an option stays with its value. */
    void command(String name, List<String> arguments) {
        List<String> words = new ArrayList<>();
        for (String argument : arguments) {
            String word = argument.matches("[A-Za-z0-9_.:,=/-]+") ? argument : "'" + argument + "'";
            int last = words.size() - 1;
            if (last > 0 && words.get(last).startsWith("--") && !word.startsWith("--")) {
                words.set(last, words.get(last) + " " + word);
            } else {
                words.add(word);
            }
        }
        String continued = " \\";
        String line = INDENT + "$ " + name;
        for (String word : words) {
            if (line.length() + 1 + word.length() + continued.length() > WIDTH) {
                out.println(line + continued);
                line = INDENT + " ";
            }
            line += " " + word;
        }
        out.println(line);
        out.flush();
    }

    void blank() {
        out.println();
    }

    /** Columns under their heads: numbers to the right, anything else to the left. */
    void table(List<String> head, List<List<Object>> rows) {
        List<Integer> widths = new ArrayList<>();
        for (int i = 0; i < head.size(); i++) {
            int column = i;
            widths.add(Math.max(
                    head.get(i).length(),
                    rows.stream()
                            .mapToInt(row -> text(row.get(column)).length())
                            .max()
                            .orElse(0)));
        }
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < head.size(); i++) {
            boolean number = !rows.isEmpty() && rows.get(0).get(i) instanceof Number;
            line.append(cell(head.get(i), widths.get(i), number));
        }
        out.println((INDENT + line).stripTrailing());
        for (List<Object> row : rows) {
            line = new StringBuilder();
            for (int i = 0; i < head.size(); i++) {
                line.append(cell(text(row.get(i)), widths.get(i), row.get(i) instanceof Number));
            }
            out.println((INDENT + line).stripTrailing());
        }
    }

    /** Tells whether a claim held, and remembers it for the verdict. */
    void check(String claim, boolean held) {
        Check check = new Check(claim, held);
        checks.add(check);
        out.println(INDENT + check);
        out.flush();
    }

    /** As {@link #check(String, boolean)}: the two are equal; shows both when they are not. */
    void equal(String claim, Object expected, Object actual) {
        boolean held = expected.equals(actual);
        check(held ? claim : claim + " (expected " + text(expected) + ", read " + text(actual) + ")", held);
    }

    /** Prints the result, and returns whether all parts were completed and every claim held. */
    boolean verdict() {
        long failed = checks.stream().filter(check -> !check.held()).count();
        boolean whole = times.size() == parts;
        title("Verdict");
        for (int i = 0; i < checks.size(); i++) {
            out.println(String.format(Locale.ROOT, "%4d %s", i + 1, checks.get(i)));
        }
        out.println();
        for (int i = 0; i < times.size(); i++) {
            out.print(i == 0 ? "  Times of the parts: " : ", ");
            out.print(times.get(i));
        }
        out.println(times.isEmpty() ? "" : ".");
        out.println(
                INDENT + (checks.size() - failed) + " of " + checks.size() + " checks held, " + times.size() + " of "
                        + parts + " parts were completed, in " + seconds(start)
                        + (whole && failed == 0 ? ": all is well." : ": FAILED."));
        out.flush();
        return whole && failed == 0 && !checks.isEmpty();
    }

    static String number(long value) {
        return text(value);
    }

    private void wrap(String text, String prefix) {
        StringBuilder line = new StringBuilder(prefix);
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() > WIDTH && line.length() > prefix.length()) {
                out.println(line.toString().stripTrailing());
                line = new StringBuilder(prefix);
            }
            line.append(word).append(' ');
        }
        out.println(line.toString().stripTrailing());
        out.flush();
    }

    private static String text(Object value) {
        return value instanceof Number
                ? NumberFormat.getIntegerInstance(Locale.ROOT).format(value)
                : String.valueOf(value);
    }

    private static String cell(String text, int width, boolean number) {
        return String.format(Locale.ROOT, number ? "%" + width + "s" : "%-" + width + "s", text) + "   ";
    }

    private static String right(String text) {
        return " ".repeat(Math.max(0, WIDTH - text.length())) + text;
    }

    private String seconds(long since) {
        return String.format(Locale.ROOT, "%.1f s", (nanoTime.getAsLong() - since) / 1e9);
    }
}
