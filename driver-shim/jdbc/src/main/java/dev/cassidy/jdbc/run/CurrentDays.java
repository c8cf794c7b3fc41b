package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes the current time of a column of dates, GETDATE() in T-SQL, the day in the JVM's zone, in which a Timestamp has its
 * day too. CQL's own conversion gives the day in UTC. BEGIN BATCH, which is CQL's own, stays as it is.
 */
public final class CurrentDays {

    private static final String UTC = "toDate(now())";

    private final Tables tables;
    private final InstantSource clock;

    /** Whether all tables were known. */
    private boolean complete = true;

    /** Whether the statement depends on the time, because the offset of a time zone does. */
    private boolean changes;

    private CurrentDays(Tables tables, InstantSource clock) {
        this.tables = tables;
        this.clock = clock;
    }

    /**
     * Returns the script to run; a script without times, once every table was known and the zone's offset
     * never changes.
     */
    public static TsqlScript of(TsqlScript script, Tables tables, InstantSource clock) {
        if (!script.hasTimes()) {
            return script;
        }
        CurrentDays days = new CurrentDays(tables, clock);
        List<TsqlStep> steps = new ArrayList<>(script.steps().size());
        for (TsqlStep step : script.steps()) {
            steps.add(days.step(step));
        }
        return script.withSteps(steps, !days.complete || days.changes);
    }

    private TsqlStep step(TsqlStep step) {
        if (step instanceof TsqlStep.Cql cql && isOfOneTable(cql.keyword())) {
            String text = text(cql.text(), CurrentTimes.of(cql.text()));
            return text.equals(cql.text()) ? cql : cql.withText(text);
        }
        if (step instanceof TsqlStep.AssignRows rows) {
            return new TsqlStep.AssignRows(step(rows.query()), rows.targets(), rows.single());
        }
        if (step instanceof TsqlStep.Insert insert) {
            Map<String, CqlInsert> rewritten = new HashMap<>();
            List<TsqlStep.Row> rows = new ArrayList<>();
            for (TsqlStep.Row row : insert.rows()) {
                CqlInsert given = row.insert();
                CqlInsert sent = rewritten.get(given.text());
                if (sent == null) {
                    String text = text(given.text(), CurrentTimes.of(given));
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

    private String text(String cql, Optional<CurrentTimes> found) {
        if (found.isEmpty()) {
            return cql;
        }
        Map<String, DataType> types = tables.types(found.get().table());
        complete &= !types.isEmpty();
        StringBuilder text = new StringBuilder(cql.length() + 32);
        int copied = 0;
        for (CurrentTimes.Place place : found.get().places()) {
            if (DataTypes.DATE.equals(types.get(place.column()))) {
                text.append(cql, copied, place.start()).append(today());
                copied = place.end();
            }
        }
        return text.append(cql, copied, cql.length()).toString();
    }

    private String today() {
        Instant now = clock.instant();
        changes |= !ZoneId.systemDefault().getRules().isFixedOffset();
        return today(now);
    }

    private static String today(Instant now) {
        int seconds = ZoneId.systemDefault().getRules().getOffset(now).getTotalSeconds();
        return seconds == 0
                ? UTC
                : "toDate(" + CurrentTimes.NOW + (seconds < 0 ? " - " : " + ") + Math.abs(seconds) + "s)";
    }

    /** Returns the terms that stand for a day, this class's and CQL's own, each with its day. */
    static Map<String, Supplier<Object>> values(Instant now) {
        Map<String, Supplier<Object>> values = new HashMap<>();
        values.put(UTC, () -> LocalDate.ofInstant(now, ZoneOffset.UTC));
        values.put(today(now), () -> LocalDate.ofInstant(now, ZoneId.systemDefault()));
        return values;
    }
}
