package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What holds of each column that gets a value. */
final class Assignments {

    private Assignments() {}

    static EvaluationException twice(ColumnModel column) {
        return EvaluationException.rule(
                264,
                "The column name '" + column.name()
                        + "' is specified more than once in the SET clause: give it one value");
    }

    /** Returns whether a value of another type is converted as CAST does it. */
    static boolean isConverted(ColumnModel column) {
        return switch (column.type().name()) {
            case TINYINT, SMALLINT, INT, BIGINT, DECIMAL, NUMERIC, MONEY, SMALLMONEY, REAL, FLOAT, BIT -> true;
            default -> false;
        };
    }

    static void requireAssignable(TableModel model, ColumnModel column) {
        if (column.place() != ColumnModel.Place.REGULAR) {
            throw new NotAssistedException("SET of " + column.name() + ", which is in the primary key of "
                    + model.qualified() + ", is not served. Insert the row with its new key, and delete the old one");
        }
    }

    /** Returns the columns besides the key that a text names. A column too many is compared, and changes nothing. */
    static List<String> compared(TableModel model, String text, Outputs outputs) {
        Set<String> names = SqlNames.words(text);
        return model.columns().stream()
                .filter(column -> column.place() == ColumnModel.Place.REGULAR)
                .map(ColumnModel::name)
                .filter(name -> names.contains(name.toLowerCase(Locale.ROOT))
                        || outputs.deleted().contains(name.toLowerCase(Locale.ROOT)))
                .toList();
    }
}
