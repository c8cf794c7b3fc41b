package dev.cassidy.jdbc.assist;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a statement gives.
 *
 * <p>A value's class follows from the type of its column: BIT Boolean; TINYINT and SMALLINT Short; INT Integer; BIGINT Long; DECIMAL,
 * NUMERIC, MONEY and SMALLMONEY BigDecimal with the scale of the type; REAL Float; FLOAT Double; strings String; BINARY, VARBINARY
 * and IMAGE {@code byte[]}; DATE LocalDate; TIME LocalTime; DATETIME, DATETIME2 and SMALLDATETIME LocalDateTime, or Instant of the
 * later one of two moments at which the clocks show the same; DATETIMEOFFSET OffsetDateTime; UNIQUEIDENTIFIER UUID.
 *
 * @param columns in the order of the SELECT list
 * @param rows in the order that ORDER BY says, if it does
 */
public record Evaluated(List<ResultColumn> columns, List<@Nullable Object[]> rows) {

    public Evaluated {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }
}
