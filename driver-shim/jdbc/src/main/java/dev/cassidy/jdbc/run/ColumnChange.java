package dev.cassidy.jdbc.run;

import dev.cassidy.cql.ColumnRule;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.tsql.ColumnTypes;

/** How a column can become another one by a change of what is declared of it. */
enum ColumnChange {
    /** Every row that the column's rule has let in stays as it is. */
    AT_ONCE,
    /** Rows may break the new rule, so they are read first. */
    BY_ROWS,
    /** Cassandra would have to store other values. */
    NEVER;

    /** @param inKey whether the column is part of the primary key */
    static ColumnChange of(ColumnDefinition from, ColumnDefinition to, boolean inKey) {
        SqlType before = from.type();
        SqlType after = to.type();
        if (before != null && after != null && !after.equals(before)) {
            boolean otherKey = inKey && isDecimal(after) && after.scale() != before.scale();
            if (otherKey || !cql(before).equals(cql(after))) {
                return NEVER;
            }
            if (!after.holds(before)) {
                return BY_ROWS;
            }
        } else if (before == null && after != null && new ColumnRule("", to).restricts()) {
            return BY_ROWS;
        }
        return to.required() && !from.required() ? BY_ROWS : AT_ONCE;
    }

    /** Cassandra compares keys by their bytes, in which 7.5 and 7.50 differ. */
    private static boolean isDecimal(SqlType type) {
        return cql(type).equals("decimal");
    }

    private static String cql(SqlType type) {
        return ColumnTypes.cql(type.toString());
    }
}
