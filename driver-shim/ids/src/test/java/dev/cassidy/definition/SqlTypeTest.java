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
                    nchar varying(9)        | nvarchar(9)     | 9   | 0  | 0
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    nvarchar(50)  | nvarchar(20)   | true
                    nvarchar(20)  | nvarchar(50)   | false
                    nvarchar(max) | varchar(8000)  | true
                    nvarchar(50)  | nvarchar(max)  | false
                    varchar(5)    | char(5)        | true
                    char(9)       | char(5)        | false
                    char(5)       | varchar(5)     | false
                    text          | varchar(9)     | true
                    varbinary(9)  | binary(9)      | true
                    decimal(12,2) | decimal(10,2)  | true
                    decimal(10,3) | decimal(10,2)  | false
                    decimal(11,3) | decimal(10,2)  | true
                    money         | smallmoney     | true
                    decimal(19,4) | money          | true
                    money         | decimal(18,4)  | true
                    money         | decimal(17,2)  | false
                    smallmoney    | decimal(8,2)   | false
                    smallmoney    | decimal(7,2)   | true
                    smallint      | tinyint        | true
                    int           | smallint       | false
                    bigint        | int            | false
                    datetime2(7)  | datetime       | true
                    datetime2(0)  | datetime       | false
                    datetime2(7)  | date           | false
                    float         | real           | false
                    int           | int            | true
                    nvarchar(9)   | int            | false
                    """)
    void shouldKnowWhichValuesStayAsTheyAre(String type, String before, boolean holds) {
        assertThat(SqlType.parse(type).orElseThrow().holds(SqlType.parse(before).orElseThrow()))
                .isEqualTo(holds);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    decimal(39,2)       | 2750
                    numeric(38,39)      | 183
                    decimal(5 , 9)      | 183
                    decimal(0)          | 1001
                    decimal(38,38)      | 0
                    varchar(8001)       | 131
                    char varying(8001)  | 131
                    varchar(8000)       | 0
                    varchar(max)        | 0
                    varchar(99999999999)| 131
                    nvarchar(4001)      | 2717
                    nchar varying(4001) | 2717
                    nchar(4000)         | 0
                    char(0)             | 1001
                    CHAR(MAX)           | 102
                    varbinary(8001)     | 131
                    datetime2(8)        | 1002
                    time(7)             | 0
                    datetimeoffset(10)  | 1002
                    float(54)           | 2750
                    float(0)            | 1001
                    float(53)           | 0
                    int(5)              | 2716
                    datetime(3)         | 2716
                    int                 | 0
                    map(5)              | 0
                    """)
    void shouldKnowTheSizesThatSqlServerRefuses(String type, int number) {
        assertThat(SqlType.wrongSize(type).map(SqlType.WrongSize::number).orElse(0))
                .isEqualTo(number);
    }
}
