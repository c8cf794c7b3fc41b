package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.insert.ColumnLiterals;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives literals the value that they have in SQL Server, if their column's type is known and Cassandra would refuse
 * them or read them as another value: 0 and 1 of a boolean column, numbers and uuids in quotes, {@code '20240131'} and
 * times without a zone.
 * Cassandra would read digits in quotes as milliseconds, days or nanoseconds, and a time without a zone in the server's
 * zone; here such a time is in the JVM's zone, as in a parameter. Everything else stays as it is, byte for byte, and so
 * does BEGIN BATCH, which is CQL's own.
 */
public final class Literals {

    private final Tables tables;
    private final ToCql toCql;

    /** Whether all tables were known. */
    private boolean complete = true;

    /** Whether the text depends on the time, because the offset of a time zone does. */
    private boolean changes;

    private final InstantSource clock;

    private Literals(Tables tables, DateOrder dateOrder, Consumer<SQLWarning> warnings, InstantSource clock) {
        this.tables = tables;
        this.clock = clock;
        this.toCql = new ToCql(Temporals.zone(null), dateOrder, warnings);
    }

    /** Returns the script to run; once every table was known, a script without literals to check. */
    public static TsqlScript rewritten(TsqlScript script, ConnectionState connection, Consumer<SQLWarning> warnings)
            throws SQLException {
        if (!script.hasLiterals()) {
            return script;
        }
        Literals literals = new Literals(
                new Tables(connection.session().plain()), connection.settings().dateOrder(), warnings, Instant::now);
        List<TsqlStep> steps = new ArrayList<>(script.steps().size());
        for (TsqlStep step : script.steps()) {
            steps.add(literals.step(step));
        }
        return new TsqlScript(steps, script.parameterCount(), !literals.complete || literals.changes);
    }

    private TsqlStep step(TsqlStep step) throws SQLException {
        if (step instanceof TsqlStep.Cql cql && isOfOneTable(cql.keyword())) {
            String text = text(cql.text(), ColumnLiterals.of(cql.text()));
            return text.equals(cql.text()) ? cql : cql.withText(text);
        }
        if (step instanceof TsqlStep.Insert insert) {
            Map<String, CqlInsert> rewritten = new HashMap<>();
            List<TsqlStep.Row> rows = new ArrayList<>();
            for (TsqlStep.Row row : insert.rows()) {
                CqlInsert given = row.insert();
                CqlInsert sent = rewritten.get(given.text());
                if (sent == null) {
                    String text = text(given.text(), ColumnLiterals.of(given));
                    sent = text.equals(given.text())
                            ? given
                            : CqlInsert.recognise(text).orElseThrow();
                    rewritten.put(given.text(), sent);
                }
                rows.add(sent == given ? row : new TsqlStep.Row(sent, row.parameters(), row.defaulted()));
            }
            return new TsqlStep.Insert(rows, insert.output(), insert.outputKept(), insert.draws());
        }
        return step;
    }

    private static boolean isOfOneTable(String keyword) {
        return keyword.equals("SELECT") || keyword.equals("UPDATE") || keyword.equals("DELETE");
    }

    private String text(String cql, Optional<ColumnLiterals> found) throws SQLException {
        if (found.isEmpty()) {
            return cql;
        }
        Map<String, DataType> types = tables.types(found.get().table());
        complete &= !types.isEmpty();
        StringBuilder text = new StringBuilder(cql.length() + 32);
        int copied = 0;
        for (ColumnLiterals.Literal literal : found.get().literals()) {
            DataType type = types.get(literal.column());
            String replacement = type == null ? null : replacement(literal, type);
            if (replacement != null) {
                text.append(cql, copied, literal.start()).append(replacement);
                copied = literal.end();
            }
        }
        return text.append(cql, copied, cql.length()).toString();
    }

    /** Returns the CQL of the same value; null if the literal is that already, or Cassandra refuses it. */
    private @Nullable String replacement(ColumnLiterals.Literal literal, DataType type) throws SQLException {
        String content = literal.content();
        if (type.getProtocolCode() == ProtocolConstants.DataType.BOOLEAN) {
            return QuotedValues.bit(content);
        }
        if (literal.isNow()) {
            return type.getProtocolCode() == ProtocolConstants.DataType.DATE ? today() : null;
        }
        if (!literal.quoted()) {
            return null;
        }
        try {
            return switch (type.getProtocolCode()) {
                case ProtocolConstants.DataType.TIMESTAMP -> "'" + (Instant) toCql.convert(content, type) + "'";
                case ProtocolConstants.DataType.DATE -> "'" + (LocalDate) toCql.convert(content, type) + "'";
                case ProtocolConstants.DataType.TIME -> "'" + (LocalTime) toCql.convert(content, type) + "'";
                default -> QuotedValues.withoutQuotes(content, type, toCql);
            };
        } catch (ConversionException e) {
            throw e.in("the literal for column " + literal.column());
        }
    }

    /** Returns the day in the JVM's zone, in which a Timestamp has its day too. Cassandra's own is the day in UTC. */
    private String today() {
        ZoneRules rules = ZoneId.systemDefault().getRules();
        int seconds = rules.getOffset(clock.instant()).getTotalSeconds();
        changes |= !rules.isFixedOffset();
        return seconds == 0
                ? "toDate(now())"
                : "toDate(" + ColumnLiterals.NOW + (seconds < 0 ? " - " : " + ") + Math.abs(seconds) + "s)";
    }
}
