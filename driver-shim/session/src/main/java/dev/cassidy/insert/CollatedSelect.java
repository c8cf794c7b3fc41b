package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT within partitions, without its conditions on columns whose strings are equal by a collation: the server knows none, so the
 * caller leaves out the rows that do not meet them. Immutable.
 *
 * @param text the statement without them
 * @param markers which of the {@code ?} of the statement are left, from 0
 * @param matches what was left out, each with = or IN
 */
public record CollatedSelect(String text, List<Integer> markers, List<ConditionalWrite.Match> matches) {

    private static final String[] CLAUSES = {"group", "order", "per", "limit", "allow"};

    public CollatedSelect {
        markers = List.copyOf(markers);
        matches = List.copyOf(matches);
    }

    /**
     * Reads a statement; empty if it has no such condition, or if it does not give the partition key by value: without its conditions it
     * would read the whole table. The same for every other statement.
     *
     * @param partition the columns of the partition key, internal names
     * @param collated asked of the columns, by their internal names, that are compared by = or IN with values
     */
    public static Optional<CollatedSelect> of(String cql, Set<String> partition, Predicate<String> collated) {
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            return tokens.isWord(0, "select")
                    ? Optional.ofNullable(new Reader(tokens).read(partition, collated))
                    : Optional.empty();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
    }

    private static final class Reader {

        private final Tokens tokens;

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        @Nullable
        CollatedSelect read(Set<String> partition, Predicate<String> collated) {
            int from = next(1, "from");
            if (tokens.isEnd(from) || !tokens.kind(from + 1).isName()) {
                return null;
            }
            int where = TableName.read(tokens, from + 1).end();
            if (!tokens.isWord(where, "where")) {
                return null;
            }
            int end = next(where + 2, CLAUSES);
            if (tokens.isWord(end, "group")) {
                // The server would show one row of each group, and the driver would judge that alone.
                return null;
            }
            List<WriteClauses.Condition> conditions = conditions(where + 1, end);
            Set<String> given = new HashSet<>();
            for (WriteClauses.Condition each : conditions) {
                if (values(each) != null) {
                    given.add(column(each.from()));
                }
            }
            return given.containsAll(partition) ? without(where, end, conditions, partition, collated) : null;
        }

        private @Nullable CollatedSelect without(
                int where,
                int end,
                List<WriteClauses.Condition> conditions,
                Set<String> partition,
                Predicate<String> collated) {
            StringBuilder text = new StringBuilder().append(tokens.text, 0, tokens.end(where));
            List<Integer> markers = new ArrayList<>();
            List<ConditionalWrite.Match> matches = new ArrayList<>();
            keep(0, where, markers);
            String separator = " ";
            for (WriteClauses.Condition each : conditions) {
                List<ConditionalWrite.Operand> values = values(each);
                if (values != null && !partition.contains(column(each.from())) && collated.test(column(each.from()))) {
                    matches.add(new ConditionalWrite.Match(
                            column(each.from()), tokens.isWord(each.from() + 1, "in") ? "IN" : "=", values));
                    continue;
                }
                text.append(separator).append(tokens.text, tokens.start(each.from()), tokens.end(each.to() - 1));
                keep(each.from(), each.to(), markers);
                separator = " AND ";
            }
            if (matches.isEmpty()) {
                return null;
            }
            int last = tokens.size() - 1;
            if (end < last) {
                text.append(' ').append(tokens.text, tokens.start(end), tokens.end(last - 1));
                keep(end, last, markers);
            }
            return new CollatedSelect(text.toString(), markers, matches);
        }

        private void keep(int from, int to, List<Integer> markers) {
            for (int token = from; token < to; token++) {
                if (tokens.kind(token) == Kind.MARKER) {
                    markers.add(tokens.markerIndex(token));
                }
            }
        }

        private int next(int start, String... words) {
            int token = start;
            while (!tokens.isEnd(token) && !tokens.isSymbol(token, ';') && !tokens.isAnyWord(token, words)) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        private List<WriteClauses.Condition> conditions(int from, int to) {
            List<WriteClauses.Condition> conditions = new ArrayList<>();
            int start = from;
            for (int token = from; token <= to; token = token < to ? tokens.afterClosing(token) : token + 1) {
                if (token == to || tokens.isWord(token, "and")) {
                    conditions.add(new WriteClauses.Condition(start, token));
                    start = token + 1;
                }
            }
            return conditions;
        }

        private String column(int token) {
            return Identifiers.toInternal(tokens.cqlName(token));
        }

        /** Returns the values that a condition compares a column with, by = or IN; null if it is another one. */
        private @Nullable List<ConditionalWrite.Operand> values(WriteClauses.Condition condition) {
            int from = condition.from();
            if (condition.to() - from < 3 || !tokens.kind(from).isName()) {
                return null;
            }
            if (tokens.isSymbol(from + 1, '=')) {
                ConditionalWrite.Operand value = value(from + 2, condition.to());
                return value == null ? null : List.of(value);
            }
            if (!tokens.isWord(from + 1, "in")
                    || !tokens.isSymbol(from + 2, '(')
                    || tokens.afterClosing(from + 2) != condition.to()) {
                return null;
            }
            List<ConditionalWrite.Operand> values = new ArrayList<>();
            int start = from + 3;
            for (int token = start; token < condition.to(); token++) {
                if (tokens.isSymbol(token, ',') || token == condition.to() - 1) {
                    ConditionalWrite.Operand value = value(start, token);
                    if (value == null) {
                        return null;
                    }
                    values.add(value);
                    start = token + 1;
                }
            }
            return values;
        }

        private ConditionalWrite.@Nullable Operand value(int from, int to) {
            int last = tokens.isSymbol(from, '-') ? from + 1 : from;
            if (last != to - 1) {
                return null;
            }
            return switch (tokens.kind(last)) {
                case MARKER -> last == from ? new ConditionalWrite.Operand(tokens.markerIndex(from), null) : null;
                case STRING, NUMBER ->
                    new ConditionalWrite.Operand(-1, tokens.text.substring(tokens.start(from), tokens.end(last)));
                default -> null;
            };
        }
    }
}
