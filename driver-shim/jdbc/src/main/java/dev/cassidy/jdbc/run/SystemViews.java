package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.value.Column;
import java.util.List;

/** A query of SQL Server's system views that Hibernate's dialect sends, word for word. The driver answers it itself. */
final class SystemViews {

    /** Without an answer Hibernate uses DatabaseMetaData. */
    private static final String COMPATIBILITY_LEVEL =
            "SELECT compatibility_level FROM sys.databases WHERE name = db_name()";

    private SystemViews() {}

    /** Returns whether the driver answers the query. */
    static boolean isOf(String text) {
        return text.strip().equalsIgnoreCase(COMPATIBILITY_LEVEL);
    }

    /** Returns the answer to such a query. */
    static Cursor rows() {
        return new Cursor.Listed(List.of(Column.of("compatibility_level", DataTypes.INT)), List.of());
    }
}
