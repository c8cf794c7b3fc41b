package dev.cassidy.insert;

import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One CQL INSERT, UPDATE or DELETE, recognised by its tokens, as far as a batch of several needs: its table, whether it
 * is conditional, and where its write timestamp goes. All statements of a batch get one timestamp unless they set their
 * own. Of two writes to one cell with one timestamp, the greater value would win, not the later write. Immutable.
 */
public final class CqlWrite {

    private static final Pattern DELETE_OF_ROWS = Pattern.compile("\\s*delete\\s+from\\b", Pattern.CASE_INSENSITIVE);

    private final String text;
    private final @Nullable String keyspace;
    private final String table;
    private final int tableStart;
    private final boolean conditional;
    private final boolean timestamped;
    private final boolean using;
    private final boolean expires;
    private final int offset;
    private final int markersBefore;
    private final Set<String> assigned;

    private CqlWrite(Walk walk) {
        text = walk.text;
        keyspace = walk.keyspace;
        table = walk.table;
        tableStart = walk.tableStart;
        conditional = walk.conditional;
        timestamped = walk.timestamped;
        using = walk.using;
        expires = walk.expires;
        offset = walk.offset;
        markersBefore = walk.markersBefore;
        assigned = Set.copyOf(walk.assigned);
    }

    /** Recognises a write; empty for any other statement, and for what is not one whole statement. */
    public static Optional<CqlWrite> recognise(String cql) {
        Walk walk = new Walk(cql);
        return walk.walk() ? Optional.of(new CqlWrite(walk)) : Optional.empty();
    }

    /** Returns whether a statement deletes rows: a DELETE of columns sets them to NULL. */
    public static boolean deletesRows(String cql) {
        return DELETE_OF_ROWS.matcher(cql).lookingAt();
    }

