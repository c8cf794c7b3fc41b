package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.value.BlobValue;
import dev.cassidy.jdbc.value.ClobValue;
import dev.cassidy.sequence.IdentityType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every type of T-SQL in every Java type of JDBC, both ways, against SQL Server's own driver. Which conversions that driver has
 * and what they give is written down here, from its documentation and its source ("Understanding data type conversions", and the
 * tables of its getters and setters); what is not written down is refused. docs/differences.md lists where Cassidy differs, and
 * this test fails on a difference that is not listed there, and on a listed one that is none any more.
 */
class ConversionMatrixIT {

    private static final Path DIFFERENCES = Path.of("..", "..", "docs", "differences.md");

    private static final String REFUSED = "refused";

    /** The types, each as a column; a word in capitals stands for several. */
    private static final Map<String, String> TYPES = new LinkedHashMap<>();

    private static final Map<String, String> GROUPS = Map.of(
            "whole numbers", "tinyint, smallint, int, bigint",
            "numbers", "bit, tinyint, smallint, int, bigint, real, float, decimal, numeric, money, smallmoney",
            "strings", "char, varchar, varchar_max, nchar, nvarchar, nvarchar_max, text, ntext",
            "binaries", "binary, varbinary, varbinary_max, image",
            "moments", "datetime, smalldatetime, datetime2, datetimeoffset",
            "all", "numbers, strings, xml, binaries, date, time, moments, uniqueidentifier");

    static {
        for (String type : expand("all")) {
            TYPES.put(
                    type,
                    switch (type) {
                        case "decimal", "numeric" -> type + "(9,2)";
                        case "char", "nchar" -> type + "(36)";
                        case "varchar", "nvarchar", "varbinary" -> type + "(50)";
                        case "varchar_max", "nvarchar_max", "varbinary_max" -> type.replace("_max", "(max)");
                        case "binary" -> "binary(4)";
                        default -> type;
                    });
        }
    }

