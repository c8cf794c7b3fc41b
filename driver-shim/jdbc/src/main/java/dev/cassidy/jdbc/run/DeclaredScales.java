package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.jdbc.session.DeclaredTable;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows with decimals of the scale that is declared of their column now. Rows that were written before ALTER COLUMN, or by others
 * than the driver, may be stored with another one. No digit but zero is added, and none is taken away.
 */
final class DeclaredScales implements Cursor {

    private static final int NONE = -1;

    private final Cursor rows;
    private final int[] scales;

    private DeclaredScales(Cursor rows, int[] scales) {
        this.rows = rows;
        this.scales = scales;
    }

    /** Returns the rows themselves if nothing is declared of a decimal among their columns. */
    static Cursor of(Cursor rows, TsqlStep.Selection selection, Tables tables) {
        List<Column> columns = rows.columns();
        if (selection.items().size() != columns.size()
                || columns.stream().noneMatch(column -> column.type().equals(DataTypes.DECIMAL))) {
            return rows;
        }
        DeclaredTable table = tables.declaredTable(selection.table()).orElse(null);
        if (table == null) {
            return rows;
        }
        int[] scales = new int[columns.size()];
        Arrays.setAll(scales, i -> {
            String written = selection.items().get(i).column();
            return written == null || !columns.get(i).type().equals(DataTypes.DECIMAL)
                    ? NONE
                    : table.column(tables.columnLike(selection.table(), written))
                            .map(ColumnDefinition::type)
                            .map(type -> new DeclaredType(type).digits())
                            .orElse(NONE);
        });
        return Arrays.stream(scales).allMatch(scale -> scale == NONE) ? rows : new DeclaredScales(rows, scales);
    }

    @Override
    public List<Column> columns() {
        return rows.columns();
    }

    @Override
    public int index(String label) throws SQLException {
        return rows.index(label);
    }

    @Override
    public boolean next() throws SQLException {
        return rows.next();
    }

    @Override
    public @Nullable Object value(int index) throws SQLException {
        Object value = rows.value(index);
        int scale = scales[index];
        return scale != NONE && value instanceof BigDecimal decimal && decimal.scale() < scale
                ? decimal.setScale(scale, RoundingMode.UNNECESSARY)
                : value;
    }
}