    /** Returns whether a {@code BEGIN BATCH ... APPLY BATCH} has an IF, which makes all of it conditional. */
    public static boolean isConditionalBatch(String cql) {
        Scanner scanner = new Scanner(cql, Scanner.Language.CQL);
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            if (scanner.isWord("if")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the keyspace's internal name, if the statement names one. */
    public Optional<String> keyspace() {
        return Optional.ofNullable(keyspace);
    }

    /** Returns the table's internal name. */
    public String table() {
        return table;
    }

    /** Returns the internal names of the columns that SET gives values; none of an INSERT or DELETE. */
    public Set<String> assigned() {
        return assigned;
    }

    /** Returns whether the statement has an IF. */
    public boolean isConditional() {
        return conditional;
    }

    /** Returns whether the statement sets its write timestamp itself. */
    public boolean isTimestamped() {
        return timestamped;
    }

    /** Returns whether the statement sets a time to live. */
    public boolean expires() {
        return expires;
    }

    /** Returns the statement with the table's keyspace, whether it names one or not. */
    public String textIn(String ofTable) {
        return keyspace != null
                ? text
                : text.substring(0, tableStart) + Identifiers.toCql(ofTable) + "." + text.substring(tableStart);
    }

    /** Returns the statement with {@code microseconds} as its write timestamp. */
    public String withTimestamp(long microseconds) {
        return spliced(Long.toString(microseconds));
    }

    /** Returns the statement with a bind marker for its write timestamp. */
    public String withTimestampMarker() {
        return spliced("?");
    }

    /** Returns the index of the marker of {@link #withTimestampMarker()}, counted from 0 among all its markers. */
    public int timestampMarkerIndex() {
        return markersBefore;
    }

    private String spliced(String term) {
        if (timestamped) {
            throw new IllegalStateException("has a write timestamp already: " + text);
        }
        String clause = (using ? "AND TIMESTAMP " : "USING TIMESTAMP ") + term;
        // A new line, because what comes before may be a comment, or end in a number.
        return text.substring(0, offset) + "\n" + clause + " " + text.substring(offset);
    }

    /** Walks once over the statement. */
    private static final class Walk {
        private final String text;
        private final Scanner scanner;
        private @Nullable String keyspace;
        private String table = "";
        private int tableStart;
        private boolean conditional;
        private boolean timestamped;
        private boolean using;
        private boolean expires;
        private int offset = -1;
        private int markersBefore;
        private final Set<String> assigned = new HashSet<>();
        private boolean inSet;
        private boolean beginsAssignment;
        private int markers;
        private int depth;

        private Walk(String text) {
            this.text = text;
            this.scanner = new Scanner(text, Scanner.Language.CQL);
        }

        private boolean walk() {
            scanner.next();
            if (scanner.isWord("insert")) {
                return to("into") && table() && rest("", text.length());
            }
            if (scanner.isWord("update")) {
                scanner.next();
                return table() && rest("set", -1);
            }
            return scanner.isWord("delete") && to("from") && table() && rest("where", -1);
        }

        /** Moves past the first {@code word} outside all brackets. */
        private boolean to(String word) {
            while (more()) {
                boolean found = depth == 0 && scanner.isWord(word);
                count();
                scanner.next();
                if (found) {
                    return true;
                }
            }
            return false;
        }

        private boolean table() {
            if (!scanner.kind().isName()) {
                return false;
            }
            tableStart = scanner.start();
            table = name();
            if (!scanner.isSymbol('.')) {
                return true;
            }
            scanner.next();
            if (!scanner.kind().isName()) {
                return false;
            }
            keyspace = table;
            table = name();
            return true;
        }

        /** @param before the word before which USING goes; empty for the end */
        private boolean rest(String before, int end) {
            while (more()) {
                if (scanner.isSymbol(';')) {
                    // Nothing may follow, and the splice goes before it.
                    int semicolon = scanner.start();
                    do {
                        scanner.next();
                    } while (scanner.isSymbol(';'));
                    offset = offset < 0 && end >= 0 ? semicolon : offset;
                    break;
                }
                if (beginsAssignment && scanner.kind().isName()) {
                    assigned.add(written());
                }
                beginsAssignment = inSet && depth == 0 && scanner.isSymbol(',');
                if (depth == 0 && scanner.kind() == Kind.WORD) {
                    word(before);
                }
                count();
                scanner.next();
            }
            if (offset < 0 && end >= 0) {
                offset = end;
            }
            if (before.isEmpty()) {
                markersBefore = markers;
            }
            return scanner.kind() == Kind.END && offset >= 0;
        }

        private void word(String before) {
            if (scanner.isWord("if")) {
                conditional = true;
            } else if (offset < 0 && scanner.isWord("using")) {
                using = true;
            } else if (offset < 0 && using && scanner.isWord("timestamp")) {
                timestamped = true;
            } else if (offset < 0 && using && scanner.isWord("ttl")) {
                expires = true;
            } else if (offset < 0 && !before.isEmpty() && scanner.isWord(before)) {
                offset = scanner.start();
                markersBefore = markers;
                inSet = before.equals("set");
                beginsAssignment = inSet;
            } else if (inSet && scanner.isWord("where")) {
                inSet = false;
            }
        }

        private boolean more() {
            return scanner.kind() != Kind.END && scanner.kind() != Kind.UNTERMINATED;
        }

        private void count() {
            if (scanner.kind() == Kind.MARKER || scanner.kind() == Kind.NAMED_MARKER) {
                markers++;
            } else if (scanner.isSymbol('(') || scanner.isSymbol('[') || scanner.isSymbol('{')) {
                depth++;
            } else if (scanner.isSymbol(')') || scanner.isSymbol(']') || scanner.isSymbol('}')) {
                depth--;
            }
        }

        private String name() {
            String name = written();
            scanner.next();
            return name;
        }

        private String written() {
            String written = text.substring(scanner.start(), scanner.end());
            return scanner.kind() == Kind.WORD ? written.toLowerCase(Locale.ROOT) : Identifiers.toInternal(written);
        }
    }
}
