package dev.cassidy.insert;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a CHECK constraint of T-SQL, as far as it can be decided here: AND, OR and NOT of comparisons, IN, BETWEEN, LIKE
 * and IS NULL, of columns, LEN(column), numbers and strings. Like SQL Server, it knows three values, and strings are compared by the
 * column's collation: the default one ignores case, and trailing blanks. Where it is not known what
 * SQL Server decides, a row breaks nothing. Immutable.
 */
public final class CheckExpression {

    /** More than any number of SQL Server has. */
    private static final int MAX_NUMBER = 100;

    private static final int MONEY_SCALE = 4;

    private static final Pattern NUMBER = Pattern.compile("(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?");

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

    /**
     * @param collation of a column's text; null for any other operand
     * @param knownText false for a text of a collation that is not known here
     * @param unicode whether it is a text of NCHAR or NVARCHAR
     * @param value a BigDecimal, a Double for a number with an exponent, a String, or null
     */
    private record Operand(Sort sort, @Nullable Collation collation, boolean knownText, boolean unicode, Value value) {

        Operand(Sort sort, Value value) {
            this(sort, null, true, false, value);
        }

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
        return parse(check, byLabel(table));
    }

    /** Returns the columns of a table as {@link #parse(String, Map)} takes them, for many constraints of one table. */
    public static Map<String, ColumnDefinition> byLabel(List<ColumnDefinition> table) {
        Map<String, ColumnDefinition> columns = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        table.forEach(column -> columns.putIfAbsent(column.label(), column));
        return columns;
    }

