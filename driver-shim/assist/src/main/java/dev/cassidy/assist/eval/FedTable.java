package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.TableModel;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows that were read for one place of a statement where a table is named.
 *
 * <p>Values are of the classes that the driver gives: Boolean; Byte, Short, Integer, Long; BigDecimal, Float, Double; String;
 * ByteBuffer or {@code byte[]}; LocalDate; LocalTime; Instant, of which the statement sees what the clocks of the engine's zone show, or
 * LocalDateTime, of DATETIME, DATETIME2 and SMALLDATETIME; OffsetDateTime or Instant of DATETIMEOFFSET; UUID. Null is NULL.
 *
 * @param model the table
 * @param columns the names of the columns that were read, in the order of the values; a statement that uses another one fails
 * @param rows a value for each of these columns
 */
public record FedTable(TableModel model, List<String> columns, List<@Nullable Object[]> rows) {

    public FedTable {
        Objects.requireNonNull(model, "model");
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (String each : columns) {
            if (model.column(each).isEmpty()) {
                throw new IllegalArgumentException(
                        "must be columns of the table: table=" + model.qualified() + " column=" + each);
            }
        }
        for (@Nullable Object[] each : rows) {
            if (each.length != columns.size()) {
                throw new IllegalArgumentException(
                        "must have a value for each column: columns=" + columns.size() + " values=" + each.length);
            }
        }
    }
}
