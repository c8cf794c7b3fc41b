package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.FunctionSignature;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import dev.cassidy.jdbc.value.JdbcType;
import dev.cassidy.jdbc.value.LikePattern;
import dev.cassidy.jdbc.value.MetaRows;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.Struct;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What metadata says of the user-defined types, functions and aggregates of some keyspaces. */
final class TypesAndFunctions {

    /** A function or an aggregate; two may share a name. */
    private record Function(String keyspace, FunctionSignature signature, List<String> parameters, DataType result) {
        String name() {
            return signature.getName().asInternal();
        }

        /** Distinguishes those of one name. */
        String specificName() {
            return signature.toString();
        }
    }

    private final List<KeyspaceMetadata> keyspaces;

    TypesAndFunctions(List<KeyspaceMetadata> keyspaces) {
        this.keyspaces = keyspaces;
    }

    private List<UserDefinedType> types(@Nullable String pattern) {
        List<UserDefinedType> all = new ArrayList<>();
        keyspaces.forEach(keyspace -> all.addAll(keyspace.getUserDefinedTypes().values()));
        all.sort(Comparator.comparing(
                        (UserDefinedType type) -> type.getKeyspace().asInternal())
                .thenComparing(type -> type.getName().asInternal()));
        return LikePattern.matching(all, pattern, type -> type.getName().asInternal());
    }

    ResultSet types(@Nullable String pattern, int @Nullable [] wanted) {
        MetaRows rows = new MetaRows(
                "TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME", "CLASS_NAME", "DATA_TYPE int", "REMARKS", "BASE_TYPE smallint");
        if (wanted == null || IntStream.of(wanted).anyMatch(type -> type == Types.STRUCT)) {
            for (UserDefinedType type : types(pattern)) {
                rows.add(
                        null,
                        type.getKeyspace().asInternal(),
                        type.getName().asInternal(),
                        Struct.class.getName(),
                        Types.STRUCT,
                        "",
                        null);
            }
        }
        return CassidyResultSet.of(rows);
    }

    ResultSet attributes(@Nullable String typePattern, @Nullable String attributePattern) {
        MetaRows rows = new MetaRows(
                "TYPE_CAT",
                "TYPE_SCHEM",
                "TYPE_NAME",
                "ATTR_NAME",
                "DATA_TYPE int",
                "ATTR_TYPE_NAME",
                "ATTR_SIZE int",
                "DECIMAL_DIGITS int",
                "NUM_PREC_RADIX int",
                "NULLABLE int",
                "REMARKS",
                "ATTR_DEF",
                "SQL_DATA_TYPE int",
                "SQL_DATETIME_SUB int",
                "CHAR_OCTET_LENGTH int",
                "ORDINAL_POSITION int",
                "IS_NULLABLE",
                "SCOPE_CATALOG",
                "SCOPE_SCHEMA",
                "SCOPE_TABLE",
                "SOURCE_DATA_TYPE smallint");
        for (UserDefinedType type : types(typePattern)) {
            List<CqlIdentifier> fields = type.getFieldNames();
            for (CqlIdentifier field : LikePattern.matching(fields, attributePattern, CqlIdentifier::asInternal)) {
                JdbcType fieldType = JdbcType.of(type.getFieldTypes().get(fields.indexOf(field)));
                rows.add(
                        null,
                        type.getKeyspace().asInternal(),
                        type.getName().asInternal(),
                        field.asInternal(),
                        fieldType.sqlType(),
                        fieldType.name(),
                        fieldType.columnSize(),
                        fieldType.decimalDigits(),
                        fieldType.isNumber() ? 10 : null,
                        (int) DatabaseMetaData.attributeNullable,
                        "",
                        null,
                        null,
                        null,
                        fieldType.isText() ? fieldType.columnSize() : null,
                        fields.indexOf(field) + 1,
                        "YES",
                        null,
                        null,
                        null,
                        null);
            }
        }
        return CassidyResultSet.of(rows);
    }

    private List<Function> functions(@Nullable String pattern) {
        List<Function> all = new ArrayList<>();
        for (KeyspaceMetadata keyspace : keyspaces) {
            String name = keyspace.getName().asInternal();
            keyspace.getFunctions()
                    .forEach((signature, function) -> all.add(new Function(
                            name,
                            signature,
                            function.getParameterNames().stream()
                                    .map(CqlIdentifier::asInternal)
                                    .toList(),
                            function.getReturnType())));
            keyspace.getAggregates()
                    .forEach((signature, aggregate) -> all.add(new Function(
                            name,
                            signature,
                            signature.getParameterTypes().stream()
                                    .map(ignored -> "")
                                    .toList(),
                            aggregate.getReturnType())));
        }
        all.sort(Comparator.comparing(Function::keyspace)
                .thenComparing(Function::name)
                .thenComparing(Function::specificName));
        return LikePattern.matching(all, pattern, Function::name);
    }

    ResultSet functionRows(@Nullable String pattern) {
        MetaRows rows = new MetaRows(
                "FUNCTION_CAT",
                "FUNCTION_SCHEM",
                "FUNCTION_NAME",
                "REMARKS",
                "FUNCTION_TYPE smallint",
                "SPECIFIC_NAME");
        functions(pattern)
                .forEach(function -> rows.add(
                        null,
                        function.keyspace(),
                        function.name(),
                        "",
                        (short) DatabaseMetaData.functionNoTable,
                        function.specificName()));
        return CassidyResultSet.of(rows);
    }

    ResultSet functionColumns(@Nullable String pattern, @Nullable String columnPattern) {
        MetaRows rows = new MetaRows(
                "FUNCTION_CAT",
                "FUNCTION_SCHEM",
                "FUNCTION_NAME",
                "COLUMN_NAME",
                "COLUMN_TYPE smallint",
                "DATA_TYPE int",
                "TYPE_NAME",
                "PRECISION int",
                "LENGTH int",
                "SCALE smallint",
                "RADIX smallint",
                "NULLABLE smallint",
                "REMARKS",
                "CHAR_OCTET_LENGTH int",
                "ORDINAL_POSITION int",
                "IS_NULLABLE",
                "SPECIFIC_NAME");
        for (Function function : functions(pattern)) {
            List<String> names = new ArrayList<>(List.of(""));
            names.addAll(function.parameters());
            List<DataType> types = new ArrayList<>(List.of(function.result()));
            types.addAll(function.signature().getParameterTypes());
            for (int i = 0; i < names.size(); i++) {
                if (LikePattern.matching(List.of(names.get(i)), columnPattern, name -> name)
                        .isEmpty()) {
                    continue;
                }
                JdbcType type = JdbcType.of(types.get(i));
                rows.add(
                        null,
                        function.keyspace(),
                        function.name(),
                        names.get(i),
                        (short) (i == 0 ? DatabaseMetaData.functionReturn : DatabaseMetaData.functionColumnIn),
                        type.sqlType(),
                        type.name(),
                        type.columnSize(),
                        null,
                        null,
                        type.isNumber() ? (short) 10 : null,
                        (short) DatabaseMetaData.functionNullable,
                        "",
                        null,
                        i,
                        "YES",
                        function.specificName());
            }
        }
        return CassidyResultSet.of(rows);
    }
}
