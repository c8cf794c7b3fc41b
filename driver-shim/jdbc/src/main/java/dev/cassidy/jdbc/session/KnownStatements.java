package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.MarkedText;
import dev.cassidy.insert.RecentTexts;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlScript;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/** How the most used statements were read. Asks nobody. Safe for use by many threads. */
public final class KnownStatements {

    private final CqlSession session;
    private final ReadPaths readPaths;
    private final IntSupplier schema;
    private final RecentTexts<MarkedText> marked = new RecentTexts<>(MarkedText::of);
    private final RecentTexts<Optional<CqlWrite>> writes = new RecentTexts<>(CqlWrite::recognise);
    private volatile Scripts scripts;

    /** @param schema a number that changes with the schema */
    KnownStatements(CqlSession session, IntSupplier schema) {
        this.session = session;
        this.readPaths = new ReadPaths(session);
        this.schema = schema;
        this.scripts = scripts();
    }

    /** What was read under one schema: after a change, a text may mean something else. */
    private record Scripts(
            int schema,
            RecentTexts<TsqlScript> texts,
            RecentTexts<ReadPath> paths,
            RecentTexts<ReadPath> pathsOfLiterals) {}

    private Scripts scripts() {
        Tables tables = new Tables(session);
        return new Scripts(
                schema.getAsInt(),
                new RecentTexts<>(text -> TsqlScript.parse(text, tables)),
                new RecentTexts<>(readPaths::of),
                new RecentTexts<>(readPaths::of));
    }

    /** Reads a text that is to be prepared, and so may be used often; throws what {@link TsqlScript#parse} throws. */
    public TsqlScript script(String sql) {
        return current().texts().of(sql);
    }

    private Scripts current() {
        Scripts known = scripts;
        if (known.schema() != schema.getAsInt()) {
            known = scripts();
            scripts = known;
        }
        return known;
    }

    /**
     * Returns by which way a SELECT reads; what was learnt of a text is kept with it.
     *
     * @param markers those of the text; texts without any contain their values, and do not drive the others out
     */
    public ReadPath readPath(String cql, List<Integer> markers) {
        Scripts known = current();
        return (markers.isEmpty() ? known.pathsOfLiterals() : known.paths()).of(cql);
    }

    /**
     * Recognises a write.
     *
     * @param markers those of the text; a text without any contains its values, and is rarely used twice
     */
    public Optional<CqlWrite> write(String cql, List<Integer> markers) {
        return markers.isEmpty() ? CqlWrite.recognise(cql) : writes.of(cql);
    }

    /**
     * Returns a statement with a marker for each of its literals.
     *
     * @param markers those of the text; a text without any contains its values, and is rarely used twice
     * @throws UnsupportedSqlException if a literal that stays may be a date
     */
    public MarkedText marked(String cql, List<Integer> markers) {
        return markers.isEmpty() ? MarkedText.of(cql) : marked.of(cql);
    }
}
