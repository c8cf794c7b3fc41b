package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a statement of CQL renames. Names are internal ones.
 *
 * @param columns the names before
 */
public record Renamed(CqlInsert.Table table, List<String> columns) {

    public Renamed {
        columns = List.copyOf(columns);
    }

    /** Reads {@code ALTER TABLE [IF EXISTS] t RENAME [IF EXISTS] a TO b [AND ...]}; empty for any other statement. */
    public static Optional<Renamed> of(String cql) {
        List<CqlChange> changes = CqlChange.of(cql);
        if (changes.size() != 1 || !changes.get(0).altersTable()) {
            return Optional.empty();
        }
        CqlChange altered = changes.get(0);
        List<String> columns = new ArrayList<>();
        Scanner scanner = new Scanner(cql, Scanner.Language.CQL);
        boolean renames = false;
        String last = null;
        // Neither ADD nor DROP nor WITH can contain these words: they are reserved, and a name in quotes is no word.
        while (scanner.next() != Kind.END && scanner.kind() != Kind.UNTERMINATED) {
            renames |= scanner.isWord("rename");
            if (renames && scanner.isWord("to") && last != null) {
                columns.add(last);
            }
            last = scanner.kind().isName()
                    ? Identifiers.toInternal(cql.substring(scanner.start(), scanner.end()))
                    : null;
        }
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Renamed(new CqlInsert.Table(altered.keyspace(), String.valueOf(altered.name())), columns));
    }
}
