package dev.cassidy.migration.texts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.schema.DefaultExpression;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.source.SourceUrl;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Readers that walk over a text by hand read what regular expressions would, which need too much time or stack for long texts. */
class ReadersByHandTest {

    private static void forTexts(List<String> pieces, BiConsumer<String, String> test) {
        long seed = 20_261_129;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int piece = random.nextInt(10); piece >= 0; piece--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            test.accept(text.toString(), "seed " + seed + ", text " + i + ": " + text);
        }
    }

    @Test
    void shouldMaskSecrets() {
        Pattern secret = secret("[;?&]", "\\{(?:[^}]|}})*}|[^;&]*");
        Pattern ofList = secret("[(,]", "[^),]*");
        Pattern userInfo = Pattern.compile("(//[^/@;?\\s:]*):([^/@;?\\s]*)@");
        List<String> pieces = List.of(
                ";",
                "?",
                "&",
                "(",
                ",",
                ")",
                "=",
                "{",
                "}",
                "}}",
                "password",
                "PWD",
                "secret",
                "x",
                "_",
                " ",
                "\t",
                ":",
                "//",
                "@",
                ";password=",
                ";a_token_b = {",
                "(passwd=",
                "?pwd={a}}");
        forTexts(pieces, (text, as) -> {
            String masked = secret.matcher(text).replaceAll("$1$2$3***");
            masked = ofList.matcher(masked).replaceAll("$1$2$3***");
            assertThat(SourceUrl.redact(text))
                    .as(as)
                    .isEqualTo(userInfo.matcher(masked).replaceAll("$1:***@"));
        });
    }

    private static Pattern secret(String before, String value) {
        return Pattern.compile(
                "(" + before + "\\s*)(\\w*(?:password|passwd|pwd|secret|token)\\w*)(\\s*=\\s*)(" + value + ")",
                Pattern.CASE_INSENSITIVE);
    }

    @Test
    void shouldMatchGlobs() {
        List<String> pieces = List.of("*", "?", "a", "B", ".", "[", "\u00df", "\u0130", "\ud83d\ude00");
        SplittableRandom random = new SplittableRandom(7);
        forTexts(pieces, (text, as) -> {
            int cut = random.nextInt(text.length() + 1);
            String glob = text.substring(0, cut);
            StringBuilder regex = new StringBuilder();
            glob.codePoints()
                    .forEach(
                            c -> regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c))));
            boolean matches = Pattern.compile(regex.toString(), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
                    .matcher(text.substring(cut))
                    .matches();
            assertThat(Selection.glob(glob).test(text.substring(cut)))
                    .as(as + " cut at " + cut)
                    .isEqualTo(matches);
        });
    }

    @Test
    void shouldReadDefaults() {
        Pattern cast = Pattern.compile("(?s)\\(?('(?:[^']|'')*'|-?[0-9.]+)\\)?::[\\w\\s\"(),]+");
        List<String> pieces = List.of("(", ")", "'", "''", "'a'", "1", "-", ".", "::", "::int", "varchar(9)", " ", "a");
        forTexts(pieces, (text, as) -> {
            String bare = text.strip();
            while (bare.startsWith("(") && closes(bare) == bare.length() - 1) {
                bare = bare.substring(1, bare.length() - 1).strip();
            }
            Matcher matcher = cast.matcher(bare);
            assertThat(DefaultExpression.of(
                            new SourceTable.Column("c", "int", 0, 0, 0, true, text, null, false, false)))
                    .as(as)
                    .contains(matcher.matches() ? matcher.group(1) : text.strip());
        });
    }

    private static int closes(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            quoted ^= text.charAt(i) == '\'';
            if (!quoted) {
                depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
                if (depth == 0) {
                    return i;
                }
            }
        }
        return -1;
    }
}
