package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.run.ConnectionState;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.JdbcType;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a result's columns are. */
final class ColumnsMetaData implements ResultSetMetaData, WrapsNothing {

    private final List<Column> columns;
    private final boolean generated;
    private final @Nullable ConnectionState connection;

    /**
     * @param generated whether these are generated keys
     * @param connection knows which columns are identities; null if none is
     */
    ColumnsMetaData(List<Column> columns, boolean generated, @Nullable ConnectionState connection) {
        this.columns = columns;
        this.generated = generated;
        this.connection = connection;
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

    @Override
    public int getColumnCount() {
        return columns.size();
    }

    @Override
    public boolean isAutoIncrement(int index) throws SQLException {
        Column column = column(index);
        if (generated || connection == null || column.table().isEmpty()) {
            return generated;
        }
        return connection
                .session()
                .identityColumn(column.keyspace(), column.table())
                .filter(column.label()::equals)
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
        column(index);
        return false;
    }

    @Override
    public int isNullable(int index) throws SQLException {
        column(index);
        return generated ? columnNoNulls : columnNullableUnknown;
    }

    @Override
    public boolean isSigned(int index) throws SQLException {
        return type(index).signed();
    }

    @Override
    public int getColumnDisplaySize(int index) throws SQLException {
        return column(index).displaySize();
    }

    @Override
    public String getColumnLabel(int index) throws SQLException {
        return column(index).label();
    }

    @Override
    public String getColumnName(int index) throws SQLException {
        return column(index).label();
    }

    @Override
    public String getSchemaName(int index) throws SQLException {
        return column(index).keyspace();
    }

    @Override
    public int getPrecision(int index) throws SQLException {
        return column(index).precision();
    }

    @Override
    public int getScale(int index) throws SQLException {
        return column(index).scale();
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
        return type(index).sqlType();
    }

    @Override
    public String getColumnTypeName(int index) throws SQLException {
        return type(index).name();
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
        return type(index).javaClass().getName();
    }
}
