package dev.cassidy.insert;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a CHECK constraint of T-SQL, as far as it can be decided here: AND, OR and NOT of comparisons, IN, BETWEEN, LIKE
 * and IS NULL, of columns, LEN(column), numbers and strings. Like SQL Server, it knows three values, and strings are compared by the
 * column's collation: the default one ignores case, and trailing blanks. Immutable.
 */
public final class CheckExpression {

    private final Condition condition;
    private final Set<String> columns;

    private CheckExpression(Condition condition, Set<String> columns) {
        this.condition = condition;
        this.columns = Set.copyOf(columns);
    }

    /** True, false, or null for unknown. */
    private interface Condition {
        @Nullable
        Boolean of(Map<String, Object> row);
    }

    private enum Sort {
        NUMBER,
        TEXT,
        NULL
    }

    /** @param value a BigDecimal, a String, or null */
    private record Operand(Sort sort, Value value) {

        private interface Value {
            @Nullable
            Object of(Map<String, Object> row);
        }

        @Nullable
        Object of(Map<String, Object> row) {
            return value.of(row);
        }

        boolean comparesWith(Operand other) {
            return sort == Sort.NULL || other.sort == Sort.NULL || sort == other.sort;
        }

        /** In which order strings are, the collation says. */
        boolean hasOrder() {
            return sort != Sort.TEXT;
        }
    }

