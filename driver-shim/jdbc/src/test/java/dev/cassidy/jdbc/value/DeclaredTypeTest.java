package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.SqlType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclaredTypeTest {

    /** As SQL Server's catalogue: the length of a type is that of sys.columns, in bytes. */
    @ParameterizedTest
    @CsvSource({
        "bit,              bit,              1,          ,  ,           1",
        "int,              int,              10,         0, ,           4",
        "'decimal(10,2)',  decimal,          10,         2, ,           9",
        "'numeric(38,10)', numeric,          38,         10,,           17",
        "money,            money,            19,         4, ,           8",
        "float(53),        float,            15,         ,  ,           8",
        "char(3),          char,             3,          ,  3,          3",
        "nchar(3),         nchar,            3,          ,  6,          6",
        "nvarchar(50),     nvarchar,         50,         ,  100,        100",
        "nvarchar(max),    nvarchar,         1073741823, ,  2147483646, -1",
        "varchar(max),     varchar,          2147483647, ,  2147483647, -1",
        "varbinary(max),   varbinary,        2147483647, ,  2147483647, -1",
        "date,             date,             10,         ,  ,           3",
        "time,             time,             16,         7, ,           5",
        "time(0),          time,             8,          0, ,           3",
        "smalldatetime,    smalldatetime,    16,         0, ,           4",
        "datetime,         datetime,         23,         3, ,           8",
        "datetime2,        datetime2,        27,         7, ,           8",
        "datetime2(0),     datetime2,        19,         0, ,           6",
        "datetimeoffset,   datetimeoffset,   34,         7, ,           10",
        "uniqueidentifier, uniqueidentifier, 36,         ,  ,           16",
    })
    void shouldShowSizes(
            String tsql, String name, int size, @Nullable Integer digits, @Nullable Integer octets, int bytes) {
        DeclaredType type = new DeclaredType(SqlType.parse(tsql).orElseThrow());

        assertThat(type.name()).isEqualTo(name);
        assertThat(type.size()).isEqualTo(size);
        assertThat(type.digits()).isEqualTo(digits);
        assertThat(type.octets()).isEqualTo(octets);
        assertThat(type.bytes()).isEqualTo(bytes);
    }

    @Test
    void shouldFindTheTypeOfAColumnThatTsqlHasNotDeclared() {
        assertThat(DeclaredType.of(DataTypes.TEXT).map(DeclaredType::name)).contains("nvarchar");
        assertThat(DeclaredType.of(DataTypes.UUID).map(DeclaredType::name)).contains("uniqueidentifier");
        // It has no precision.
        assertThat(DeclaredType.of(DataTypes.DECIMAL)).isEmpty();
        assertThat(DeclaredType.of(DataTypes.listOf(DataTypes.INT))).isEmpty();
    }
}
