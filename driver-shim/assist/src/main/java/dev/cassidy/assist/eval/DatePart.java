package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.Locale;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.schema.Column;

/** The parts of dates that DATEADD, DATEDIFF, DATEPART and DATENAME name. */
public enum DatePart {
    YEAR("yy", "yyyy"),
    QUARTER("qq", "q"),
    MONTH("mm", "m"),
    DAYOFYEAR("dy", "y"),
    DAY("dd", "d"),
    WEEK("wk", "ww"),
    WEEKDAY("dw", "w"),
    HOUR("hh", "hh"),
    MINUTE("mi", "n"),
    SECOND("ss", "s"),
    MILLISECOND("ms", "ms"),
    MICROSECOND("mcs", "mcs"),
    NANOSECOND("ns", "ns"),
    ISO_WEEK("isowk", "isoww");

    private final String shortName;
    private final String otherName;

    DatePart(String shortName, String otherName) {
        this.shortName = shortName;
        this.otherName = otherName;
    }

    boolean isOfTime() {
        return switch (this) {
            case HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND -> true;
            default -> false;
        };
    }

    /** Reads a part, which stands where a column's name could. */
    static DatePart of(Expression expression, String function) {
        if (expression instanceof Column column && column.getTable() == null) {
            String word = column.getColumnName().toLowerCase(Locale.ROOT);
            for (DatePart each : values()) {
                if (each.name().equalsIgnoreCase(word) || each.shortName.equals(word) || each.otherName.equals(word)) {
                    return each;
                }
            }
            if (word.equals("tzoffset") || word.equals("tz")) {
                throw new NotEvaluatedException("The part tzoffset", "no zones are known", "Leave it out");
            }
        }
        throw EvaluationException.rule(155, "'" + expression + "' is not a recognized " + function + " option");
    }
}