    /**
     * Reads a constraint.
     *
     * @param check from CHECK on
     * @param table the columns of its table
     * @return empty if a part of it cannot be decided here
     */
    public static Optional<CheckExpression> parse(String check, List<ColumnDefinition> table) {
        try {
            Tokens tokens = new Tokens(check);
            if (!tokens.isWord(0, "check") || !tokens.isSymbol(1, '(')) {
                return Optional.empty();
            }
            Parser parser = new Parser(tokens, table);
            parser.at = 1;
            Condition condition = parser.or();
            return tokens.isEnd(parser.at)
                    ? Optional.of(new CheckExpression(condition, parser.used))
                    : Optional.empty();
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    /** Returns the internal names of the columns that it depends on. */
    public Set<String> columns() {
        return columns;
    }

    /**
     * Returns whether a row breaks the constraint. As in SQL Server, a row of which that is unknown does not.
     *
     * @param row a value for each of the columns; one that is missing is NULL
     */
    public boolean isBrokenBy(Map<String, Object> row) {
        return Boolean.FALSE.equals(condition.of(row));
    }

    /** Reads by recursive descent; throws where it meets what it does not know. */
    private static final class Parser {
        private final Tokens tokens;
        private final List<ColumnDefinition> table;
        private final Set<String> used = new HashSet<>();
        private int at;

        Parser(Tokens tokens, List<ColumnDefinition> table) {
            this.tokens = tokens;
            this.table = table;
        }

        private UnsupportedSqlException unknown() {
            return new UnsupportedSqlException("'" + tokens.text(at) + "' in CHECK", "check it in the application");
        }

        private boolean take(String word) {
            boolean found = tokens.isWord(at, word);
            at += found ? 1 : 0;
            return found;
        }

        private boolean take(char symbol) {
            boolean found = tokens.isSymbol(at, symbol);
            at += found ? 1 : 0;
            return found;
        }

        private void require(boolean taken) {
            if (!taken) {
                throw unknown();
            }
        }

        private Condition or() {
            Condition left = and();
            while (take("or")) {
                Condition before = left;
                Condition right = and();
                left = row -> not(both(not(before.of(row)), not(right.of(row))));
            }
            return left;
        }

        private Condition and() {
            Condition left = negation();
            while (take("and")) {
                Condition before = left;
                Condition right = negation();
                left = row -> both(before.of(row), right.of(row));
            }
            return left;
        }

        private Condition negation() {
            if (take("not")) {
                Condition negated = negation();
                return row -> not(negated.of(row));
            }
            return predicate();
        }

        private Condition predicate() {
            if (tokens.isSymbol(at, '(') && isCondition()) {
                at++;
                Condition inner = or();
                require(take(')'));
                return inner;
            }
            int from = at;
            Operand left = operand();
            boolean cased = isCased(from, at);
            if (take("is")) {
                boolean negated = take("not");
                require(take("null"));
                return row -> (left.of(row) == null) != negated;
            }
            boolean negated = take("not");
            Condition found = take("in")
                    ? in(left, cased)
                    : take("between") ? between(left) : take("like") ? like(left, cased) : null;
            if (found == null) {
                require(!negated);
                return comparison(left, cased);
            }
            return negated ? row -> not(found.of(row)) : found;
        }

        /** Whether the bracket holds a condition and not an operand. */
        private boolean isCondition() {
            int after = tokens.afterClosing(at);
            return tokens.isEnd(after) || tokens.isSymbol(after, ')') || tokens.isAnyWord(after, "and", "or");
        }

        private Condition in(Operand left, boolean cased) {
            require(take('('));
            List<Operand> all = new ArrayList<>();
            do {
                all.add(operand());
            } while (take(','));
            require(take(')') && all.stream().allMatch(left::comparesWith));
            return row -> {
                Boolean found = false;
                for (Operand each : all) {
                    Integer compared = compare(left.of(row), each.of(row), cased);
                    if (compared == null) {
                        found = null;
                    } else if (compared == 0) {
                        return true;
                    }
                }
                return found;
            };
        }

        private Condition between(Operand left) {
            Operand low = operand();
            require(take("and"));
            Operand high = operand();
            require(left.hasOrder() && low.hasOrder() && high.hasOrder());
            return row -> {
                Integer above = compare(left.of(row), low.of(row), true);
                Integer below = compare(left.of(row), high.of(row), true);
                return both(above == null ? null : above >= 0, below == null ? null : below <= 0);
            };
        }

        private Condition like(Operand left, boolean cased) {
            require(left.sort == Sort.TEXT && (tokens.kind(at) == Kind.STRING || tokens.kind(at) == Kind.NATIONAL));
            Pattern pattern = pattern(text(at++), cased);
            return row -> {
                Object value = left.of(row);
                return value == null ? null : pattern.matcher(value.toString()).matches();
            };
        }

        private Condition comparison(Operand left, boolean cased) {
            StringBuilder operator = new StringBuilder();
            while (tokens.kind(at) == Kind.SYMBOL
                    && "<>=!".indexOf(tokens.text(at).charAt(0)) >= 0) {
                operator.append(tokens.text(at++));
            }
            Operand right = operand();
            String sign = operator.toString();
            require(left.comparesWith(right)
                    && (Set.of("=", "<>", "!=").contains(sign)
                            || (left.hasOrder()
                                    && right.hasOrder()
                                    && Set.of("<", "<=", ">", ">=", "!<", "!>").contains(sign))));
            return row -> {
                Integer compared = compare(left.of(row), right.of(row), cased);
                if (compared == null) {
                    return null;
                }
                return switch (sign) {
                    case "=" -> compared == 0;
                    case "<" -> compared < 0;
                    case "<=", "!>" -> compared <= 0;
                    case ">" -> compared > 0;
                    case ">=", "!<" -> compared >= 0;
                    default -> compared != 0;
                };
            };
        }

        private Operand operand() {
            if (take('(')) {
                Operand inner = operand();
                require(take(')'));
                return inner;
            }
            if (tokens.isWord(at, "len") && tokens.isSymbol(at + 1, '(')) {
                at += 2;
                Operand text = operand();
                require(take(')') && text.sort != Sort.NUMBER);
                return new Operand(Sort.NUMBER, row -> {
                    Object value = text.of(row);
                    return value == null
                            ? null
                            : BigDecimal.valueOf(withoutBlanks(value.toString()).length());
                });
            }
            boolean negative = take('-');
            if (tokens.kind(at) == Kind.NUMBER && tokens.text(at).matches("[0-9]+(\\.[0-9]*)?")) {
                BigDecimal number = new BigDecimal(tokens.text(at++));
                BigDecimal value = negative ? number.negate() : number;
                return new Operand(Sort.NUMBER, row -> value);
            }
            require(!negative);
            if (tokens.kind(at) == Kind.STRING || tokens.kind(at) == Kind.NATIONAL) {
                String text = text(at++);
                return new Operand(Sort.TEXT, row -> text);
            }
            if (take("null")) {
                return new Operand(Sort.NULL, row -> null);
            }
            ColumnDefinition column = column();
            used.add(column.name());
            at++;
            // Of arithmetic and functions, nothing is known.
            require(!tokens.isSymbol(at, '(') && !tokens.isSymbol(at, '.'));
            return new Operand(sort(column), row -> comparable(row.get(column.name())));
        }

        private ColumnDefinition column() {
            if (!tokens.kind(at).isName()) {
                throw unknown();
            }
            String label = tokens.content(at);
            return table.stream()
                    .filter(each -> each.label().equalsIgnoreCase(label))
                    .findFirst()
                    .orElseThrow(this::unknown);
        }

        private Sort sort(ColumnDefinition column) {
            SqlType type = column.type();
            if (type == null) {
                throw unknown();
            }
            return switch (type.name()) {
                case BIT, TINYINT, SMALLINT, INT, BIGINT, DECIMAL, NUMERIC, MONEY, SMALLMONEY -> Sort.NUMBER;
                case CHAR, VARCHAR, NCHAR, NVARCHAR -> Sort.TEXT;
                default -> throw unknown();
            };
        }

        /** Whether the collation of a column between two tokens knows case. */
        private boolean isCased(int from, int to) {
            for (int token = from; token < to; token++) {
                String label = tokens.kind(token).isName() ? tokens.content(token) : "";
                for (ColumnDefinition each : table) {
                    String collation = each.collation().toUpperCase(Locale.ROOT);
                    if (each.label().equalsIgnoreCase(label)
                            && (collation.contains("_CS_") || collation.contains("_BIN"))) {
                        return true;
                    }
                }
            }
            return false;
        }

        private String text(int token) {
            String text = tokens.text(token);
            int quote = text.indexOf('\'');
            return text.substring(quote + 1, text.length() - 1).replace("''", "'");
        }
    }

    private static @Nullable Object comparable(@Nullable Object value) {
        if (value instanceof Boolean bit) {
            return bit ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        return value instanceof Number number ? new BigDecimal(number.toString()) : value;
    }

    private static @Nullable Boolean not(@Nullable Boolean value) {
        return value == null ? null : !value;
    }

    private static @Nullable Boolean both(@Nullable Boolean one, @Nullable Boolean other) {
        if (Boolean.FALSE.equals(one) || Boolean.FALSE.equals(other)) {
            return false;
        }
        boolean unknown = one == null || other == null;
        return unknown ? null : Boolean.TRUE;
    }

    /** Returns null if one is NULL, or if they are of different kinds. */
    private static @Nullable Integer compare(@Nullable Object one, @Nullable Object other, boolean cased) {
        if (one instanceof BigDecimal number && other instanceof BigDecimal second) {
            return number.compareTo(second);
        }
        if (one instanceof String text && other instanceof String second) {
            String left = withoutBlanks(text);
            String right = withoutBlanks(second);
            return cased ? left.compareTo(right) : left.compareToIgnoreCase(right);
        }
        return null;
    }

    private static String withoutBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }

    /** LIKE's pattern: any text for %, one character for _, and one of [abc], [a-c] and [^a]. */
    private static Pattern pattern(String like, boolean cased) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < like.length(); i++) {
            char c = like.charAt(i);
            int close = c == '[' ? like.indexOf(']', i + 2) : -1;
            if (close > 0) {
                String set = like.substring(i + 1, close);
                boolean negated = set.startsWith("^");
                regex.append(negated ? "[^" : "[")
                        .append((negated ? set.substring(1) : set).replaceAll("[\\\\\\[\\]^&]", "\\\\$0"))
                        .append(']');
                i = close;
            } else {
                regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        int ignoresCase = cased ? 0 : Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
        int flags = Pattern.DOTALL | ignoresCase;
        return Pattern.compile(regex.toString(), flags);
    }
}