    /** What getters return: {@code type literal: getters and classes = value | ...}. */
    private static final String READ = """
            bit 1: Boolean = true | Byte Short Int Long BigDecimal String = 1 | Float Double = 1.0 | Bytes = 01 | Object = Boolean true
            tinyint 200: Boolean = true | Byte = -56 | Short Int Long BigDecimal String = 200 | Float Double = 200.0 | Bytes = C8 | Object = Short 200
            smallint 300: Boolean = true | Byte = 44 | Short Int Long BigDecimal String = 300 | Float Double = 300.0 | Bytes = 012C | Object = Short 300
            int 70000: Boolean = true | Byte = 112 | Short = 4464 | Int Long BigDecimal String = 70000 | Float Double = 70000.0 | Bytes = 00011170 | Object = Integer 70000
            bigint 5000000000: Boolean = true | Byte = 0 | Short = -3584 | Int = 705032704 | Long BigDecimal String = 5000000000 | Float Double = 5.0E9 | Bytes = 000000012A05F200 | Object = Long 5000000000
            real 0.1: Boolean = true | Byte Short Int Long = 0 | Float = 0.1 | Double = 0.10000000149011612 | BigDecimal String = 0.1 | Bytes = 3DCCCCCD | Object = Float 0.1
            float 7.5: Boolean = true | Byte Short Int Long = 7 | Float Double BigDecimal String = 7.5 | Bytes = 401E000000000000 | Object = Double 7.5
            decimal 7.50: Boolean = true | Byte Short Int Long = 7 | Float Double = 7.5 | BigDecimal String = 7.50 | Bytes = 020301EE02 | Object = BigDecimal 7.50
            numeric 7.50: Boolean = true | Byte Short Int Long = 7 | Float Double = 7.5 | BigDecimal String = 7.50 | Bytes = 020301EE02 | Object = BigDecimal 7.50
            money 7.50: Boolean = true | Byte Short Int Long = 7 | Float Double = 7.5 | BigDecimal String = 7.5000 | Bytes = 00000000000124F8 | Object = BigDecimal 7.5000
            smallmoney 7.50: Boolean = true | Byte Short Int Long = 7 | Float Double = 7.5 | BigDecimal String = 7.5000 | Bytes = 000124F8 | Object = BigDecimal 7.5000
            char '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String AsciiStream CharacterStream = 12..34 | Bytes = * | Object = String 12..34
            varchar '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String AsciiStream CharacterStream = 12 | Bytes = 3132 | Object = String 12
            varchar '1': Boolean = true | Byte Short Int Long BigDecimal = 1 | Float Double = 1.0 | String AsciiStream CharacterStream = 1 | Bytes = 31 | Object = String 1
            varchar '2024-01-31 12:34:56.123': Boolean = false | String AsciiStream CharacterStream = 2024-01-31 12:34:56.123 | Bytes = * | Object = String 2024-01-31 12:34:56.123 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34:56.123 | Timestamp = 2024-01-31 12:34:56.123 | LocalDateTime = 2024-01-31T12:34:56.123
            varchar_max '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String AsciiStream CharacterStream Clob = 12 | Bytes = 3132 | Object = String 12
            text '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String AsciiStream CharacterStream Clob = 12 | Bytes = 3132 | Object = String 12
            nchar '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String NString AsciiStream CharacterStream NCharacterStream = 12..34 | Bytes = * | Object = String 12..34
            nvarchar '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String NString AsciiStream CharacterStream NCharacterStream = 12 | Bytes = 31003200 | Object = String 12
            nvarchar '2024-01-31 12:34:56.123': Boolean = false | String NString AsciiStream CharacterStream NCharacterStream = 2024-01-31 12:34:56.123 | Bytes = * | Object = String 2024-01-31 12:34:56.123 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34:56.123 | Timestamp = 2024-01-31 12:34:56.123 | LocalDateTime = 2024-01-31T12:34:56.123
            nvarchar_max '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String NString AsciiStream CharacterStream NCharacterStream Clob NClob = 12 | Bytes = 31003200 | Object = String 12
            ntext '12': Boolean = false | Byte Short Int Long BigDecimal = 12 | Float Double = 12.0 | String NString AsciiStream CharacterStream NCharacterStream Clob NClob = 12 | Bytes = 31003200 | Object = String 12
            xml '<a>1</a>': String NString CharacterStream NCharacterStream Clob NClob SQLXML = <a>1</a> | Bytes BinaryStream Blob = FFFE3C0061003E0031003C002F0061003E00 | Object = String <a>1</a>
            binary 0x41424344: String CharacterStream = 41424344 | Bytes BinaryStream = 41424344 | AsciiStream = ABCD | Object = byte[] 41424344
            varbinary 0x4142: String CharacterStream = 4142 | Bytes BinaryStream = 4142 | AsciiStream = AB | Object = byte[] 4142
            varbinary_max 0x4142: String CharacterStream = 4142 | Bytes BinaryStream Blob = 4142 | AsciiStream = AB | Object = byte[] 4142
            image 0x4142: String CharacterStream = 4142 | Bytes BinaryStream Blob = 4142 | AsciiStream = AB | Object = byte[] 4142
            date '2024-01-31': String = 2024-01-31 | Date LocalDate = 2024-01-31 | LocalTime = 00:00 | Timestamp = 2024-01-31 00:00:00.0 | LocalDateTime = 2024-01-31T00:00 | Object = Date 2024-01-31
            time '12:34:56.789': String = 12:34:56.7890000 | Time LocalTime = 12:34:56.789 | LocalDate = 1900-01-01 | Timestamp = 1900-01-01 12:34:56.789 | LocalDateTime = 1900-01-01T12:34:56.789 | Object = Time 12:34:56.789
            datetime '2024-01-31 12:34:56.123': String = 2024-01-31 12:34:56.123 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34:56.123 | Timestamp = 2024-01-31 12:34:56.123 | LocalDateTime = 2024-01-31T12:34:56.123 | Bytes = 0000B10800CF5965 | Object = Timestamp 2024-01-31 12:34:56.123
            smalldatetime '2024-01-31 12:34:00': String = 2024-01-31 12:34:00.0 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34 | Timestamp = 2024-01-31 12:34:00.0 | LocalDateTime = 2024-01-31T12:34 | Bytes = B10802F2 | Object = Timestamp 2024-01-31 12:34:00.0
            datetime2 '2024-01-31 12:34:56.789': String = 2024-01-31 12:34:56.7890000 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34:56.789 | Timestamp = 2024-01-31 12:34:56.789 | LocalDateTime = 2024-01-31T12:34:56.789 | Object = Timestamp 2024-01-31 12:34:56.789
            datetimeoffset '2024-01-31 12:34:56.789 +01:00': String = 2024-01-31 12:34:56.7890000 +01:00 | Date LocalDate = 2024-01-31 | Time LocalTime = 12:34:56.789 | Timestamp = 2024-01-31 12:34:56.789 | LocalDateTime = 2024-01-31T12:34:56.789 | OffsetDateTime = 2024-01-31T12:34:56.789+01:00 | OffsetTime = 12:34:56.789+01:00 | Object = DateTimeOffset 2024-01-31 12:34:56.789 +01:00
            uniqueidentifier '6f9619ff-8b86-d011-b42d-00c04fc964ff': String = 6F9619FF-8B86-D011-B42D-00C04FC964FF | Bytes = FF19966F868B11D0B42D00C04FC964FF | UUID = 6f9619ff-8b86-d011-b42d-00c04fc964ff | Object = String 6F9619FF-8B86-D011-B42D-00C04FC964FF
            """;

