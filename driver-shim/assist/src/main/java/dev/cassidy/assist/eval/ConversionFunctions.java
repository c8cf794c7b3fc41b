package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Conversions from and to strings, as H2 calls them. Null gives null. {@code attempt} says that null is given for what cannot be
 * converted, as TRY_CAST does.
 */
public final class ConversionFunctions {

    private static final Pattern WHOLE = Pattern.compile("[+-]?+[0-9]++");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?+(?:[0-9]++\\.?+[0-9]*+|\\.[0-9]++)");
    private static final Pattern FLOAT =
            Pattern.compile("[+-]?+(?:[0-9]++\\.?+[0-9]*+|\\.[0-9]++)(?:[eE][+-]?+[0-9]{1,4}+)?+");
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}+(?:-[0-9a-fA-F]{4}+){3}+-[0-9a-fA-F]{12}+");

    /** A character that is in no number. */
    private static final Pattern NO_NUMBER = Pattern.compile("[a-cf-zA-CF-Z/:_@!?;#% ]");

    private static final Charset CODE_PAGE = Charset.forName("windows-1252");

    private ConversionFunctions() {}

    private static void unless(boolean attempt, EvaluationException failure) {
        if (!attempt) {
            throw failure;
        }
    }

    /** A whole number of that type. Blanks around it do not count, and nothing but blanks is 0. */
    public static @Nullable Long wholeof(@Nullable String text, String type, boolean attempt) {
        if (text == null) {
            return null;
        }
        String digits = text.strip();
        if (digits.isEmpty()) {
            return 0L;
        }
        String lower = type.toLowerCase(Locale.ROOT);
        if (!WHOLE.matcher(digits).matches()) {
            unless(
                    attempt,
                    type.equals("BIGINT")
                            ? EvaluationException.conversion(8114, "Error converting data type varchar to bigint")
                            : EvaluationException.conversion(
                                    245,
                                    "Conversion failed when converting the varchar value '" + text + "' to data type "
                                            + lower));
            return null;
        }
        BigDecimal value = new BigDecimal(digits);
        long least =
                switch (type) {
                    case "TINYINT" -> 0;
                    case "SMALLINT" -> Short.MIN_VALUE;
                    case "INT" -> Integer.MIN_VALUE;
                    default -> Long.MIN_VALUE;
                };
        long most =
                switch (type) {
                    case "TINYINT" -> 255;
                    case "SMALLINT" -> Short.MAX_VALUE;
                    case "INT" -> Integer.MAX_VALUE;
                    default -> Long.MAX_VALUE;
                };
        if (value.compareTo(BigDecimal.valueOf(least)) < 0 || value.compareTo(BigDecimal.valueOf(most)) > 0) {
            int number = type.equals("INT") ? 248 : type.equals("BIGINT") ? 8115 : 244;
            unless(
                    attempt,
                    new EvaluationException(
                            number,
                            "22003",
                            "The conversion of the varchar value '" + text + "' overflowed an " + lower + " column"));
            return null;
        }
        return value.longValueExact();
    }

    /** A decimal. */
    public static @Nullable BigDecimal decimalof(@Nullable String text, int precision, int scale, boolean attempt) {
        if (text == null) {
            return null;
        }
        String digits = text.strip();
        if (digits.length() > 100 || !DECIMAL.matcher(digits).matches()) {
            unless(attempt, EvaluationException.conversion(8114, "Error converting data type varchar to numeric"));
            return null;
        }
        return fitted(new BigDecimal(digits), precision, scale, "numeric", attempt);
    }

    private static @Nullable BigDecimal fitted(
            BigDecimal value, int precision, int scale, String type, boolean attempt) {
        BigDecimal rounded = value.setScale(scale, RoundingMode.HALF_UP);
        if (rounded.precision() > precision) {
            unless(attempt, EvaluationException.overflow(type));
            return null;
        }
        return rounded;
    }

    /** Money: a currency sign and commas do not count. */
    public static @Nullable BigDecimal moneyof(@Nullable String text, int precision, int scale, boolean attempt) {
        if (text == null) {
            return null;
        }
        String digits = text.strip().replace(",", "").replaceFirst("^([+-]?+)\\$", "$1");
        if (digits.isEmpty()) {
            return BigDecimal.ZERO;
        }
        if (digits.length() > 100 || !DECIMAL.matcher(digits).matches()) {
            unless(
                    attempt,
                    EvaluationException.conversion(
                            235, "Cannot convert a char value to money. The char value has incorrect syntax"));
            return null;
        }
        return fitted(new BigDecimal(digits), precision, scale, "money", attempt);
    }

    /** A FLOAT. */
    public static @Nullable Double floatof(@Nullable String text, boolean attempt) {
        if (text == null) {
            return null;
        }
        String digits = text.strip();
        if (digits.isEmpty()) {
            return 0.0;
        }
        if (!FLOAT.matcher(digits).matches()) {
            unless(attempt, EvaluationException.conversion(8114, "Error converting data type varchar to float"));
            return null;
        }
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value)) {
            unless(attempt, EvaluationException.overflow("float"));
            return null;
        }
        return value;
    }

    /** A BIT. */
    public static @Nullable Boolean bitof(@Nullable String text, boolean attempt) {
        if (text == null) {
            return null;
        }
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (word.equals("true") || word.equals("false")) {
            return word.equals("true");
        }
        if (word.isEmpty()) {
            return false;
        }
        if (!WHOLE.matcher(word).matches()) {
            unless(
                    attempt,
                    EvaluationException.conversion(
                            245,
                            "Conversion failed when converting the varchar value '" + text + "' to data type bit"));
            return null;
        }
        return new BigDecimal(word).signum() != 0;
    }

    /** A UNIQUEIDENTIFIER. */
    public static @Nullable UUID uuidof(@Nullable String text, boolean attempt) {
        if (text == null) {
            return null;
        }
        String bare = text.startsWith("{") && text.endsWith("}") ? text.substring(1, text.length() - 1) : text;
        // SQL Server reads 36 characters, and leaves out what follows.
        String first = bare.length() > 36 ? bare.substring(0, 36) : bare;
        if (!UUID_TEXT.matcher(first).matches()) {
            unless(
                    attempt,
                    EvaluationException.conversion(
                            8169, "Conversion failed when converting from a character string to uniqueidentifier"));
            return null;
        }
        return UUID.fromString(first);
    }

    /** A UNIQUEIDENTIFIER as a string: capitals. */
    public static @Nullable String uuidtext(@Nullable UUID value) {
        return value == null ? null : value.toString().toUpperCase(Locale.ROOT);
    }

    /**
     * Bytes as the string that they are: of NVARCHAR in UTF-16, and of VARCHAR in the code page 1252, that of SQL Server's default
     * collations.
     */
    public static @Nullable String bytestext(byte @Nullable [] bytes, boolean unicode) {
        if (bytes == null) {
            return null;
        }
        if (!unicode) {
            char[] characters = new String(bytes, CODE_PAGE).toCharArray();
            for (int i = 0; i < bytes.length; i++) {
                // Five of its bytes are no character; Windows takes them for control characters.
                if (characters[i] == '\uFFFD') {
                    characters[i] = (char) (bytes[i] & 0xFF);
                }
            }
            return new String(characters);
        }
        if (bytes.length % 2 != 0) {
            throw new NotEvaluatedException(
                    "A conversion of " + bytes.length + " bytes to NVARCHAR",
                    "a character has two",
                    "Convert them to VARCHAR");
        }
        return ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asCharBuffer()
                .toString();
    }

    /** Bytes in hexadecimal, as CONVERT with the styles 1 and 2 writes them. */
    public static @Nullable String hextext(byte @Nullable [] bytes, boolean prefix) {
        return bytes == null
                ? null
                : (prefix ? "0x" : "") + HexFormat.of().withUpperCase().formatHex(bytes);
    }

    /** What SQL Server sorts a UNIQUEIDENTIFIER by: its last six bytes first. */
    public static byte @Nullable [] uuidkey(@Nullable UUID value) {
        if (value == null) {
            return null;
        }
        long high = value.getMostSignificantBits();
        long low = value.getLeastSignificantBits();
        // Groups of the written form: 5, 4, and the three first ones with their bytes reversed, as they are stored.
        int[] bytes = new int[16];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (int) (high >>> (56 - 8 * i)) & 0xff;
            bytes[8 + i] = (int) (low >>> (56 - 8 * i)) & 0xff;
        }
        int[] order = {10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0};
        byte[] key = new byte[16];
        for (int i = 0; i < 16; i++) {
            key[i] = (byte) bytes[order[i]];
        }
        return key;
    }

    /** A whole number as a string. */
    public static @Nullable String wholetext(@Nullable Long value) {
        return value == null ? null : Long.toString(value);
    }

    /** A decimal as a string, with all places of its type. */
    public static @Nullable String decimaltext(@Nullable BigDecimal value) {
        return value == null ? null : value.toPlainString();
    }

    /** Money as a string: two places by style 0, commas by style 1, four places by 2 and 126. */
    public static @Nullable String moneytext(@Nullable BigDecimal value, int style) {
        if (value == null) {
            return null;
        }
        return switch (style) {
            case 0 -> value.setScale(2, RoundingMode.HALF_UP).toPlainString();
            case 1 -> String.format(Locale.ROOT, "%,.2f", value.setScale(2, RoundingMode.HALF_UP));
            case 2, 126 -> value.setScale(4, RoundingMode.HALF_UP).toPlainString();
            default ->
                throw new NotEvaluatedException(
                        "CONVERT of money with the style " + style, "it is not known here", "Write FORMAT");
        };
    }

    /** A FLOAT as a string: six digits at most. */
    public static @Nullable String floattext(@Nullable Double value) {
        if (value == null) {
            return null;
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded = new BigDecimal(Double.toString(value)).round(new MathContext(6, RoundingMode.HALF_EVEN));
        BigDecimal shortest = rounded.stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            return shortest.scale() < 0 ? shortest.setScale(0).toPlainString() : shortest.toPlainString();
        }
        String digits = shortest.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (shortest.signum() < 0 ? "-" : "")
                + mantissa
                + String.format(Locale.ROOT, "e%s%03d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    /** A number in a string that may be too short for it. */
    public static @Nullable String fit(@Nullable String text, int length, boolean star) {
        if (text == null || text.length() <= length) {
            return text;
        }
        if (star) {
            return "*";
        }
        throw EvaluationException.overflow("varchar");
    }

    /** ISNUMERIC of a string. */
    public static Integer isnumeric(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return 0;
        }
        String word = text.strip();
        boolean number = FLOAT.matcher(word).matches();
        // Signs alone, currency signs and commas are numbers to SQL Server, some of them to money only.
        if (!number && !NO_NUMBER.matcher(word).find()) {
            throw new NotEvaluatedException(
                    "ISNUMERIC('" + text + "')", "signs alone may be a number to SQL Server", "Write TRY_CAST");
        }
        return number ? 1 : 0;
    }
}
