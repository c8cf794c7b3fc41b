package dev.cassidy.assist.eval;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The common patterns of FORMAT, as .NET has them for en-US. Others are refused. */
final class Formats {

    private static final Pattern STANDARD = Pattern.compile("([NnFfDdCc])([0-9]{0,2}+)");
    private static final Pattern CUSTOM = Pattern.compile("[#0,]*[#0](?:\\.[0#]++)?+%?+");

    private Formats() {}

    private static NotEvaluatedException unknown(String pattern) {
        return new NotEvaluatedException(
                "FORMAT with the pattern '" + pattern + "'",
                "it is not known here",
                "Format the value in the application");
    }

    static String moment(LocalDateTime value, String pattern) {
        if (pattern.length() == 1) {
            return switch (pattern) {
                case "d" -> value.getMonthValue() + "/" + value.getDayOfMonth() + "/" + year(value, 4);
                case "D" ->
                    day(value, 4) + ", " + month(value, 4) + " " + value.getDayOfMonth() + ", " + year(value, 4);
                case "s" -> moment(value, "yyyy-MM-dd") + "T" + moment(value, "HH:mm:ss");
                default -> throw unknown(pattern);
            };
        }
        StringBuilder text = new StringBuilder();
        int i = 0;
        while (i < pattern.length()) {
            char c = pattern.charAt(i);
            int end = i;
            while (end < pattern.length() && pattern.charAt(end) == c) {
                end++;
            }
            text.append("/-:., T".indexOf(c) >= 0 ? pattern.substring(i, end) : part(value, c, end - i, pattern));
            i = end;
        }
        return text.toString();
    }

    private static String part(LocalDateTime value, char c, int count, String pattern) {
        if (count > 7 || (count > 4 && c != 'f') || (count > 2 && "HhmsT".indexOf(c) >= 0)) {
            throw unknown(pattern);
        }
        return switch (c) {
            case 'y' -> {
                if (count == 1 || count == 3) {
                    throw unknown(pattern);
                }
                yield year(value, count);
            }
            case 'M' -> month(value, count);
            case 'd' -> day(value, count);
            case 'H' -> padded(value.getHour(), count);
            case 'h' -> padded(value.getHour() % 12 == 0 ? 12 : value.getHour() % 12, count);
            case 'm' -> padded(value.getMinute(), count);
            case 's' -> padded(value.getSecond(), count);
            case 'f' -> String.format(Locale.ROOT, "%09d", value.getNano()).substring(0, count);
            case 't' -> (value.getHour() < 12 ? "AM" : "PM").substring(0, Math.min(2, count));
            default -> throw unknown(pattern);
        };
    }

    private static String year(LocalDateTime value, int digits) {
        return padded(digits == 2 ? value.getYear() % 100 : value.getYear(), digits);
    }

    private static String month(LocalDateTime value, int count) {
        return count > 2
                ? value.getMonth().getDisplayName(count == 3 ? TextStyle.SHORT : TextStyle.FULL, Locale.ENGLISH)
                : padded(value.getMonthValue(), count);
    }

    private static String day(LocalDateTime value, int count) {
        return count > 2
                ? value.getDayOfWeek().getDisplayName(count == 3 ? TextStyle.SHORT : TextStyle.FULL, Locale.ENGLISH)
                : padded(value.getDayOfMonth(), count);
    }

    private static String padded(int number, int digits) {
        String text = String.valueOf(number);
        return "0".repeat(Math.max(0, digits - text.length())) + text;
    }

    static String number(BigDecimal value, String pattern) {
        Matcher standard = STANDARD.matcher(pattern);
        if (standard.matches()) {
            char kind = Character.toUpperCase(standard.group(1).charAt(0));
            int digits = standard.group(2).isEmpty() ? (kind == 'D' ? 0 : 2) : Integer.parseInt(standard.group(2));
            return switch (kind) {
                case 'N' -> grouped(value, digits);
                case 'F' ->
                    unsigned(value.setScale(digits, RoundingMode.HALF_UP)).toPlainString();
                case 'C' -> {
                    if (value.signum() < 0) {
                        // In brackets or with a sign, by the version of .NET.
                        throw unknown(pattern);
                    }
                    yield "$" + grouped(value, digits);
                }
                default -> {
                    if (value.scale() > 0) {
                        throw unknown(pattern);
                    }
                    String text = value.abs().toPlainString();
                    yield (value.signum() < 0 ? "-" : "") + "0".repeat(Math.max(0, digits - text.length())) + text;
                }
            };
        }
        if (!CUSTOM.matcher(pattern).matches() || pattern.startsWith(",")) {
            throw unknown(pattern);
        }
        boolean grouped = pattern.indexOf(',') >= 0;
        String bare = pattern.replace(",", "");
        int point = bare.indexOf('.') < 0 ? bare.replace("%", "").length() : bare.indexOf('.');
        String whole = bare.substring(0, point);
        boolean zero = whole.contains("0");
        // Of 0 without a 0 in its pattern .NET writes nothing, and Java a digit.
        if (!whole.matches("#*+0*+") || (!zero && value.abs().compareTo(BigDecimal.ONE) < 0)) {
            throw unknown(pattern);
        }
        // Java's pattern needs the comma at its place, where .NET takes it anywhere between digits.
        String java = grouped ? "#,##" + (zero ? groupedZeros(whole) : "#") : whole;
        DecimalFormat format =
                new DecimalFormat(java + bare.substring(point), DecimalFormatSymbols.getInstance(Locale.ROOT));
        format.setRoundingMode(RoundingMode.HALF_UP);
        String text = format.format(value);
        return text.matches("-0*+\\.?+0*+%?+") ? text.substring(1) : text;
    }

    private static String groupedZeros(String whole) {
        int zeros = whole.length() - whole.indexOf('0');
        if (zeros > 1) {
            throw unknown(whole);
        }
        return "0";
    }

    private static String grouped(BigDecimal value, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", unsigned(value.setScale(digits, RoundingMode.HALF_UP)));
    }

    private static BigDecimal unsigned(BigDecimal value) {
        return value.signum() == 0 ? value.abs() : value;
    }
}