    /** What columns store, as getString reads it of a column without filling: {@code Java type value: types = value | ...}. */
    private static final String WRITTEN = """
            Boolean true: bit, whole numbers, strings = 1 | decimal, numeric = 1.00 | money, smallmoney = 1.0000 | real, float = 1.0
            Byte 7: bit = 1 | whole numbers, strings = 7 | decimal, numeric = 7.00 | money, smallmoney = 7.0000 | real, float = 7.0
            Short 7: bit = 1 | whole numbers, strings = 7 | decimal, numeric = 7.00 | money, smallmoney = 7.0000 | real, float = 7.0
            Int 7: bit = 1 | whole numbers, strings = 7 | decimal, numeric = 7.00 | money, smallmoney = 7.0000 | real, float = 7.0
            Long 7: bit = 1 | whole numbers, strings = 7 | decimal, numeric = 7.00 | money, smallmoney = 7.0000 | real, float = 7.0
            BigInteger 7: bit = 1 | whole numbers, strings = 7 | decimal, numeric = 7.00 | money, smallmoney = 7.0000 | real, float = 7.0
            Float 1.5: bit, whole numbers = 1 | strings, real, float = 1.5 | decimal, numeric = 1.50 | money, smallmoney = 1.5000
            Double 1.5: bit, whole numbers = 1 | strings, real, float = 1.5 | decimal, numeric = 1.50 | money, smallmoney = 1.5000
            BigDecimal 1.5: bit, whole numbers = 1 | strings, real, float = 1.5 | decimal, numeric = 1.50 | money, smallmoney = 1.5000
            String 12: bit = 1 | whole numbers, strings, xml = 12 | decimal, numeric = 12.00 | money, smallmoney = 12.0000 | real, float = 12.0
            String 2024-01-31 12:34:56.123: strings, xml, datetime = 2024-01-31 12:34:56.123 | date = 2024-01-31 | time = 12:34:56.1230000 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2 = 2024-01-31 12:34:56.1230000 | datetimeoffset = 2024-01-31 12:34:56.1230000 +00:00
            String 6f9619ff-8b86-d011-b42d-00c04fc964ff: strings, xml = 6f9619ff-8b86-d011-b42d-00c04fc964ff | uniqueidentifier = 6F9619FF-8B86-D011-B42D-00C04FC964FF
            Bytes 4142: numbers, strings, xml, datetime, smalldatetime = * | binaries = 4142
            Bytes FF19966F868B11D0B42D00C04FC964FF: numbers, strings, xml, datetime, smalldatetime = * | varbinary, varbinary_max, image = FF19966F868B11D0B42D00C04FC964FF | uniqueidentifier = 6F9619FF-8B86-D011-B42D-00C04FC964FF
            Date 2024-01-31: date, strings = 2024-01-31 | datetime, smalldatetime = 2024-01-31 00:00:00.0 | datetime2 = 2024-01-31 00:00:00.0000000 | datetimeoffset = 2024-01-31 00:00:00.0000000 +00:00
            LocalDate 2024-01-31: date, strings = 2024-01-31 | datetime, smalldatetime = 2024-01-31 00:00:00.0 | datetime2 = 2024-01-31 00:00:00.0000000 | datetimeoffset = 2024-01-31 00:00:00.0000000 +00:00
            Time 12:34:56: time = 12:34:56.0000000 | strings = Jan  1 1970 12:34PM | datetime = 1970-01-01 12:34:56.0 | smalldatetime = 1970-01-01 12:35:00.0 | datetime2 = 1970-01-01 12:34:56.0000000 | datetimeoffset = 1970-01-01 12:34:56.0000000 +00:00
            LocalTime 12:34:56: time = 12:34:56.0000000 | strings = Jan  1 1970 12:34PM | datetime = 1970-01-01 12:34:56.0 | smalldatetime = 1970-01-01 12:35:00.0 | datetime2 = 1970-01-01 12:34:56.0000000 | datetimeoffset = 1970-01-01 12:34:56.0000000 +00:00
            Timestamp 2024-01-31T12:34:56.123: date = 2024-01-31 | time = 12:34:56.1230000 | datetime = 2024-01-31 12:34:56.123 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2, strings = 2024-01-31 12:34:56.1230000 | datetimeoffset = 2024-01-31 12:34:56.1230000 +00:00
            UtilDate 2024-01-31T12:34:56.123: date = 2024-01-31 | time = 12:34:56.1230000 | datetime = 2024-01-31 12:34:56.123 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2, strings = 2024-01-31 12:34:56.1230000 | datetimeoffset = 2024-01-31 12:34:56.1230000 +00:00
            Calendar 2024-01-31T12:34:56.123: date = 2024-01-31 | time = 12:34:56.1230000 | datetime = 2024-01-31 12:34:56.123 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2, strings = 2024-01-31 12:34:56.1230000 | datetimeoffset = 2024-01-31 12:34:56.1230000 +00:00
            LocalDateTime 2024-01-31T12:34:56.123: date = 2024-01-31 | time = 12:34:56.1230000 | datetime = 2024-01-31 12:34:56.123 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2, strings = 2024-01-31 12:34:56.1230000 | datetimeoffset = 2024-01-31 12:34:56.1230000 +00:00
            OffsetDateTime 2024-01-31T12:34:56.123+03:00: date = 2024-01-31 | time = 12:34:56.1230000 | datetime = 2024-01-31 12:34:56.123 | smalldatetime = 2024-01-31 12:35:00.0 | datetime2 = 2024-01-31 12:34:56.1230000 | datetimeoffset, strings = 2024-01-31 12:34:56.1230000 +03:00
            OffsetTime 12:34:56+03:00: time = 12:34:56.0000000 | datetime = 1970-01-01 12:34:56.0 | smalldatetime = 1970-01-01 12:35:00.0 | datetime2 = 1970-01-01 12:34:56.0000000 | datetimeoffset, strings = 1970-01-01 12:34:56.0000000 +03:00
            Instant 2024-01-31T11:34:56.123Z:
            ZonedDateTime 2024-01-31T11:34:56.123Z:
            UUID 6f9619ff-8b86-d011-b42d-00c04fc964ff: uniqueidentifier, strings = 6F9619FF-8B86-D011-B42D-00C04FC964FF | varbinary, varbinary_max = FF19966F868B11D0B42D00C04FC964FF
            Clob a: strings, xml = a
            NClob a: strings, xml = a
            CharacterStream a: strings, xml = a
            AsciiStream a: strings = a
            Blob 4142: binaries = 4142 | xml = *
            BinaryStream 4142: binaries = 4142 | xml = *
            """;

