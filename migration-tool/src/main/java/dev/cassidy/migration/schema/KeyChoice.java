package dev.cassidy.migration.schema;

import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.SourceTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cassandra's primary key of a table, as the user chose it. Names are the source's.
 *
 * @param partition at least one column
 */
public record KeyChoice(List<String> partition, List<Clustering> clustering) {

    /** A clustering column. */
    public record Clustering(String column, boolean descending) {}

    /** The pieces of names in quotes are limited, as each takes its part of the stack. SQL Server's names have 128 characters. */
    private static final Pattern TOKEN = Pattern.compile(
            "\\s*+(?:([(),])|\\[((?:[^]]++|]]){1,128})]|\"((?:[^\"]++|\"\"){1,128})\"|([^\\s(),\\[\\]\"]++))\\s*+");

    public KeyChoice {
        partition = List.copyOf(partition);
        clustering = List.copyOf(clustering);
    }

    /**
     * Parses what would stand in PRIMARY KEY (...): {@code id}, {@code (a, b), c DESC}. Names are the source's or Cassandra's,
     * in brackets or double quotes where they have other characters than words have.
     *
     * @param option for the message
     * @throws MigrationException {@link ExitCode#USAGE} naming what is wrong
     */
    public static KeyChoice parse(String text, SourceTable table, String option) {
        List<String> tokens = new ArrayList<>();
        List<Boolean> quoted = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (end < text.length() && matcher.region(end, text.length()).lookingAt()) {
            String bracketed = matcher.group(2);
            String doubled = matcher.group(3);
            tokens.add(
                    bracketed != null
                            ? bracketed.replace("]]", "]")
                            : doubled != null
                                    ? doubled.replace("\"\"", "\"")
                                    : matcher.group(1) != null ? matcher.group(1) : matcher.group(4));
            quoted.add(bracketed != null || doubled != null);
            end = matcher.end();
        }
        if (end < text.length() || tokens.isEmpty()) {
            throw wrong(option, text, "write it as in PRIMARY KEY (...), for example id, or (customer, year), id DESC");
        }
        return new Parser(tokens, quoted, table, option, text).parse();
    }

    private static MigrationException wrong(String option, String text, String rule) {
        return new MigrationException(ExitCode.USAGE, rule + ": " + option + " '" + text + "'");
    }

    private static final class Parser {
        private final List<String> tokens;
        private final List<Boolean> quoted;
        private final SourceTable table;
        private final String option;
        private final String text;
        private int at;

        Parser(List<String> tokens, List<Boolean> quoted, SourceTable table, String option, String text) {
            this.tokens = tokens;
            this.quoted = quoted;
            this.table = table;
            this.option = option;
            this.text = text;
        }

        KeyChoice parse() {
            List<String> partition = new ArrayList<>();
            if (symbol("(")) {
                do {
                    partition.add(column());
                } while (symbol(","));
                require(")");
            } else {
                partition.add(column());
            }
            List<Clustering> clustering = new ArrayList<>();
            while (symbol(",")) {
                String name = column();
                boolean descending = word("desc");
                if (!descending) {
                    word("asc");
                }
                clustering.add(new Clustering(name, descending));
            }
            if (at < tokens.size()) {
                throw wrong(option, text, "has '" + tokens.get(at) + "' where a comma or the end is expected");
            }
            List<String> all = new ArrayList<>(partition);
            clustering.forEach(each -> all.add(each.column()));
            if (new HashSet<>(all).size() < all.size()) {
                throw wrong(option, text, "names a column twice");
            }
            return new KeyChoice(partition, clustering);
        }

        private boolean symbol(String wanted) {
            boolean found =
                    at < tokens.size() && !quoted.get(at) && tokens.get(at).equals(wanted);
            at += found ? 1 : 0;
            return found;
        }

        private boolean word(String wanted) {
            boolean found =
                    at < tokens.size() && !quoted.get(at) && tokens.get(at).equalsIgnoreCase(wanted);
            at += found ? 1 : 0;
            return found;
        }

        private void require(String wanted) {
            if (!symbol(wanted)) {
                throw wrong(option, text, "lacks a '" + wanted + "'");
            }
        }

        private String column() {
            if (at == tokens.size()) {
                throw wrong(option, text, "ends where a column is expected");
            }
            String name = tokens.get(at++);
            List<String> exact = table.columns().stream()
                    .map(SourceTable.Column::name)
                    .filter(name::equals)
                    .toList();
            List<String> alike = !exact.isEmpty()
                    ? exact
                    : table.columns().stream()
                            .map(SourceTable.Column::name)
                            .filter(each -> each.equalsIgnoreCase(name)
                                    || TableDeclarations.columnName(each).equals(name))
                            .toList();
            if (alike.size() != 1) {
                throw wrong(
                        option,
                        text,
                        (alike.isEmpty() ? "has no column '" : "has several columns like '") + name + "': "
                                + table.qualifiedName() + " has "
                                + table.columns().stream()
                                        .map(SourceTable.Column::name)
                                        .toList());
            }
            return alike.get(0);
        }
    }

    /** Returns the columns of the key, in its order. */
    public List<String> columns() {
        List<String> all = new ArrayList<>(partition);
        clustering.forEach(each -> all.add(each.column()));
        return all;
    }
}
