package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TypedValue;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** What the parts of one statement share while it is written for H2. */
final class Writing {

    /** A statement of a thousand tokens needs much less, unless its common table expressions name each other again and again. */
    private static final int MAX_LENGTH = 500_000;

    private static final int MAX_DEPTH = 600;

    private final IdentityHashMap<Table, FedTable> tables;
    private final List<@Nullable Object> parameters;
    private final IdentityHashMap<Table, String> names = new IdentityHashMap<>();
    private final Map<Integer, Typed> known = new HashMap<>();
    private final List<Object> bound = new ArrayList<>();
    private final Map<String, ColumnModel> columns = new HashMap<>();
    private final Set<ColumnModel> used = new LinkedHashSet<>();
    private final Set<Select> unseen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final SessionLanguage language;
    private final Instant now;
    private final ZoneId zone;
    private final boolean byCode;

    private int aliases;
    private int depth;

    /**
     * @param language how the session reads and shows dates
     * @param now the time of the statement
     * @param zone of whose clocks the statement sees the times
     * @param byCode whether strings are compared by code
     */
    Writing(
            IdentityHashMap<Table, FedTable> tables,
            List<@Nullable Object> parameters,
            SessionLanguage language,
            Instant now,
            ZoneId zone,
            boolean byCode) {
        this.tables = tables;
        this.parameters = parameters;
        this.language = language;
        this.now = now;
        this.zone = zone;
        this.byCode = byCode;
    }

    @Nullable
    FedTable table(Table table) {
        return tables.get(table);
    }

    /** Returns the name under which H2 has the rows of a table. */
    String name(Table table) {
        return names.computeIfAbsent(table, each -> "T" + names.size());
    }

    /** Returns the tables that the statement names, with their names for H2. */
    IdentityHashMap<Table, String> names() {
        return names;
    }

    /** Returns the values of H2's parameters, the first one first. */
    List<Object> bound() {
        return bound;
    }

    /** Says which column of a table H2 reads by a name. */
    void column(String sql, ColumnModel column) {
        columns.put(sql, column);
    }

    /** Says that a name is that of a column that H2 also reads by another one. */
    void sameColumn(String sql, String other) {
        ColumnModel column = columns.get(sql);
        if (column != null) {
            columns.put(other, column);
        }
    }

    /** Says that a value is more than shown: its collation may decide what the statement gives. */
    void use(@Nullable Typed value) {
        ColumnModel column = value == null ? null : columns.get(value.sql());
        if (column != null) {
            used.add(column);
        }
    }

    /** Returns the columns that are more than shown, the first one first. */
    Set<ColumnModel> used() {
        return used;
    }

    /** Says that nobody looks at the columns of a SELECT, as within EXISTS. */
    void unseen(Select select) {
        unseen.add(select instanceof ParenthesedSelect inner ? inner.getSelect() : select);
    }

    boolean isUnseen(Select select) {
        return unseen.contains(select);
    }

    String alias() {
        return "S" + aliases++;
    }

    SessionLanguage language() {
        return language;
    }

    /** Returns the time of the statement. */
    LocalDateTime now() {
        return Moments.shown(now, zone);
    }

    /** Returns whether strings are compared by code, with the blanks at their ends. */
    boolean byCode() {
        return byCode;
    }

    /** Returns the time of the statement in UTC. */
    LocalDateTime utcNow() {
        return Moments.shown(now, ZoneOffset.UTC);
    }

    ZoneId zone() {
        return zone;
    }

    /** Returns the value of a parameter; null is NULL. */
    @Nullable
    Object parameter(int index) {
        if (index < 1 || index > parameters.size()) {
            throw new IllegalArgumentException(
                    "must have a value for each ?: parameters=" + parameters.size() + " index=" + index);
        }
        return parameters.get(index - 1) instanceof TypedValue typed ? typed.value() : parameters.get(index - 1);
    }

    /** Returns a parameter as H2 reads it: it has the type of its value, if none is declared. */
    Typed written(int index) {
        return known.computeIfAbsent(index, each -> {
            Object value = parameter(each);
            SqlType declared = parameters.get(each - 1) instanceof TypedValue typed ? typed.type() : null;
            if (value == null) {
                return declared == null
                        ? Typed.nullLiteral()
                        : Typed.of("CAST(NULL AS " + Types.h2(declared) + ")", declared);
            }
            SqlType type = declared == null ? Values.typeOf(value) : declared;
            return bind(Values.toH2(value, type, zone), type);
        });
    }

    /** Returns a value as H2 takes it; the text is the same for another value, so that H2 need not prepare it again. */
    Typed bind(Object value, SqlType type) {
        bound.add(value);
        return Typed.of("CAST(?" + bound.size() + " AS " + Types.h2(type) + ")", type);
    }

    String checked(String sql) {
        if (sql.length() > MAX_LENGTH) {
            throw new NotEvaluatedException(
                    "The statement",
                    "with its common table expressions in place of their names it is too long",
                    "Name them less often");
        }
        return sql;
    }

    void enter() {
        if (++depth > MAX_DEPTH) {
            throw new NotEvaluatedException("The statement", "it is nested too deeply", "Write it in parts");
        }
    }

    void leave() {
        depth--;
    }
}
