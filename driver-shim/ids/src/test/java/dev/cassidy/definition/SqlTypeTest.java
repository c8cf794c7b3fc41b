package dev.cassidy.definition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTypeTest {

    /** What SQL Server's catalogue shows of a column that was declared so. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    NVARCHAR(50)            | nvarchar(50)    | 50  | 0  | 0
                    nvarchar ( MAX )        | nvarchar(max)   | -1  | 0  | 0
                    varchar                 | varchar(1)      | 1   | 0  | 0
                    character varying (30)  | varchar(30)     | 30  | 0  | 0
                    binary varying(8)       | varbinary(8)    | 8   | 0  | 0
                    sysname                 | nvarchar(128)   | 128 | 0  | 0
                    decimal                 | decimal(18,0)   | 0   | 18 | 0
                    dec(9)                  | decimal(9,0)    | 0   | 9  | 0
                    numeric(10 , 2)         | numeric(10,2)   | 0   | 10 | 2
                    money                   | money           | 0   | 19 | 4
                    smallmoney              | smallmoney      | 0   | 10 | 4
                    float                   | float           | 0   | 53 | 0
                    float(24)               | real            | 0   | 24 | 0
                    float(25)               | float           | 0   | 53 | 0
                    double precision        | float           | 0   | 53 | 0
                    integer                 | int             | 0   | 10 | 0
                    tinyint                 | tinyint         | 0   | 3  | 0
                    datetime2               | datetime2(7)    | 0   | 0  | 7
                    time(0)                 | time(0)         | 0   | 0  | 0
                    datetime                | datetime        | 0   | 0  | 3
                    text                    | text            | -1  | 0  | 0
                    uniqueidentifier        | uniqueidentifier| 0   | 0  | 0
                    """)
    void shouldSayWhatTheCatalogueSays(String declared, String shown, int length, int precision, int scale) {
        SqlType type = SqlType.parse(declared).orElseThrow();

        assertThat(type).hasToString(shown);
        assertThat(type.length()).isEqualTo(length);
        assertThat(type.precision()).isEqualTo(precision);
        assertThat(type.scale()).isEqualTo(scale);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "list<int>", "map", "varchar(x)", "geography", "int int", "decimal(10,2,3)"})
    void shouldReadNoOtherType(String text) {
        assertThat(SqlType.parse(text)).isEmpty();
    }

    @Test
    void shouldReadWhatItWrites() {
        for (SqlType.Name name : SqlType.Name.values()) {
            SqlType type = SqlType.parse(name.name()).orElseThrow();
            assertThat(SqlType.parse(type.toString())).contains(type);
        }
    }
}
