package dev.cassidy.jdbc;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.DeclaredTable;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.JdbcType;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a prepared statement's parameters are: those that the application wrote, never the one that takes the identity. */
final class ParametersMetaData implements ParameterMetaData, WrapsNothing {

    private final List<Column> parameters;
    private final SharedSession session;
    private final Map<CqlInsert.Table, Optional<DeclaredTable>> declared = new HashMap<>();

    /** @param session knows what is declared of the columns to which parameters are bound */
    ParametersMetaData(List<Column> parameters, SharedSession session) {
        this.parameters = parameters;
        this.session = session;
    }

    private Column column(int index) throws SQLException {
        if (index < 1 || index > parameters.size()) {
            throw new SQLException(
                    "must be from 1 to " + parameters.size() + ": parameter index=" + index,
                    SqlStates.WRONG_PARAMETERS);
        }
        return parameters.get(index - 1);
    }

    private JdbcType type(int index) throws SQLException {
        return column(index).jdbcType();
    }

    /** Of a parameter that a column takes as it is. */
    private Optional<DeclaredType> declaredType(int index) throws SQLException {
        Column column = column(index);
        if (column.table().isEmpty()) {
            return Optional.empty();
        }
        CqlInsert.Table table = new CqlInsert.Table(column.keyspace(), column.table());
        Optional<DeclaredTable> known = declared.get(table);
        if (known == null) {
            known = session.tables().declaredTable(table);
            declared.put(table, known);
        }
        return known.flatMap(found -> found.column(column.label()))
                .map(ColumnDefinition::type)
                .map(DeclaredType::new);
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
    public int getParameterType(int index) throws SQLException {
        return type(index).read(declaredType(index).orElse(null)).sqlType();
    }

    @Override
    public String getParameterTypeName(int index) throws SQLException {
        Optional<DeclaredType> type = declaredType(index);
        return type.isPresent() ? type.get().name() : type(index).name();
    }

    @Override
    public String getParameterClassName(int index) throws SQLException {
        return type(index).read(declaredType(index).orElse(null)).javaClass().getName();
    }

    @Override
    public int getParameterMode(int index) throws SQLException {
        type(index);
        return parameterModeIn;
    }
}
