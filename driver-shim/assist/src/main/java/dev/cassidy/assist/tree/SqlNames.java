package dev.cassidy.assist.tree;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.schema.Table;
import org.jspecify.annotations.Nullable;

/** Names of trees as they are compared: T-SQL's ignore case. */
public final class SqlNames {

    private static final Pattern NAME = Pattern.compile("\\[[^\\]]*\\]|\"[^\"]*\"|[\\p{L}_@#$][\\p{L}\\p{N}_@#$]*");

    private SqlNames() {}

    /** Returns a name without quotes, in small letters. */
    public static String plain(String name) {
        boolean quoted = name.length() > 1
                && ((name.startsWith("[") && name.endsWith("]")) || (name.startsWith("\"") && name.endsWith("\"")));
        return (quoted ? name.substring(1, name.length() - 1) : name).toLowerCase(Locale.ROOT);
    }

    /** Returns database and schema of a table, as far as they are written. */
    public static @Nullable String qualifier(Table table) {
        String database =
                table.getDatabase() == null ? null : table.getDatabase().getDatabaseName();
        String schema = table.getSchemaName();
        if (database == null || database.isEmpty()) {
            return schema == null ? null : plain(schema);
        }
        return plain(database) + "." + (schema == null ? "" : plain(schema));
    }

    /** Returns all words of a text that may be names, as {@link #plain} has them: perhaps more than the names. */
    public static Set<String> words(String text) {
        Set<String> words = new HashSet<>();
        Matcher matcher = NAME.matcher(text);
        while (matcher.find()) {
            words.add(plain(matcher.group()));
        }
        return words;
    }
}
