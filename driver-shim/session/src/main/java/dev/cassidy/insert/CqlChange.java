package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one CQL statement changes: rows of a table, a keyspace, or an object in a keyspace. Only the tokens up to the
 * name are read: if the rest of a statement is wrong, the server refuses it, and it changes nothing.
 *
 * @param verb the statement's kind, such as UPDATE, TRUNCATE or DROP TABLE
 * @param keyspace the keyspace's internal name; null if the statement names none
 * @param name the internal name of the table, view, index, type or function; null if the keyspace itself is changed
 */
public record CqlChange(
        String verb, @Nullable String keyspace, @Nullable String name) {

    /** The verb of an insert. */
    public static final String INSERT = "INSERT";

    private static final Set<String> ROWS = Set.of(INSERT, "UPDATE", "DELETE");

    private static final Set<String> OF_A_KEYSPACE = Set.of("keyspace", "schema");

    /** Returns what the statement changes; for a BEGIN BATCH, what each write changes; empty if it changes nothing. */
    public static List<CqlChange> of(String cql) {
        return new Walk(cql).changes();
    }

    /** Returns whether it is an INSERT, an UPDATE or a DELETE. */
    public boolean writesRows() {
        return ROWS.contains(verb);
    }

    boolean altersTable() {
        return verb.equals("ALTER TABLE") || verb.equals("ALTER COLUMNFAMILY");
    }

    /**
     * Returns the statement's kind and what it changes, as an error names it.
     *
     * @param unqualified the keyspace of a name that the statement gives without one
     */
    public String shown(String unqualified) {
        String in = Identifiers.toCql(keyspace == null ? unqualified : keyspace);
        return verb + " " + (name == null ? in : in + "." + Identifiers.toCql(name));
    }

    /** Walks once over the tokens, as far as is needed. */
    private static final class Walk {
        private final String text;
        private final Scanner scanner;

        private Walk(String text) {
            this.text = text;
            this.scanner = new Scanner(text, Scanner.Language.CQL);
            scanner.next();
        }

        private List<CqlChange> changes() {
            if (word("begin")) {
                return batch();
            }
            CqlChange change = change();
            return change == null ? List.of() : List.of(change);
        }

        /** Only the writes can contain these words: they are reserved, and a name in quotes is no word. */
        private List<CqlChange> batch() {
            List<CqlChange> changes = new ArrayList<>();
            while (more()) {
                CqlChange change = write();
                if (change != null) {
                    changes.add(change);
                } else {
                    scanner.next();
                }
            }
            return changes;
        }

        private @Nullable CqlChange change() {
            if (word("truncate")) {
                if (!word("table")) {
                    word("columnfamily");
                }
                return named("TRUNCATE");
            }
            for (String verb : List.of("create", "alter", "drop")) {
                if (word(verb)) {
                    return definition(verb.toUpperCase(Locale.ROOT));
                }
            }
            return write();
        }

        private @Nullable CqlChange write() {
            if (word("insert")) {
                return word("into") ? named(INSERT) : null;
            }
            if (word("update")) {
                return named("UPDATE");
            }
            return word("delete") && to("from") ? named("DELETE") : null;
        }

        private @Nullable CqlChange definition(String verb) {
            if (word("or")) {
                word("replace");
            }
            word("custom");
            word("materialized");
            if (scanner.kind() != Kind.WORD) {
                return null;
            }
            String object = text.substring(scanner.start(), scanner.end()).toLowerCase(Locale.ROOT);
            scanner.next();
            if (word("if")) {
                word("not");
                word("exists");
            }
            String kind = verb + " " + object.toUpperCase(Locale.ROOT);
            if (OF_A_KEYSPACE.contains(object)) {
                return scanner.kind().isName() ? new CqlChange(kind, name(), null) : null;
            }
            return switch (object) {
                case "table", "columnfamily", "type", "function", "aggregate" -> named(kind);
                case "view" -> named(verb + " MATERIALIZED VIEW");
                // Its own name is in the keyspace of its table, which follows it.
                case "index" -> verb.equals("DROP") || to("on") ? named(kind) : null;
                case "trigger" -> to("on") ? named(kind) : null;
                // Roles, users and the like.
                default -> null;
            };
        }

        private @Nullable CqlChange named(String verb) {
            if (!scanner.kind().isName()) {
                return null;
            }
            String first = name();
            if (!scanner.isSymbol('.')) {
                return new CqlChange(verb, null, first);
            }
            scanner.next();
            return scanner.kind().isName() ? new CqlChange(verb, first, name()) : null;
        }

        /** Moves past the next {@code word}, which is reserved. */
        private boolean to(String word) {
            while (more()) {
                if (word(word)) {
                    return true;
                }
                scanner.next();
            }
            return false;
        }

        private boolean more() {
            return scanner.kind() != Kind.END && scanner.kind() != Kind.UNTERMINATED;
        }

        private boolean word(String word) {
            boolean is = scanner.isWord(word);
            if (is) {
                scanner.next();
            }
            return is;
        }

        private String name() {
            String name = Identifiers.toInternal(text.substring(scanner.start(), scanner.end()));
            scanner.next();
            return name;
        }
    }
}
