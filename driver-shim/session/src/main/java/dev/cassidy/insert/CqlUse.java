package dev.cassidy.insert;

import java.util.Optional;

/** Recognises USE, which moves all of a session to another keyspace. */
public final class CqlUse {

    private CqlUse() {}

    /** Returns what a USE names, as it is written; empty if the statement is no USE. */
    public static Optional<String> recognise(String cql) {
        // The usual case, without a scanner.
        int first = cql.isEmpty() ? 0 : cql.charAt(0) | ' ';
        if (first >= 'a' && first <= 'z' && first != 'u') {
            return Optional.empty();
        }
        Scanner scanner = new Scanner(cql, Scanner.Language.CQL);
        scanner.next();
        if (!scanner.isWord("use")) {
            return Optional.empty();
        }
        scanner.next();
        return Optional.of(cql.substring(scanner.start(), scanner.end()));
    }
}