    private static final List<String> GETTERS = List.of(
            "Boolean",
            "Byte",
            "Short",
            "Int",
            "Long",
            "Float",
            "Double",
            "BigDecimal",
            "String",
            "NString",
            "Bytes",
            "Date",
            "Time",
            "Timestamp",
            "Object",
            "Clob",
            "NClob",
            "Blob",
            "AsciiStream",
            "CharacterStream",
            "NCharacterStream",
            "BinaryStream",
            "SQLXML");

    private static final Map<String, Class<?>> CLASSES = new LinkedHashMap<>();

    static {
        List.of(
                        LocalDate.class,
                        LocalTime.class,
                        LocalDateTime.class,
                        OffsetDateTime.class,
                        OffsetTime.class,
                        ZonedDateTime.class,
                        Instant.class,
                        Calendar.class,
                        BigInteger.class,
                        UUID.class)
                .forEach(type -> CLASSES.put(type.getSimpleName(), type));
        CLASSES.put("UtilDate", java.util.Date.class);
    }

    private static final ZoneId ZONE = ZoneId.of("Europe/Zurich");

    private static Connection connection;
    private static TimeZone zone;

    /**
     * One cell of the matrix.
     *
     * @param direction read or written
     * @param sample tells cells of one Java type and one type of SQL apart
     */
    private record Cell(String direction, String type, String java, String sample) {}

