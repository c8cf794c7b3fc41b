package dev.cassidy.migration.texts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Readers whose work grows with the square of the text, each in another way. */
public final class Planted implements Supplier<Map<String, Consumer<String>>> {

    private static final Pattern BLANKS = Pattern.compile("\\s*x");

    @Override
    public Map<String, Consumer<String>> get() {
        Map<String, Consumer<String>> planted = new LinkedHashMap<>();
        planted.put("loops", text -> {
            for (int i = 0; i < text.length(); i++) {
                for (int k = 0; k < i; k++) {
                    if (text.charAt(k) == 'x') {
                        return;
                    }
                }
            }
        });
        planted.put("recursion", text -> depth(text, 0));
        planted.put("indexOf", text -> {
            for (int i = 0; i < text.length(); i++) {
                if (text.indexOf('x', i) >= 0) {
                    return;
                }
            }
        });
        planted.put("a regular expression", text -> BLANKS.matcher(text).find());
        planted.put("substring", text -> {
            String rest = text;
            while (!rest.isEmpty()) {
                rest = rest.substring(1);
            }
        });
        planted.put("concatenation", text -> {
            String copied = "";
            for (int i = 0; i < text.length(); i += 10) {
                copied += text.charAt(i);
            }
        });
        planted.put("a list", text -> {
            List<Integer> seen = new ArrayList<>();
            for (int i = 0; i < text.length(); i++) {
                if (!seen.contains(i)) {
                    seen.add(i);
                }
            }
        });
        return planted;
    }

    private static int depth(String text, int at) {
        return at == text.length() ? 0 : 1 + depth(text, at + 1);
    }
}
