package dev.cassidy.insert;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An UPDATE or DELETE of a table with a version column, made conditional: {@code WHERE id = ? AND version = ?} becomes
 * {@code WHERE id = ? IF version = ?}, and {@code SET version = version + 1} becomes the resulting value. A write that
 * does not check the version gets {@code IF EXISTS}. Immutable.
 *
 * @param text the conditional statement
 * @param markers for each {@code ?} of the statement where its value comes from
 * @param expected which {@code ?} of the original the version must equal; empty if it is a literal, or not checked
 * @param expectsNull whether the version must equal the literal NULL, which is never true in SQL
 */
public record VersionedWrite(String text, List<Source> markers, Optional<Integer> expected, boolean expectsNull) {

    /**
     * The value of a marker.
     *
     * @param marker which {@code ?} of the original statement, from 0
     * @param plus what is added to it
     */
    public record Source(int marker, long plus) {}

    public VersionedWrite {
        markers = List.copyOf(markers);
    }

    /**
     * Makes a write conditional; empty if it is no UPDATE or DELETE, or has its own IF.
     *
     * @param cql one CQL statement
     * @param version the version column's internal name
     * @throws UnsupportedSqlException naming what cannot be seen in the statement
     */
    public static Optional<VersionedWrite> of(String cql, String version) {
        return new Walk(new Tokens(cql), version).write();
    }

    /** Returns the tables that follow INTO, UPDATE or FROM in a CQL {@code BEGIN BATCH ... APPLY BATCH}; none of any other statement. */
    public static List<CqlInsert.Table> tablesOfBatch(String cql) {
        Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
        if (!tokens.isWord(0, "begin")) {
            return List.of();
        }
        List<CqlInsert.Table> tables = new ArrayList<>();
        for (int token = 0; token < tokens.size(); token++) {
            if (tokens.isAnyWord(token, "into", "update", "from")
                    && tokens.kind(token + 1).isName()) {
                tables.add(TableName.internal(tokens, token + 1));
            }
        }
        return tables;
    }

    private static final class Walk {
        private final Tokens tokens;
        private final String version;
        private final StringBuilder text = new StringBuilder();
        private final List<Source> markers = new ArrayList<>();
        private int end;
        private int where = -1;
        private int set = -1;

        /** The term that the version must equal: tokens from, to; -1 if there is none. */
        private int expectedFrom = -1;

        private int expectedTo = -1;
        private int conditionFrom;
        private int conditionTo;

        private Walk(Tokens tokens, String version) {
            this.tokens = tokens;
            this.version = version;
        }

        private Optional<VersionedWrite> write() {
            WriteClauses clauses = WriteClauses.of(tokens);
            if (clauses == null) {
                return Optional.empty();
            }
            set = clauses.set();
            where = clauses.where();
            end = clauses.end();
            clauses.conditions(tokens).forEach(each -> condition(each.from(), each.to()));
            copyBefore();
            int from = copyAssignments();
            copy(from, where + 1);
            copyConditions();
            if (expectedFrom < 0) {
                text.append(" IF EXISTS");
                return Optional.of(new VersionedWrite(text.toString(), markers, Optional.empty(), false));
            }
            text.append(" IF ").append(Identifiers.toCql(version)).append(" = ");
            copy(expectedFrom, expectedTo);
            boolean marker = tokens.kind(expectedFrom) == Kind.MARKER;
            return Optional.of(new VersionedWrite(
                    text.toString(),
                    markers,
                    marker ? Optional.of(tokens.markerIndex(expectedFrom)) : Optional.empty(),
                    tokens.isWord(expectedFrom, "null")));
        }

