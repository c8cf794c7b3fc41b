package dev.cassidy.insert;

import java.util.List;

/** One step of a {@link TsqlScript}. */
public sealed interface TsqlStep {

    /**
     * A CQL statement to send as it is; an insert among them only as INSERT JSON or within BEGIN BATCH.
     *
     * @param text the statement, without the {@code ;} that ended it
     * @param keyword its first word in upper case: SELECT, UPDATE, BEGIN, CREATE ...; empty if it starts with none
     * @param parameters for each {@code ?} of the text, in order, the index of the script's {@code ?}, from 0
     */
    record Cql(String text, String keyword, List<Integer> parameters) implements TsqlStep {
        public Cql {
            parameters = List.copyOf(parameters);
        }
    }

    /**
     * One SQL INSERT of one or more rows.
     *
     * @param rows one CQL insert for each row of VALUES, in order; rows of the same shape have equal texts
     * @param output the columns of {@code OUTPUT INSERTED.x}; empty without OUTPUT
     */
    record Insert(List<Row> rows, List<Output> output) implements TsqlStep {
        public Insert {
            rows = List.copyOf(rows);
            output = List.copyOf(output);
        }
    }

    /**
     * One row of an INSERT.
     *
     * @param insert the CQL insert of this row alone
     * @param parameters for each {@code ?} of the insert, in order, the index of the script's {@code ?}, from 0
     */
    record Row(CqlInsert insert, List<Integer> parameters) {
        public Row {
            parameters = List.copyOf(parameters);
        }
    }

    /**
     * A column of OUTPUT.
     *
     * @param column the column's internal name
     * @param label as the result set shows it
     */
    record Output(String column, String label) {}

    /**
     * {@code SELECT SCOPE_IDENTITY()} or {@code SELECT @@IDENTITY}.
     *
     * @param label the alias, empty if there is none
     * @param type what it is cast to; NUMERIC, SQL Server's numeric(38,0), if it is not cast
     */
    record SelectIdentity(String label, NumericType type) implements TsqlStep {}

    /** The numeric types that an identity can be cast to. */
    enum NumericType {
        NUMERIC,
        BIGINT,
        INT,
        SMALLINT
    }

    /** {@code SET NOCOUNT ON} or {@code OFF}. */
    record SetNoCount(boolean on) implements TsqlStep {}

    /**
     * {@code USE db}.
     *
     * @param keyspace the keyspace's internal name
     */
    record Use(String keyspace) implements TsqlStep {}

    /**
     * A session setting of SQL Server that has no bearing here, such as {@code SET ANSI_NULLS ON}.
     *
     * @param text the statement, for a warning
     */
    record Ignored(String text) implements TsqlStep {}
}
