package dev.cassidy.insert;

import dev.cassidy.insert.CqlInsert.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The deletion of whatever was written to a row before its insert, as CQL. It names the whole primary key, by what the insert
 * gives its columns, so that it cannot reach another row; and it has to have an earlier write timestamp than the insert, or it
 * would hide that. Immutable.
 */
public final class Clearing {

    /** The insert up to its end, with its keyspace. */
    private final String insert;

    private final String target;
    private final String where;
    private final List<Integer> markers;
    private final @Nullable Value timestamp;

    private Clearing(CqlInsertScanner scanned, String keyspace, Where where) {
        String qualifier = Identifiers.toCql(keyspace) + '.';
        String text = scanned.text;
        this.insert = scanned.keyspace == null
                ? text.substring(0, scanned.targetStart) + qualifier + text.substring(scanned.targetStart, scanned.end)
                : text.substring(0, scanned.end);
        this.target = qualifier + Identifiers.toCql(scanned.table);
        this.where = where.text.toString();
        this.markers = List.copyOf(where.markers);
        this.timestamp = where.timestamp;
    }

    /**
     * Makes the deletion for an insert; empty if none can be sent with it: for a conditional insert, for INSERT JSON, where
     * only the server can tell a column of the key, as that of {@code uuid()}, and for any text that is no insert.
     *
     * @param cql the insert, with a value for each column of the key
     * @param keyspace that of the insert's table
     * @param primaryKey the internal names of all its columns
     */
    public static Optional<Clearing> of(String cql, String keyspace, List<String> primaryKey) {
        CqlInsertScanner scanned = new CqlInsertScanner(cql);
        if (!scanned.scan() || scanned.json || scanned.conditional) {
            return Optional.empty();
        }
        Where where = new Where(scanned);
        return where.names(primaryKey) && where.hasPlainTimestamp()
                ? Optional.of(new Clearing(scanned, keyspace, where))
                : Optional.empty();
    }

    /**
     * Returns insert and deletion as one statement of one partition. Behind the insert's markers it has the timestamp's, if that
     * is one, and the key's, {@link #markers}.
     *
     * @param deletedAt the deletion's write timestamp, in CQL
     */
    public String together(String deletedAt) {
        return "BEGIN UNLOGGED BATCH " + insert + "; " + alone(deletedAt) + "; APPLY BATCH";
    }

    /**
     * Returns the deletion. It has the timestamp's marker, if that is one, and the key's, {@link #markers}.
     *
     * @param deletedAt its write timestamp, in CQL
     */
    public String alone(String deletedAt) {
        return "DELETE FROM " + target + " USING TIMESTAMP " + deletedAt + where;
    }

    /** Returns the deletion without a write timestamp, which it has to be given before it is sent. */
    public String unstamped() {
        return "DELETE FROM " + target + where;
    }

    /** Returns for each marker of the deletion's key the index of the insert's marker that has its value. */
    public List<Integer> markers() {
        return markers;
    }

    /** Returns what the insert says its write timestamp is, an integer or a marker; empty if it says nothing. */
    public Optional<Value> timestamp() {
        return Optional.ofNullable(timestamp);
    }

    /** What the insert gives the columns of the key. */
    private static final class Where {
        private final CqlInsertScanner scanned;
        private final CqlInsert insert;
        private final StringBuilder text = new StringBuilder();
        private final List<Integer> markers = new ArrayList<>(2);
        private @Nullable Value timestamp;

        private Where(CqlInsertScanner scanned) {
            this.scanned = scanned;
            this.insert = new CqlInsert(scanned);
        }

        private boolean names(List<String> primaryKey) {
            for (String column : primaryKey) {
                text.append(text.isEmpty() ? " WHERE " : " AND ")
                        .append(Identifiers.toCql(column))
                        .append(" = ");
                Value value = insert.value(column).orElse(null);
                if (value instanceof Value.Marker marker) {
                    markers.add(marker.index());
                    text.append(written(marker));
                } else if (value instanceof Value.IntegerLiteral literal) {
                    text.append(literal.value());
                } else if (value instanceof Value.Term term && isConstant(term.text())) {
                    text.append(term.text());
                } else {
                    return false;
                }
            }
            return !primaryKey.isEmpty();
        }

        /** By its name, for a statement may give its values by names. */
        private static String written(Value.Marker marker) {
            return marker.name() == null ? "?" : ":" + Identifiers.toCql(marker.name());
        }

        /** What calls a function may have another value each time, and what has a marker is not the whole of it. */
        private static boolean isConstant(String term) {
            Scanner scanner = new Scanner(term, Scanner.Language.CQL);
            for (Kind kind = scanner.next(); kind != Kind.END; kind = scanner.next()) {
                if (kind == Kind.MARKER || kind == Kind.NAMED_MARKER || scanner.isSymbol('(')) {
                    return false;
                }
            }
            return true;
        }

        private boolean hasPlainTimestamp() {
            if (scanned.timestampStart < 0) {
                return true;
            }
            String written = scanned.text.substring(scanned.timestampStart, scanned.timestampEnd);
            Scanner scanner = new Scanner(written, Scanner.Language.CQL);
            Kind kind = scanner.next();
            if (kind == Kind.MARKER || kind == Kind.NAMED_MARKER) {
                String name = kind == Kind.MARKER ? null : scanner.markerName();
                timestamp = new Value.Marker(scanned.markersBeforeTimestamp, name);
                return true;
            }
            if (!written.matches("-?[0-9]{1,18}")) {
                return false;
            }
            timestamp = new Value.IntegerLiteral(new BigInteger(written));
            return true;
        }
    }
}
