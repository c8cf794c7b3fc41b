package dev.cassidy.jdbc.value;

import dev.cassidy.collation.Collation;
import dev.cassidy.insert.Like;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The patterns of DatabaseMetaData: {@code %}, {@code _}, and {@code \} before what is meant itself. */
public final class LikePattern {

    private LikePattern() {}

    /** Returns what a pattern matches exactly; if nothing, what it matches in any case. Null matches everything. */
    public static <T> List<T> matching(List<T> all, @Nullable String pattern, Function<T, String> name) {
        if (pattern == null) {
            return all;
        }
        String like = inTsql(pattern);
        List<T> exact = matching(all, like, Collation.of("Latin1_General_BIN2"), name);
        return exact.isEmpty() ? matching(all, like, Collation.standard(), name) : exact;
    }

    private static <T> List<T> matching(List<T> all, String like, Collation collation, Function<T, String> name) {
        Like matcher = Like.parse(like, collation).orElseThrow();
        return all.stream()
                .filter(item -> Boolean.TRUE.equals(matcher.matches(name.apply(item), true)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Returns the same pattern as LIKE has it, where brackets are special and {@code \} is not. */
    private static String inTsql(String pattern) {
        StringBuilder like = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            boolean escaped = pattern.charAt(i) == '\\' && i + 1 < pattern.length();
            i += escaped ? 1 : 0;
            char c = pattern.charAt(i);
            boolean literal = c == '[' || (escaped && (c == '%' || c == '_'));
            like.append(literal ? "[" + c + "]" : String.valueOf(c));
        }
        return like.toString();
    }

    /** A name, for methods where JDBC allows no pattern. */
    public static String escaped(String name) {
        return name.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%");
    }
}