        private void condition(int from, int to) {
            if (!isVersion(from)) {
                return;
            }
            boolean single = to - from == 3 || (to - from == 4 && tokens.isSymbol(from + 2, '-'));
            Kind last = tokens.kind(to - 1);
            boolean value =
                    last == Kind.MARKER || last == Kind.NUMBER || last == Kind.STRING || tokens.isWord(to - 1, "null");
            if (!tokens.isSymbol(from + 1, '=') || !single || !value || expectedFrom >= 0) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text.substring(tokens.start(from), tokens.end(to - 1)) + "' of version column "
                                + version,
                        "compare it once, as " + version + " = ?");
            }
            expectedFrom = from + 2;
            expectedTo = to;
            conditionFrom = from;
            conditionTo = to;
        }

        private boolean isVersion(int token) {
            return tokens.kind(token).isName()
                    && Identifiers.toInternal(tokens.cqlName(token)).equals(version);
        }

        private void copyBefore() {
            copy(0, set >= 0 ? set + 1 : where);
        }

        /** Copies SET's assignments, the version's with its new value; returns where to continue. */
        private int copyAssignments() {
            if (set < 0) {
                return where;
            }
            int depth = 0;
            int start = set + 1;
            for (int token = set + 1; token <= where; token++) {
                if (token == where || (depth == 0 && tokens.isSymbol(token, ','))) {
                    assignment(start, token);
                    if (token < where) {
                        copy(token, token + 1);
                    }
                    start = token + 1;
                } else {
                    depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                }
            }
            return where;
        }

        private void assignment(int from, int to) {
            Long plus = isVersion(from) && tokens.isSymbol(from + 1, '=') ? increment(from + 2, to) : null;
            if (plus == null) {
                copy(from, to);
                return;
            }
            copy(from, from + 2);
            text.append(' ');
            if (expectedFrom >= 0 && tokens.kind(expectedFrom) == Kind.MARKER) {
                text.append('?');
                markers.add(new Source(tokens.markerIndex(expectedFrom), plus));
                return;
            }
            BigInteger literal = literal();
            if (literal == null) {
                throw new UnsupportedSqlException(
                        "SET " + tokens.text.substring(tokens.start(from), tokens.end(to - 1)),
                        "say which version it is, WHERE ... AND " + version
                                + " = ?, or give the new one as a parameter");
            }
            text.append(literal.add(BigInteger.valueOf(plus)));
        }

        private @Nullable BigInteger literal() {
            if (expectedFrom < 0) {
                return null;
            }
            String digits = tokens.text.substring(tokens.start(expectedFrom), tokens.end(expectedTo - 1));
            return digits.matches("-?[0-9]+") ? new BigInteger(digits) : null;
        }

        /** Returns n of {@code version + n}, {@code n + version} or {@code version - n}; null for anything else. */
        private @Nullable Long increment(int from, int to) {
            boolean names = false;
            for (int token = from; token < to; token++) {
                names |= isVersion(token);
            }
            if (!names) {
                return null;
            }
            boolean first = isVersion(from);
            int number = first ? from + 2 : from;
            boolean minus = tokens.isSymbol(from + 1, '-');
            boolean sum = to - from == 3
                    && (tokens.isSymbol(from + 1, '+') || (minus && first))
                    && isVersion(first ? from : from + 2)
                    && tokens.text(number).matches("[0-9]{1,9}");
            if (!sum) {
                throw new UnsupportedSqlException(
                        "SET " + version + " = " + tokens.text.substring(tokens.start(from), tokens.end(to - 1)),
                        "write " + version + " + 1, or give the new version as a parameter");
            }
            long n = Long.parseLong(tokens.text(number));
            return minus ? -n : n;
        }

        private void copyConditions() {
            if (expectedFrom < 0) {
                copy(where + 1, end);
                return;
            }
            boolean first = conditionFrom == where + 1;
            if (first && conditionTo == end) {
                throw new UnsupportedSqlException(
                        "WHERE " + version + " = ... alone", "name the row by its primary key as well");
            }
            if (first) {
                copy(conditionTo + 1, end);
            } else {
                copy(where + 1, conditionFrom - 1);
                copy(conditionTo, end);
            }
        }

        /** Copies tokens and the text between them. */
        private void copy(int from, int to) {
            if (from >= to) {
                return;
            }
            int length = text.length();
            if (length > 0 && !Character.isWhitespace(text.charAt(length - 1))) {
                text.append(' ');
            }
            text.append(tokens.text, tokens.start(from), tokens.end(to - 1));
            for (int token = from; token < to; token++) {
                if (tokens.kind(token) == Kind.MARKER) {
                    markers.add(new Source(tokens.markerIndex(token), 0));
                }
            }
        }
    }
}