    /** What both drivers do. */
    private record Outcomes(String sqlServer, String cassidy) {}

    @BeforeAll
    static void prepare() throws SQLException {
        zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(ZONE));
        TestCluster cluster = TestCluster.fresh("conversion_matrix_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        connection = cluster.open("writes=plain");
        StringBuilder columns = new StringBuilder();
        TYPES.forEach((column, type) ->
                columns.append(", c_").append(column).append(' ').append(type).append(" NULL"));
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE m (k INT PRIMARY KEY" + columns + ")");
        }
    }

    @AfterAll
    static void close() throws SQLException {
        TimeZone.setDefault(zone);
        connection.close();
    }

    @Test
    void shouldConvertAsSqlServersDriverExceptForListedDifferences() throws Exception {
        Map<Cell, Outcomes> differences = new LinkedHashMap<>();
        compareReads(differences);
        compareWrites(differences);

        List<Listed> listed = listed();
        Set<Cell> explained = new LinkedHashSet<>();
        List<String> vanished = new ArrayList<>();
        for (Listed row : listed) {
            for (Cell cell : row.cells()) {
                List<Cell> found = differences.entrySet().stream()
                        .filter(each -> row.explains(cell, each.getKey(), each.getValue()))
                        .map(Map.Entry::getKey)
                        .toList();
                explained.addAll(found);
                if (found.isEmpty()) {
                    vanished.add(row.text() + ": " + cell.java() + " of " + cell.type());
                }
            }
        }
        differences.keySet().removeAll(explained);
        assertThat(differences.entrySet().stream().map(ConversionMatrixIT::shown))
                .as("differences that are not listed")
                .isEmpty();
        assertThat(vanished).as("listed differences that are none").isEmpty();
    }

    private static String shown(Map.Entry<Cell, Outcomes> difference) {
        Cell cell = difference.getKey();
        return "| " + cell.direction() + " | " + cell.type() + " | " + cell.java() + " | `"
                + difference.getValue().sqlServer() + "` | `"
                + difference.getValue().cassidy() + "` | "
                + cell.sample();
    }

    // ---- getters

    private static void compareReads(Map<Cell, Outcomes> differences) throws Exception {
        int key = 0;
        for (String line : READ.lines().toList()) {
            String type = line.substring(0, line.indexOf(' '));
            String literal = line.substring(type.length() + 1, line.indexOf(": "));
            Map<String, String> expected = cells(line.substring(line.indexOf(": ") + 1), " ");
            try (var statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO m (k, c_" + type + ") VALUES (" + ++key + ", " + literal + ")");
                try (ResultSet rows = statement.executeQuery("SELECT c_" + type + " FROM m WHERE k = " + key)) {
                    assertThat(rows.next()).isTrue();
                    for (String getter : GETTERS) {
                        String read = outcome(() -> get(rows, getter));
                        differ(differences, new Cell("read", type, getter, literal), expected, read);
                    }
                    for (String name : CLASSES.keySet()) {
                        String read = outcome(() -> shown(rows.getObject(1, CLASSES.get(name))));
                        differ(differences, new Cell("read", type, name, literal), expected, read);
                    }
                    // The getters of a name, and getObject with its class, are the same.
                    for (Class<?> boxed : List.of(
                            Boolean.class,
                            Byte.class,
                            Short.class,
                            Integer.class,
                            Long.class,
                            Float.class,
                            Double.class,
                            BigDecimal.class,
                            String.class,
                            byte[].class,
                            Date.class,
                            Time.class,
                            Timestamp.class,
                            Blob.class,
                            Clob.class,
                            NClob.class)) {
                        String name = boxed == Integer.class
                                ? "Int"
                                : boxed == byte[].class ? "Bytes" : boxed.getSimpleName();
                        assertThat(outcome(() -> shown(rows.getObject(1, boxed))))
                                .as(type + " as " + boxed)
                                .isEqualTo(outcome(() -> get(rows, name)));
                    }
                    rows.getString(1);
                    assertThat(rows.getMetaData().getColumnClassName(1))
                            .isEqualTo(rows.getObject(1).getClass().getName());
                }
            }
        }
    }

    private static String get(ResultSet rows, String getter) throws Exception {
        Object value = call(ResultSet.class.getMethod("get" + getter, int.class), rows, 1);
        return getter.equals("Object")
                ? value.getClass().getSimpleName() + " " + shown(value)
                : value instanceof InputStream stream && getter.equals("AsciiStream")
                        ? padding(new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1))
                        : shown(value);
    }

    private static String shown(Object value) throws Exception {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().withUpperCase().formatHex(bytes);
        }
        if (value instanceof InputStream stream) {
            return shown(stream.readAllBytes());
        }
        if (value instanceof Reader reader) {
            StringWriter text = new StringWriter();
            reader.transferTo(text);
            return shown(text.toString());
        }
        if (value instanceof Clob clob) {
            return shown(clob.getSubString(1, (int) clob.length()));
        }
        if (value instanceof Blob blob) {
            return shown(blob.getBytes(1, (int) blob.length()));
        }
        if (value instanceof Time time) {
            return LocalTime.ofInstant(Instant.ofEpochMilli(time.getTime()), ZONE)
                    .toString();
        }
        if (value instanceof java.util.Date date && value.getClass() == java.util.Date.class) {
            return date.toInstant().toString();
        }
        if (value instanceof Calendar calendar) {
            return calendar.toInstant().toString();
        }
        return padding(value.toString());
    }

    /** So many blanks that nobody counts them in a table. */
    private static String padding(String text) {
        String stripped = text.stripTrailing();
        return text.length() - stripped.length() > 3 ? stripped + ".." + (text.length() - stripped.length()) : text;
    }

    // ---- setters

    private interface Setter {
        void set(PreparedStatement insert) throws Exception;
    }

    private static void compareWrites(Map<Cell, Outcomes> differences) throws Exception {
        Map<String, PreparedStatement> inserts = new LinkedHashMap<>();
        for (String type : TYPES.keySet()) {
            inserts.put(type, connection.prepareStatement("INSERT INTO m (k, c_" + type + ") VALUES (?, ?)"));
        }
        int key = 1_000;
        for (String line : WRITTEN.lines().toList()) {
            String java = line.substring(0, line.indexOf(' '));
            int end = line.endsWith(":") ? line.length() - 1 : line.indexOf(": ");
            String sample = line.substring(java.length() + 1, end);
            Map<String, String> expected = cells(line.substring(end + 1), ", ");
            // An InputStream that is given without a type is binary.
            Map<String, String> stored = store(inserts, ++key, type -> insert -> {
                if (java.equals("AsciiStream")) {
                    set(insert, java, sample(java, sample));
                } else {
                    insert.setObject(2, sample(java, sample));
                }
            });
            for (String type : TYPES.keySet()) {
                differ(differences, new Cell("written", type, java, sample), expected, stored.get(type));
            }
            if (java.equals("AsciiStream")) {
                continue;
            }
            if (!CLASSES.containsKey(java)) {
                assertThat(store(inserts, ++key, type -> insert -> set(insert, java, sample(java, sample))))
                        .as("set" + java)
                        .isEqualTo(stored);
            }
            // It does what setObject with a type does, once it has set the scale of a decimal.
            assertThat(store(
                            inserts,
                            ++key,
                            type -> insert -> insert.setObject(2, sample(java, sample), jdbcType(type), 9)))
                    .as("setObject with a type and a scale, of " + java)
                    .isEqualTo(java.equals("String") ? withBinaries(stored, sample) : stored);
        }
        for (PreparedStatement insert : inserts.values()) {
            insert.close();
        }
    }

    /** As a binary, a string is hexadecimal digits. */
    private static Map<String, String> withBinaries(Map<String, String> stored, String sample) {
        Map<String, String> with = new LinkedHashMap<>(stored);
        if (sample.equals("12")) {
            expand("binaries").forEach(type -> with.put(type, type.equals("binary") ? "12000000" : "12"));
        }
        return with;
    }

    /** Stores one value in each column of a row, and returns what is there then; of a column that refuses it, that. */
    private static Map<String, String> store(
            Map<String, PreparedStatement> inserts, int key, Function<String, Setter> setters) throws Exception {
        Map<String, String> outcomes = new LinkedHashMap<>();
        for (String type : TYPES.keySet()) {
            PreparedStatement insert = inserts.get(type);
            outcomes.put(type, outcome(() -> {
                insert.setInt(1, key);
                setters.apply(type).set(insert);
                insert.executeUpdate();
                return "stored";
            }));
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM m WHERE k = ?")) {
            select.setInt(1, key);
            try (ResultSet row = select.executeQuery()) {
                boolean any = row.next();
                for (String type : TYPES.keySet()) {
                    String text = any ? row.getString("c_" + type) : null;
                    assertThat(text == null)
                            .as(type)
                            .isEqualTo(outcomes.get(type).equals(REFUSED));
                    if (text != null) {
                        outcomes.put(type, text.stripTrailing());
                    }
                }
            }
        }
        return outcomes;
    }

    private static void set(PreparedStatement insert, String java, Object value) throws Exception {
        for (Method method : PreparedStatement.class.getMethods()) {
            if (method.getName().equals("set" + java)
                    && method.getParameterCount() == 2
                    && MethodType.methodType(method.getParameterTypes()[1])
                            .wrap()
                            .returnType()
                            .isInstance(value)) {
                call(method, insert, 2, value);
                return;
            }
        }
        throw new AssertionError("no set" + java);
    }

    private static Object call(Method method, Object on, Object... arguments) throws Exception {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    private static int jdbcType(String type) {
        return switch (type) {
            case "bit" -> Types.BIT;
            case "tinyint" -> Types.TINYINT;
            case "smallint" -> Types.SMALLINT;
            case "int" -> Types.INTEGER;
            case "bigint" -> Types.BIGINT;
            case "real" -> Types.REAL;
            case "float" -> Types.DOUBLE;
            case "decimal", "money", "smallmoney" -> Types.DECIMAL;
            case "numeric" -> Types.NUMERIC;
            case "char" -> Types.CHAR;
            case "varchar" -> Types.VARCHAR;
            case "varchar_max", "text" -> Types.LONGVARCHAR;
            case "nchar" -> Types.NCHAR;
            case "nvarchar" -> Types.NVARCHAR;
            case "nvarchar_max", "ntext", "xml" -> Types.LONGNVARCHAR;
            case "binary" -> Types.BINARY;
            case "varbinary" -> Types.VARBINARY;
            case "varbinary_max", "image" -> Types.LONGVARBINARY;
            case "date" -> Types.DATE;
            case "time" -> Types.TIME;
            case "datetimeoffset" -> Types.TIMESTAMP_WITH_TIMEZONE;
            case "uniqueidentifier" -> Types.CHAR;
            default -> Types.TIMESTAMP;
        };
    }

    private static Object sample(String java, String text) {
        return switch (java) {
            case "Boolean" -> Boolean.valueOf(text);
            case "Byte" -> Byte.valueOf(text);
            case "Short" -> Short.valueOf(text);
            case "Int" -> Integer.valueOf(text);
            case "Long" -> Long.valueOf(text);
            case "BigInteger" -> new BigInteger(text);
            case "Float" -> Float.valueOf(text);
            case "Double" -> Double.valueOf(text);
            case "BigDecimal" -> new BigDecimal(text);
            case "String" -> text;
            case "Bytes" -> HexFormat.of().parseHex(text);
            case "Date" -> Date.valueOf(text);
            case "LocalDate" -> LocalDate.parse(text);
            case "Time" -> Time.valueOf(text);
            case "LocalTime" -> LocalTime.parse(text);
            case "LocalDateTime" -> LocalDateTime.parse(text);
            case "Timestamp" -> Timestamp.valueOf(LocalDateTime.parse(text));
            case "UtilDate" ->
                new java.util.Date(Timestamp.valueOf(LocalDateTime.parse(text)).getTime());
            case "Calendar" -> GregorianCalendar.from(LocalDateTime.parse(text).atZone(ZONE));
            case "OffsetDateTime" -> OffsetDateTime.parse(text);
            case "OffsetTime" -> OffsetTime.parse(text);
            case "Instant" -> Instant.parse(text);
            case "ZonedDateTime" -> ZonedDateTime.parse(text);
            case "UUID" -> UUID.fromString(text);
            case "Clob", "NClob" -> new ClobValue(text);
            case "CharacterStream" -> new StringReader(text);
            case "AsciiStream" -> new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
            case "Blob" -> new BlobValue(HexFormat.of().parseHex(text));
            case "BinaryStream" -> new ByteArrayInputStream(HexFormat.of().parseHex(text));
            default -> throw new AssertionError(java);
        };
    }

    // ---- the judge

    private interface Call {
        String answer() throws Exception;
    }

    /** Only an error that says of a value that it cannot be converted is a refusal. */
    private static String outcome(Call call) throws Exception {
        try {
            return call.answer();
        } catch (SQLFeatureNotSupportedException e) {
            assertThat(e.getMessage()).contains("SQLXML");
            return REFUSED;
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.toString()).matches("22...|07006");
            return REFUSED;
        }
    }

    private static void differ(
            Map<Cell, Outcomes> differences, Cell cell, Map<String, String> expected, String outcome) {
        String sqlServer = expected.getOrDefault(cell.direction().equals("read") ? cell.java() : cell.type(), REFUSED);
        boolean same = sqlServer.equals("*") ? !outcome.equals(REFUSED) : equal(sqlServer, outcome, cell);
        if (!same) {
            differences.put(cell, new Outcomes(sqlServer, outcome));
        }
    }

    /** A binary is filled up with zeros. */
    private static boolean equal(String sqlServer, String outcome, Cell cell) {
        return sqlServer.equals(outcome)
                || (cell.direction().equals("written")
                        && cell.type().equals("binary")
                        && outcome.equals((sqlServer + "00000000").substring(0, 8)));
    }

    private static Map<String, String> cells(String text, String between) {
        Map<String, String> cells = new LinkedHashMap<>();
        for (String part : text.isBlank() ? new String[0] : text.strip().split(" \\| ")) {
            String[] sides = part.split(" = ", 2);
            for (String name : between.equals(" ") ? Arrays.asList(sides[0].split(" ")) : expand(sides[0])) {
                assertThat(cells.put(name, sides[1])).as(name + " twice").isNull();
            }
        }
        return cells;
    }

    private static List<String> expand(String names) {
        List<String> expanded = new ArrayList<>();
        for (String name : names.split(", ")) {
            if (GROUPS.containsKey(name)) {
                expanded.addAll(expand(GROUPS.get(name)));
            } else {
                expanded.add(name);
            }
        }
        return expanded;
    }

    /** A row of the document: which cells of the matrix differ, and how. */
    private record Listed(String direction, String types, String java, String sqlServer, String cassidy) {

        String text() {
            return String.join(" | ", direction, types, java, sqlServer, cassidy);
        }

        List<Cell> cells() {
            List<Cell> cells = new ArrayList<>();
            for (String type : expand(types)) {
                for (String name : java.split(", ")) {
                    cells.add(new Cell(direction, type, name, ""));
                }
            }
            return cells;
        }

        boolean explains(Cell cell, Cell difference, Outcomes outcomes) {
            return cell.direction().equals(difference.direction())
                    && cell.type().equals(difference.type())
                    && cell.java().equals(difference.java())
                    && says(sqlServer, outcomes.sqlServer())
                    && says(cassidy, outcomes.cassidy());
        }

        private static boolean says(String listed, String outcome) {
            return listed.startsWith("`")
                    ? listed.equals("`" + outcome + "`")
                    : listed.equals(REFUSED) == outcome.equals(REFUSED);
        }
    }

    /** Reads the rows: direction, types, Java types, SQL Server, Cassidy, reason. */
    private static List<Listed> listed() throws IOException {
        List<Listed> listed = new ArrayList<>();
        for (String line : Files.readAllLines(DIFFERENCES)) {
            String[] cells =
                    Arrays.stream(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
            if (cells.length == 8 && (cells[1].equals("read") || cells[1].equals("written"))) {
                assertThat(cells[6]).as("why " + line).isNotBlank();
                assertThat(List.of(cells[4], cells[5]))
                        .as(line)
                        .allMatch(cell -> cell.matches("refused|converted|`.*`"));
                listed.add(new Listed(cells[1], cells[2], cells[3], cells[4], cells[5]));
            }
        }
        assertThat(new TreeSet<>(listed.stream().map(Listed::text).toList())).hasSameSizeAs(listed);
        return listed;
    }

    // ---- what a matrix has no room for

    @Test
    void shouldRefuseDigitsBeyondAGivenScale() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO m (k, c_decimal) VALUES (2000, ?)")) {
            assertThatThrownBy(() -> insert.setObject(1, new BigDecimal("1.256"), Types.DECIMAL, 2))
                    .hasFieldOrPropertyWithValue("SQLState", "22003");
        }
    }
}
