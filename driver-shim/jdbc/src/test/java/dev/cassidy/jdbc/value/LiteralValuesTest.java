package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import dev.cassidy.insert.CqlLiteral;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiteralValuesTest {

    private static final DataType USER = new UserDefinedTypeBuilder(
                    CqlIdentifier.fromInternal("ks"), CqlIdentifier.fromInternal("person"))
            .withField(CqlIdentifier.fromInternal("name"), DataTypes.TEXT)
            .withField(CqlIdentifier.fromInternal("born"), DataTypes.DATE)
            .build();

    private static final Map<String, DataType> TYPES = Map.ofEntries(
            Map.entry("tinyint", DataTypes.TINYINT),
            Map.entry("int", DataTypes.INT),
            Map.entry("bigint", DataTypes.BIGINT),
            Map.entry("counter", DataTypes.COUNTER),
            Map.entry("varint", DataTypes.VARINT),
            Map.entry("decimal", DataTypes.DECIMAL),
            Map.entry("double", DataTypes.DOUBLE),
            Map.entry("float", DataTypes.FLOAT),
            Map.entry("boolean", DataTypes.BOOLEAN),
            Map.entry("text", DataTypes.TEXT),
            Map.entry("ascii", DataTypes.ASCII),
            Map.entry("blob", DataTypes.BLOB),
            Map.entry("uuid", DataTypes.UUID),
            Map.entry("timestamp", DataTypes.TIMESTAMP),
            Map.entry("date", DataTypes.DATE),
            Map.entry("time", DataTypes.TIME),
            Map.entry("inet", DataTypes.INET),
            Map.entry("duration", DataTypes.DURATION),
            Map.entry("list", DataTypes.listOf(DataTypes.DATE)),
            Map.entry("set", DataTypes.setOf(DataTypes.INT)),
            Map.entry("map", DataTypes.mapOf(DataTypes.TEXT, DataTypes.listOf(DataTypes.BOOLEAN))),
            Map.entry("tuple", DataTypes.tupleOf(DataTypes.INT, DataTypes.TIMESTAMP)),
            Map.entry("user", USER));

    private final List<String> warnings = new ArrayList<>();

    /** Returns the value as the driver writes it in CQL. */
    private String stored(String literal, String type) throws ConversionException {
        CqlLiteral read = Objects.requireNonNull(CqlLiteral.read(literal), literal);
        Object value = new ToCql(
                        ZoneId.of("Asia/Kolkata"), DateOrder.NONE, warning -> warnings.add(warning.getSQLState()))
                .convert(read, TYPES.get(type));
        TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(TYPES.get(type));
        return value instanceof java.time.Instant ? value.toString() : codec.format(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int | 5 | 5",
                "int | -5 | -5",
                "int | '5' | 5",
                "int | ' 5 ' | 5",
                "int | 5.0 | 5",
                "bigint | 9223372036854775807 | 9223372036854775807",
                "counter | 5 | 5",
                "varint | 123456789012345678901234567890 | 123456789012345678901234567890",
                "decimal | 12.50 | 12.50",
                "decimal | '12.50' | 12.50",
                "decimal | 1e3 | 1E+3",
                "double | 1e3 | 1000.0",
                "double | '.5' | 0.5",
                "float | 3.4e38 | 3.4E38",
                "boolean | 1 | true",
                "boolean | 0 | false",
                "boolean | '1' | true",
                "boolean | 'False' | false",
                "boolean | true | true",
                "text | 'it''s' | 'it''s'",
                "text | $$it's$$ | 'it''s'",
                "text | '20240131' | '20240131'",
                "ascii | '' | ''",
                "blob | 0xCAFE | 0xcafe",
                "blob | 0xABC | 0x0abc",
                "blob | 0x | 0x",
                "uuid | 123e4567-e89b-12d3-a456-426614174000 | 123e4567-e89b-12d3-a456-426614174000",
                "uuid | '123E4567-E89B-12D3-A456-426614174000' | 123e4567-e89b-12d3-a456-426614174000",
                "uuid | '{123E4567-E89B-12D3-A456-426614174000}' | 123e4567-e89b-12d3-a456-426614174000",
                "timestamp | '2024-1-31 5:30' | 2024-01-31T00:00:00Z",
                "timestamp | 0 | 1899-12-31T18:38:50Z",
                "timestamp | 1 | 1900-01-01T18:38:50Z",
                "timestamp | -1 | 1899-12-30T18:38:50Z",
                "timestamp | 45000.0 | 2023-03-16T18:30:00Z",
                "date | '20240131' | '2024-01-31'",
                "time | '9:05' | '09:05:00.000000000'",
                "inet | '127.0.0.1' | '127.0.0.1'",
                "duration | 1h30m | 1h30m",
                "duration | -1mo | -1mo",
                "duration | '1h' | 1h",
                "list | ['2024-1-5', '20240131'] | ['2024-01-05','2024-01-31']",
                "list | [] | []",
                "set | {1, '2', 1} | {1,2}",
                "set | {} | {}",
                "map | {'a': [1, 'false', true], 'b': []} | {'a':[true,false,true],'b':[]}",
                "map | {'a': [1], 'a': [0]} | {'a':[false]}",
                "map | {} | {}",
                "tuple | (1, NULL) | (1,NULL)",
                "tuple | (1) | (1,NULL)",
                "user | {born: '2024-1-5', name: 'x'} | {name:'x',born:'2024-01-05'}",
                "user | {name: 'x'} | {name:'x',born:NULL}",
                "user | {} | {name:NULL,born:NULL}",
            })
    void shouldBeTheValueThatTheLiteralHas(String type, String literal, String stored) throws Exception {
        assertThat(stored(literal, type)).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int | 2147483648 | 22003 | 8115",
                "int | 1.5 | 22003 | 0",
                "int | 'x' | 22018 | 0",
                "int | true | 22018 | 0",
                "int | 0x01 | 22018 | 0",
                "tinyint | 128 | 22003 | 220",
                "decimal | 1e999999999 | 22003 | 0",
                "decimal | 1e99999999999 | 22003 | 0",
                "double | 1e309 | 22003 | 0",
                "double | 9007199254740993 | 22003 | 0",
                "float | 3.5e38 | 22003 | 0",
                "float | -3.5e38 | 22003 | 0",
                "boolean | 2 | 22003 | 0",
                "boolean | 'x' | 22018 | 0",
                "text | 5 | 22018 | 0",
                "text | true | 22018 | 0",
                "text | {'a'} | 22018 | 0",
                "text | '\uD800' | 22000 | 0",
                "ascii | 'ü' | 22018 | 0",
                "blob | 'x' | 07006 | 0",
                "blob | 5 | 22018 | 0",
                "uuid | 'x' | 22018 | 0",
                "uuid | 1 | 22018 | 0",
                "timestamp | 1706659200000 | 22003 | 8115",
                "timestamp | 2958464 | 22003 | 8115",
                "timestamp | -53691 | 22003 | 8115",
                "timestamp | 1.5 | 22007 | 0",
                "timestamp | '2024-02-30' | 22007 | 242",
                "timestamp | '' | 22007 | 241",
                "date | 20240131 | 22007 | 206",
                "time | 0 | 22007 | 206",
                "inet | 'localhost' | 22018 | 0",
                "duration | 5 | 22018 | 0",
                "list | {'2024-01-31'} | 22018 | 0",
                "list | ['2024-02-30'] | 22007 | 242",
                "list | [20240131] | 22007 | 206",
                "set | [1] | 22018 | 0",
                "set | {1: 2} | 22018 | 0",
                "map | {'a': [2]} | 22003 | 0",
                "tuple | (1, '24:00') | 22007 | 242",
                "tuple | (1, NULL, 3) | 22000 | 0",
                "user | {nobody: 'x'} | 22000 | 0",
                "user | {born: '31/1/2024'} | 22007 | 241",
            })
    void shouldRefuseWhatIsNoValueOfTheType(String type, String literal, String state, int number) {
        String text = literal.replace("\\uD800", String.valueOf((char) 0xD800));
        assertThatThrownBy(() -> stored(text, type)).isInstanceOfSatisfying(ConversionException.class, e -> {
            assertThat(e.in("x").getSQLState()).as(e.getMessage()).isEqualTo(state);
            assertThat(e.in("x").getErrorCode()).as(e.getMessage()).isEqualTo(number);
        });
    }

    @Test
    void shouldWarnOfDigitsThatATimestampDoesNotHold() throws ConversionException {
        assertThat(stored("'2024-01-31T00:00:00.1234567Z'", "timestamp")).isEqualTo("2024-01-31T00:00:00.123Z");
        assertThat(warnings).containsExactly("01S07");
    }
}
