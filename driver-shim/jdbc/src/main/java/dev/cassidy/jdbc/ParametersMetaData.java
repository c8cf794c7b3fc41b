package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.JdbcType;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.util.List;

/** What a prepared statement's parameters are: those that the application wrote, never the one that takes the identity. */
final class ParametersMetaData implements ParameterMetaData, WrapsNothing {

    private final List<Column> parameters;

    ParametersMetaData(List<Column> parameters) {
        this.parameters = parameters;
    }

    private JdbcType type(int index) throws SQLException {
        if (index < 1 || index > parameters.size()) {
            throw new SQLException(
                    "must be from 1 to " + parameters.size() + ": parameter index=" + index,
                    SqlStates.WRONG_PARAMETERS);
        }
        return parameters.get(index - 1).jdbcType();
    }

    @Override
    public int getParameterCount() {
        return parameters.size();
    }

    @Override
    public int isNullable(int index) throws SQLException {
        type(index);
        return parameterNullableUnknown;
    }

    @Override
    public boolean isSigned(int index) throws SQLException {
        return type(index).signed();
    }

    @Override
    public int getPrecision(int index) throws SQLException {
        return type(index).precision();
    }

    @Override
    public int getScale(int index) throws SQLException {
        type(index);
        return 0;
    }

    @Override
    public int getParameterType(int index) throws SQLException {
        return type(index).sqlType();
    }

    @Override
    public String getParameterTypeName(int index) throws SQLException {
        return type(index).name();
    }

    @Override
    public String getParameterClassName(int index) throws SQLException {
        return type(index).javaClass().getName();
    }

    @Override
    public int getParameterMode(int index) throws SQLException {
        type(index);
        return parameterModeIn;
    }
}