    /** As {@link #parse(String, List)}, with the columns of {@link #byLabel}. */
    public static Optional<CheckExpression> parse(String check, Map<String, ColumnDefinition> table) {
        try {
            Tokens tokens = new Tokens(check);
            int open = opening(tokens, 0);
            if (open < 0) {
                return Optional.empty();
            }
            Parser parser = new Parser(tokens, table);
            parser.at = open;
            Condition condition = parser.or();
            return tokens.isEnd(parser.at)
                    ? Optional.of(new CheckExpression(condition, parser.used))
                    : Optional.empty();
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the bracket that opens the condition of the CHECK at a token; -1 if there is none. NOT FOR REPLICATION before it says
     * nothing of what applications write.
     */
    public static int opening(Tokens tokens, int check) {
        boolean writes = tokens.isWord(check + 1, "not")
                && tokens.isWord(check + 2, "for")
                && tokens.isWord(check + 3, "replication");
        int open = writes ? check + 4 : check + 1;
        return tokens.isWord(check, "check") && tokens.isSymbol(open, '(') ? open : -1;
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

    /** Reads by recursive descent, as deep as {@link Tokens} lets brackets be; throws where it meets what it does not know. */
    private static final class Parser {
        private final Tokens tokens;
        private final Map<String, ColumnDefinition> table;
        private final Set<String> used = new HashSet<>();
        private int at;

        Parser(Tokens tokens, Map<String, ColumnDefinition> table) {
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
            List<Condition> all = new ArrayList<>();
            do {
                all.add(and());
            } while (take("or"));
            return all.size() == 1
                    ? all.get(0)
                    : row -> {
                        Boolean none = true;
                        for (Condition each : all) {
                            none = both(none, not(each.of(row)));
                        }
                        return not(none);
                    };
        }

        private Condition and() {
            List<Condition> all = new ArrayList<>();
            do {
                all.add(negation());
            } while (take("and"));
            return all.size() == 1
                    ? all.get(0)
                    : row -> {
                        Boolean found = true;
                        for (Condition each : all) {
                            found = both(found, each.of(row));
                        }
                        return found;
                    };
        }

        private Condition negation() {
            boolean negated = false;
            while (take("not")) {
                negated = !negated;
            }
            Condition condition = predicate();
            return negated ? row -> not(condition.of(row)) : condition;
        }

        private Condition predicate() {
            if (tokens.isSymbol(at, '(') && isCondition()) {
                return bracket(this::or);
            }
            Operand left = operand();
            if (take("is")) {
                boolean negated = take("not");
                require(take("null"));
                return row -> (left.of(row) == null) != negated;
            }
            boolean negated = take("not");
            Condition found =
                    take("in") ? in(left) : take("between") ? between(left) : take("like") ? like(left) : null;
            if (found == null) {
                require(!negated);
                return comparison(left);
            }
            return negated ? row -> not(found.of(row)) : found;
        }

        /** Reads what the bracket holds that opens here. */
        private <T> T bracket(Supplier<T> content) {
            require(take('('));
            T inner = content.get();
            require(take(')'));
            return inner;
        }

        /** Whether the bracket holds a condition and not an operand. */
        private boolean isCondition() {
            int after = tokens.afterClosing(at);
            return tokens.isEnd(after) || tokens.isSymbol(after, ')') || tokens.isAnyWord(after, "and", "or");
        }

        private Condition in(Operand left) {
            require(take('('));
            List<Operand> all = new ArrayList<>();
            do {
                all.add(operand());
            } while (take(','));
            require(take(')') && all.stream().allMatch(left::comparesWith));
            List<Operand> compared = new ArrayList<>(all);
            compared.add(left);
            Collation collation = collation(compared);
            return row -> {
                Boolean found = false;
                for (Operand each : all) {
                    Integer order = compare(left.of(row), each.of(row), collation);
                    if (order == null) {
                        found = null;
                    } else if (order == 0) {
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
                Integer above = compare(left.of(row), low.of(row), Collation.standard());
                Integer below = compare(left.of(row), high.of(row), Collation.standard());
                return both(above == null ? null : above >= 0, below == null ? null : below <= 0);
            };
        }

        private Condition like(Operand left) {
            Kind kind = tokens.kind(at);
            require(left.sort == Sort.TEXT && (kind == Kind.STRING || kind == Kind.NATIONAL));
            Like pattern =
                    Like.parse(tokens.content(at), collation(List.of(left))).orElseThrow(this::unknown);
            at++;
            // Any text in Unicode makes it a comparison in Unicode.
            boolean blanks = left.unicode || kind == Kind.NATIONAL;
            return row -> {
                Object value = left.of(row);
                return value == null ? null : pattern.matches(value.toString(), blanks);
            };
        }

        /** Returns how texts are compared; of columns with different collations, SQL Server refuses that. */
        private Collation collation(List<Operand> operands) {
            require(operands.stream().allMatch(Operand::knownText));
            List<Collation> all = operands.stream()
                    .map(Operand::collation)
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            require(all.size() <= 1);
            return all.isEmpty() ? Collation.standard() : all.get(0);
        }

        private Condition comparison(Operand left) {
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
            Collation collation = collation(List.of(left, right));
            return row -> {
                Integer compared = compare(left.of(row), right.of(row), collation);
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
            if (tokens.isSymbol(at, '(')) {
                return bracket(this::operand);
            }
            if (tokens.isWord(at, "len") && tokens.isSymbol(at + 1, '(')) {
                at++;
                Operand text = bracket(this::operand);
                require(text.sort != Sort.NUMBER);
                return new Operand(Sort.NUMBER, row -> {
                    Object value = text.of(row);
                    return value == null ? null : BigDecimal.valueOf(Like.lengthWithoutBlanks(value.toString()));
                });
            }
            boolean negative = take('-');
            boolean signed = negative || take('+');
            if (tokens.kind(at) == Kind.NUMBER || tokens.isSymbol(at, '.') || tokens.isSymbol(at, '$')) {
                Number number = number(negative);
                return new Operand(Sort.NUMBER, row -> number);
            }
            require(!signed);
            if (tokens.kind(at) == Kind.STRING || tokens.kind(at) == Kind.NATIONAL) {
                boolean unicode = tokens.kind(at) == Kind.NATIONAL;
                String text = tokens.content(at++);
                return new Operand(Sort.TEXT, null, true, unicode, row -> text);
            }
            if (take("null")) {
                return new Operand(Sort.NULL, row -> null);
            }
            ColumnDefinition column = column();
            used.add(column.name());
            at++;
            // Of arithmetic and functions, nothing is known.
            require(!tokens.isSymbol(at, '(') && !tokens.isSymbol(at, '.'));
            Sort sort = sort(column);
            Optional<Collation> collation = collation(column.collation());
            boolean text = sort == Sort.TEXT;
            return new Operand(
                    sort,
                    text ? collation.orElse(null) : null,
                    !text || collation.isPresent(),
                    text && isUnicode(column),
                    row -> comparable(row.get(column.name())));
        }

        /** Reads a number as T-SQL writes it; the tokens are those of CQL, and cut .5 and 1e-5 into several. */
        private Number number(boolean negative) {
            boolean money = take('$');
            Matcher matcher = NUMBER.matcher(tokens.text);
            matcher.region(tokens.start(at), Math.min(tokens.start(at) + MAX_NUMBER, tokens.text.length()));
            require(matcher.lookingAt());
            while (!tokens.isEnd(at) && tokens.end(at) <= matcher.end()) {
                at++;
            }
            require(tokens.end(at - 1) == matcher.end());
            String digits = (negative ? "-" : "") + matcher.group();
            if (matcher.group(1) != null) {
                double real = Double.parseDouble(digits);
                require(!money && Double.isFinite(real));
                return real;
            }
            BigDecimal number = new BigDecimal(digits);
            return money ? number.setScale(MONEY_SCALE, RoundingMode.HALF_UP) : number;
        }

        private ColumnDefinition column() {
            if (!tokens.kind(at).isName()) {
                throw unknown();
            }
            ColumnDefinition column = table.get(tokens.content(at));
            if (column == null) {
                throw unknown();
            }
            return column;
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

        /** @return empty if it is not known which strings it takes for equal */
        private static Optional<Collation> collation(String name) {
            try {
                return Optional.of(name.isEmpty() ? Collation.standard() : Collation.of(name));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        private static boolean isUnicode(ColumnDefinition column) {
            SqlType type = column.type();
            return type != null && (type.name() == SqlType.Name.NCHAR || type.name() == SqlType.Name.NVARCHAR);
        }
    }

    private static @Nullable Object comparable(@Nullable Object value) {
        if (value instanceof Boolean bit) {
            return bit ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        if (value instanceof Double || value instanceof Float) {
            double real = ((Number) value).doubleValue();
            // Nothing is known of what SQL Server does not have.
            return Double.isFinite(real) ? new BigDecimal(value.toString()) : null;
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
    private static @Nullable Integer compare(@Nullable Object one, @Nullable Object other, Collation collation) {
        if (one instanceof BigDecimal number && other instanceof BigDecimal second) {
            return number.compareTo(second);
        }
        if (one instanceof Number number && other instanceof Number second) {
            // SQL Server compares with a number with an exponent in FLOAT. Adding 0 takes the sign from -0.
            return Double.compare(number.doubleValue() + 0.0, second.doubleValue() + 0.0);
        }
        if (one instanceof String text && other instanceof String second) {
            // Nobody asks which of two is the greater one: the collation says it.
            return collation.equal(text, second) ? 0 : 1;
        }
        return null;
    }
}
