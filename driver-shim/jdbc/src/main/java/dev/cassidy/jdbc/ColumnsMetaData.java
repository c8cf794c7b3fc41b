package dev.cassidy.jdbc;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.DeclaredTable;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.JdbcType;
import dev.cassidy.tsql.TsqlStep;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a result's columns are; also after the connection was closed. */
final class ColumnsMetaData implements ResultSetMetaData, WrapsNothing {

    private final List<Column> columns;
    private final TsqlStep.@Nullable Selection selection;
    private final boolean generated;
    private final @Nullable SharedSession session;
    private Optional<DeclaredTable> declared = Optional.empty();
    private boolean asked;
    private final Map<Integer, Optional<DeclaredType>> declaredTypes = new HashMap<>();

    /**
     * @param selection what the columns are, as far as the statement tells; null otherwise
     * @param generated whether these are generated keys
     * @param session knows what is declared of tables; null if the columns are of none
     */
    ColumnsMetaData(
            List<Column> columns,
            TsqlStep.@Nullable Selection selection,
            boolean generated,
            @Nullable SharedSession session) {
        this.columns = columns;
        // If they differ, which is not known to happen, the columns are what the server says.
        this.selection = selection == null || selection.items().size() != columns.size() ? null : selection;
        this.generated = generated;
        this.session = session;
    }

    private Column column(int index) throws SQLException {
        if (index < 1 || index > columns.size()) {
            throw new SQLException(
                    "must be from 1 to " + columns.size() + ": column index=" + index, SqlStates.WRONG_COLUMN);
        }
        return columns.get(index - 1);
    }

    private JdbcType type(int index) throws SQLException {
        return column(index).jdbcType();
    }

    /** Of a statement that was sent as the parser has read it, and whose table T-SQL has defined. */
    private Optional<DeclaredTable> declared() throws SQLException {
        if (!asked && selection != null && session != null) {
            declared = session.tables().declaredTable(selection.table());
            asked = true;
        }
        return declared;
    }

    /** Returns the internal name of the table's column that a column of the result is. */
    private Optional<String> source(int index) throws SQLException {
        if (selection == null || session == null) {
            return Optional.empty();
        }
        String written = selection.items().get(index - 1).column();
        return written == null
                ? Optional.empty()
                : Optional.of(session.tables().columnLike(selection.table(), written));
    }

    /** Returns as what T-SQL has declared a column; empty if it has not. */
    Optional<DeclaredType> declaredType(int index) throws SQLException {
        column(index);
        Optional<DeclaredType> known = declaredTypes.get(index);
        if (known == null) {
            DeclaredType evaluated = column(index).declared();
            DeclaredTable table = evaluated != null ? null : declared().orElse(null);
            known = table == null
                    ? Optional.ofNullable(evaluated)
                    : source(index)
                            .flatMap(table::column)
                            .map(ColumnDefinition::type)
                            .map(DeclaredType::new);
            // Getters ask for it at each row.
            declaredTypes.put(index, known);
        }
        return known;
    }

    @Override
    public int getColumnCount() {
        return columns.size();
    }

    @Override
    public boolean isAutoIncrement(int index) throws SQLException {
        Column column = column(index);
        if (generated || session == null || column.table().isEmpty()) {
            return generated;
        }
        return session.identityColumn(column.keyspace(), column.table())
                .filter(source(index).orElse(column.label())::equals)
                .isPresent();
    }

    @Override
    public boolean isCaseSensitive(int index) throws SQLException {
        return type(index).isText();
    }

    @Override
    public boolean isSearchable(int index) throws SQLException {
        column(index);
        return true;
    }

    @Override
    public boolean isCurrency(int index) throws SQLException {
        return declaredType(index).filter(DeclaredType::isMoney).isPresent();
    }

    @Override
    public int isNullable(int index) throws SQLException {
        column(index);
        if (generated) {
            return columnNoNulls;
        }
        DeclaredTable table = declared().orElse(null);
        return table == null
                ? columnNullableUnknown
                : source(index)
                        .map(column -> table.isRequired(column) ? columnNoNulls : columnNullable)
                        .orElse(columnNullableUnknown);
    }

    @Override
    public boolean isSigned(int index) throws SQLException {
        return type(index).signed();
    }

    @Override
    public int getColumnDisplaySize(int index) throws SQLException {
        Optional<DeclaredType> type = declaredType(index);
        // A whole number and a double need no more than their type says.
        boolean digits =
                type.filter(DeclaredType::isNumber).isPresent() && type(index).sqlType() != Types.DECIMAL;
        return type.isEmpty() || digits
                ? column(index).displaySize()
                : type.get().displaySize();
    }

    /**
     * As SQL Server, of a table that T-SQL has defined: an alias and a column as the statement writes them, a column of {@code *}
     * as CREATE TABLE did, and nothing for an aggregate.
     */
    @Override
    public String getColumnLabel(int index) throws SQLException {
        Column column = column(index);
        if (selection == null || declared().isEmpty()) {
            return column.label();
        }
        String shown = selection.items().get(index - 1).label();
        return shown == null ? column.label() : shown;
    }

    /** As the label, as in SQL Server's driver. */
    @Override
    public String getColumnName(int index) throws SQLException {
        return getColumnLabel(index);
    }

    @Override
    public String getSchemaName(int index) throws SQLException {
        return column(index).keyspace();
    }

    @Override
    public int getPrecision(int index) throws SQLException {
        Optional<DeclaredType> type = declaredType(index);
        return type.isPresent() ? type.get().size() : column(index).precision();
    }

    @Override
    public int getScale(int index) throws SQLException {
        Optional<DeclaredType> type = declaredType(index);
        if (type.isEmpty()) {
            return column(index).scale();
        }
        Integer digits = type.get().digits();
        return digits == null ? 0 : digits;
    }

    @Override
    public String getTableName(int index) throws SQLException {
        return column(index).table();
    }

    @Override
    public String getCatalogName(int index) throws SQLException {
        column(index);
        return "";
    }

    @Override
    public int getColumnType(int index) throws SQLException {
        return type(index).read(declaredType(index).orElse(null)).sqlType();
    }

    @Override
    public String getColumnTypeName(int index) throws SQLException {
        Optional<DeclaredType> type = declaredType(index);
        return type.isPresent() ? type.get().name() : type(index).name();
    }

    @Override
    public boolean isReadOnly(int index) throws SQLException {
        column(index);
        return true;
    }

    @Override
    public boolean isWritable(int index) throws SQLException {
        column(index);
        return false;
    }

    @Override
    public boolean isDefinitelyWritable(int index) throws SQLException {
        column(index);
        return false;
    }

    @Override
    public String getColumnClassName(int index) throws SQLException {
        return type(index).read(declaredType(index).orElse(null)).javaClass().getName();
    }
}
