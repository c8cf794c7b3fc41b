package dev.cassidy.jdbc.assist;

import dev.cassidy.definition.SqlType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Serves what CQL has no words for: it says which rows a statement needs, and evaluates the statement over them. It reads nothing itself.
 * Implementations have a public constructor without parameters, and are safe for use by many threads.
 */
public interface Assistant {

    /** Returns whether a text is one SELECT that can be read as T-SQL, to its end; whether it is served depends on its tables. */
    boolean reads(String sql);

    /**
     * Returns why a text that is one SELECT, UPDATE, DELETE or INSERT cannot be read as T-SQL, or from where on: what is said behind "it cannot be
     * read". No value of it is shown. Empty if it can be read, or if it is none of these.
     */
    Optional<String> unread(String sql);

    /**
     * Returns what Cassandra has no words for, whatever the tables are: all of it, each with what to do instead. Empty if there is
     * nothing, or if the text is no single statement that can be read.
     */
    List<String> unsupported(String sql);

    /**
     * Plans a SELECT.
     *
     * @param sql a text for which {@link #reads} is true
     * @param parameters a value for each {@code ?}: Boolean, Byte, Short, Integer, Long, BigDecimal, Float, Double, String, {@code byte[]},
     *     LocalDate, LocalTime, LocalDateTime, Instant, which is a DATETIME2 by the clocks of the JVM's zone, OffsetDateTime, UUID,
     *     {@link TypedValue}; null is NULL
     * @param language how the session reads and shows dates now
     * @throws NotAssistedException naming what is not known
     */
    AssistedSelect plan(
            String sql, TableModels models, List<? extends @Nullable Object> parameters, SessionLanguage language);

    /**
     * Returns whether a text is one UPDATE, DELETE, MERGE or INSERT of a SELECT, or of VALUES with a subquery, that can be read as T-SQL, to
     * its end.
     */
    boolean readsChange(String sql);

    /**
     * Plans a statement that writes, as {@link #plan}; a change of a table by what it is.
     *
     * @param sql a text for which {@link #readsChange} is true
     */
    AssistedChange change(
            String sql, TableModels models, List<? extends @Nullable Object> parameters, SessionLanguage language);

    /**
     * Returns the text of a value that is assigned to a column of strings, as CAST writes it.
     *
     * @param value of a class that {@link Evaluated} has for the type
     * @param language how the session shows dates now
     * @throws NotAssistedException if its text is not known
     */
    String text(Object value, SqlType type, SessionLanguage language);

    /** Makes the first statements faster, which otherwise open the engine. Takes some hundred milliseconds in a new process. */
    void warm();
}
