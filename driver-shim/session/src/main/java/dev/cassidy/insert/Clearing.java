package dev.cassidy.insert;

import dev.cassidy.insert.CqlInsert.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The deletion of whatever was written to a row before its insert, as CQL. It names the whole primary key, by the
 * values that the insert gives its columns, so that it cannot delete another row. Its write timestamp must be earlier
 * than the insert's, or it would hide the insert. Immutable.
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
     * Makes the deletion for an insert. Empty if none can be sent with it: for a conditional insert, for INSERT JSON,
     * if only the server knows a value of the key, such as {@code uuid()}, and for a statement that is no insert.
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
     * Returns insert and deletion as one statement of one partition. After the insert's markers come the timestamp's,
     * if that is a marker, and the key's, {@link #markers}.
     *
     * @param deletedAt the deletion's write timestamp, in CQL
     */
    public String together(String deletedAt) {
        return "BEGIN UNLOGGED BATCH " + insert + "; " + alone(deletedAt) + "; APPLY BATCH";
    }

    /**
     * Returns the deletion. It has the timestamp's marker, if that is a marker, and the key's, {@link #markers}.
     *
     * @param deletedAt its write timestamp, in CQL
     */
    public String alone(String deletedAt) {
        return "DELETE FROM " + target + " USING TIMESTAMP " + deletedAt + where;
    }

    /** Returns the deletion without a write timestamp; the caller must set one before it is sent. */
    public String unstamped() {
        return "DELETE FROM " + target + where;
    }

    /** Returns for each marker of the deletion's key the index of the insert's marker that has its value. */
    public List<Integer> markers() {
        return markers;
    }

    /** Returns the write timestamp that the insert sets, an integer or a marker; empty if it sets none. */
    public Optional<Value> timestamp() {
        return Optional.ofNullable(timestamp);
    }

    /** The values that the insert gives the columns of the key. */
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

        /** By name, because a statement may get its values by names. */
        private static String written(Value.Marker marker) {
            return marker.name() == null ? "?" : ":" + Identifiers.toCql(marker.name());
        }

        /** A function call may return another value each time, and a term with a marker is not a value by itself. */
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
