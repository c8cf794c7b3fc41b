package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values as they are assigned to columns of strings: as CAST writes them. */
public final class StoredTexts {

    private static final LocalDate DAY_ZERO = LocalDate.of(1900, 1, 1);

    private StoredTexts() {}

    /**
     * Returns the text of a value.
     *
     * @param type that T-SQL has for the value
     * @param language of the session, which names months
     */
    public static String of(Object value, SqlType type, SessionLanguage language) {
        Running.begin(null, language, ZoneId.systemDefault(), Limits.defaults());
        try {
            return text(value, type);
        } finally {
            Running.end();
        }
    }

    private static String text(Object value, SqlType type) {
        LocalDateTime moment = moment(value);
        String text = null;
        if (moment != null) {
            text = DateStyles.write(moment, type.name().name(), type.scale(), DateStyles.NO_STYLE);
        } else if (value instanceof Boolean bit) {
            text = bit ? "1" : "0";
        } else if (value instanceof BigDecimal number) {
            text = Types.family(type) == Types.Family.MONEY
                    ? ConversionFunctions.moneytext(number, 0)
                    : number.toPlainString();
        } else if (value instanceof Float number) {
            text = ConversionFunctions.floattext(Double.valueOf(number.toString()));
        } else if (value instanceof Double number) {
            text = ConversionFunctions.floattext(number);
        } else if (value instanceof Number number) {
            text = number.toString();
        } else if (value instanceof UUID id) {
            text = id.toString().toUpperCase(Locale.ROOT);
        }
        if (text == null) {
            throw new NotEvaluatedException(
                    "A conversion of " + type + " to a string",
                    "its format is not known",
                    "Convert it in the application");
        }
        return text;
    }

    private static @Nullable LocalDateTime moment(Object value) {
        if (value instanceof Instant instant) {
            return LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
        }
        if (value instanceof LocalTime time) {
            return DAY_ZERO.atTime(time);
        }
        if (value instanceof LocalDate day) {
            return day.atStartOfDay();
        }
        return value instanceof LocalDateTime moment ? moment : null;
    }
}
