package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.ToCql;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values that T-SQL also takes as a text, and CQL only without quotes: {@code '12.5'}, {@code '6f9619ff-...'}. */
final class QuotedValues {

    private static final Pattern NUMBER = Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]{1,3})?");
    private static final Pattern UUID = Pattern.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");

    private QuotedValues() {}

    /** Returns how CQL writes the value of a BIT; null if SQL Server would take it for none either. */
    static @Nullable String bit(String content) {
        return switch (content.strip().toLowerCase(Locale.ROOT)) {
            case "1", "true" -> "true";
            case "0", "false" -> "false";
            default -> null;
        };
    }

    /** Returns how CQL writes the value; null if the text stays as it is. */
    static @Nullable String withoutQuotes(String content, DataType type, ToCql toCql) throws ConversionException {
        return switch (type.getProtocolCode()) {
            case ProtocolConstants.DataType.TINYINT,
                    ProtocolConstants.DataType.SMALLINT,
                    ProtocolConstants.DataType.INT,
                    ProtocolConstants.DataType.BIGINT,
                    ProtocolConstants.DataType.VARINT,
                    ProtocolConstants.DataType.DECIMAL,
                    ProtocolConstants.DataType.DOUBLE,
                    ProtocolConstants.DataType.FLOAT -> number(content, type, toCql);
            case ProtocolConstants.DataType.UUID, ProtocolConstants.DataType.TIMEUUID -> uuid(content);
            default -> null;
        };
    }

    private static @Nullable String number(String content, DataType type, ToCql toCql) throws ConversionException {
        String number = content.strip();
        if (!NUMBER.matcher(number).matches()) {
            return null;
        }
        // Checks that it fits; a number that is too large is refused by its name.
        Object value = toCql.convert(new BigDecimal(number), type);
        return value instanceof BigDecimal decimal ? shown(decimal) : value.toString();
    }

    private static String shown(BigDecimal decimal) {
        // Without the exponent 1E+3 would keep its scale of -3.
        return decimal.scale() >= 0 ? decimal.toPlainString() : decimal.toString();
    }

    private static @Nullable String uuid(String content) {
        String uuid = content.strip();
        if (uuid.startsWith("{") && uuid.endsWith("}")) {
            uuid = uuid.substring(1, uuid.length() - 1);
        }
        return UUID.matcher(uuid).matches() ? uuid : null;
    }
}
