package dev.cassidy.jdbc.value;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
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
        String regex = regex(pattern);
        List<T> exact = matching(all, Pattern.compile(regex, Pattern.DOTALL), name);
        return exact.isEmpty()
                ? matching(all, Pattern.compile(regex, Pattern.DOTALL | Pattern.CASE_INSENSITIVE), name)
                : exact;
    }

    private static <T> List<T> matching(List<T> all, Pattern pattern, Function<T, String> name) {
        return all.stream()
                .filter(item -> pattern.matcher(name.apply(item)).matches())
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static String regex(String like) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < like.length(); i++) {
            char c = like.charAt(i);
            if (c == '\\' && i + 1 < like.length()) {
                i++;
                regex.append(Pattern.quote(String.valueOf(like.charAt(i))));
            } else if (c == '%') {
                regex.append(".*");
            } else if (c == '_') {
                regex.append('.');
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }

    /** A name, for methods where JDBC allows no pattern. */
    public static String escaped(String name) {
        return name.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%");
    }
}
