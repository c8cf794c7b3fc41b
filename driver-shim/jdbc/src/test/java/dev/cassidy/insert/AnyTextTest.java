package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Texts made of the pieces that the tokenizer distinguishes, in every wrong order. */
class AnyTextTest {

    private static final List<String> PIECES = List.of(
            "INSERT",
            "INTO",
            "VALUES",
            "DEFAULT",
            "OUTPUT",
            "INSERTED",
            "SELECT",
            "SCOPE_IDENTITY()",
            "@@IDENTITY",
            "CAST(",
            "AS",
            "int",
            "numeric(38,0)",
            "TOP",
            "FROM",
            "WHERE",
            "JOIN",
            "OFFSET",
            "FETCH",
            "NEXT",
            "ROWS",
            "ONLY",
            "SET",
            "NOCOUNT",
            "ON",
            "USE",
            "BEGIN",
            "BATCH",
            "APPLY",
            "UPDATE",
            "DELETE",
            "WITH",
            "(TABLOCK)",
            "USING",
            "TTL",
            "IF",
            "NOT",
            "EXISTS",
            "JSON",
            "CREATE",
            "TABLE",
            "IDENTITY",
            "dbo",
            "t",
            "a",
            "NULL",
            "[a]",
            "[b c]",
            "\"q\"",
            "'s'",
            "N's'",
            "$$d$$",
            "1",
            "-",
            "?",
            ":n",
            "@v",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            ",",
            ".",
            "..",
            ";",
            "=",
            "/*",
            "*/",
            "--",
            "\n",
            "'",
            "\"",
            "{ts '1'}",
            "#",
            "GETDATE()",
            "\u00e9");

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "INSERT INTO t (a" : "");
        int length = random.nextInt(1, 20);
        for (int i = 0; i < length; i++) {
            text.append(random.nextInt(4) == 0 ? "" : " ").append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    @Test
    void shouldBeRecognisedOrRefusedByName() {
        long seed = 20_260_101;
        SplittableRandom random = new SplittableRandom(seed);
        int parsed = 0;
        for (int i = 0; i < 50_000; i++) {
            String text = text(random);
            try {
                CqlInsert.recognise(text).filter(insert -> !insert.isJson()).ifPresent(insert -> insert.rewrite("id"));
                CqlInsert.tablesOfBatch(text);
                CqlChange.of(text);
                for (TsqlStep step : TsqlScript.parse(text).steps()) {
                    if (parameters(step).stream().anyMatch(index -> index < 0 || index >= text.length())) {
                        throw new IllegalStateException("parameters " + parameters(step));
                    }
                    if (step instanceof TsqlStep.Cql cql) {
                        CurrentTimes.of(cql.text());
                        requireOneTermForEachMarker(cql.text());
                    } else if (step instanceof TsqlStep.Insert insert) {
                        insert.rows().forEach(row -> {
                            CurrentTimes.of(row.insert());
                            requireOneTermForEachMarker(row.insert().text());
                        });
                    }
                }
                parsed++;
            } catch (UnsupportedSqlException refusedByName) {
                assertThat(refusedByName.number() > 0
                                || refusedByName.getMessage().contains(" is not supported: "))
                        .as(refusedByName.getMessage())
                        .isTrue();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", text " + i + ": " + text, e);
            }
        }
        assertThat(parsed).isGreaterThan(1_000);
    }

    private static List<Integer> parameters(TsqlStep step) {
        if (step instanceof TsqlStep.Insert insert) {
            return insert.rows().stream()
                    .flatMap(row -> row.parameters().stream())
                    .toList();
        }
        return step instanceof TsqlStep.Cql cql ? cql.parameters() : List.of();
    }

    @Test
    void shouldGiveEachMarkerOfACqlInsertItsParameter() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 20_000; i++) {
            String terms = term(random, 0) + ", " + term(random, 0);
            String cql = "INSERT INTO t (a, b) VALUES (" + terms + ") USING TTL ?";
            TsqlStep.Insert step =
                    (TsqlStep.Insert) TsqlScript.parse(cql).steps().get(0);
            TsqlStep.Row row = step.rows().get(0);
            long markers =
                    cql.replaceAll("'[^']*'", "").chars().filter(c -> c == '?').count();

            assertThat(row.insert().text()).isEqualTo(cql);
            assertThat(row.parameters()).hasSize((int) markers);
            assertThat(row.insert().markerCount()).isEqualTo((int) markers);
            assertThat(row.insert().rewrite("id").markerIndex()).isEqualTo((int) markers - 1);
        }
    }

    private static String term(SplittableRandom random, int depth) {
        return switch (random.nextInt(depth > 3 ? 5 : 9)) {
            case 0 -> "?";
            case 1 -> "'?, ('";
            case 2 -> "-1.5e3";
            case 3 -> "123e4567-e89b-12d3-a456-426614174000";
            case 4 -> "true";
            case 5 -> "[" + term(random, depth + 1) + "," + term(random, depth + 1) + "]";
            case 6 -> "{" + term(random, depth + 1) + ":" + term(random, depth + 1) + "}";
            case 7 -> "{f:" + term(random, depth + 1) + ", g: " + term(random, depth + 1) + "}";
            default -> "f(" + term(random, depth + 1) + ")";
        };
    }

    private static void requireOneTermForEachMarker(String cql) {
        ParameterizedStatement marked = ParameterizedStatement.of(cql);
        for (ParameterizedStatement text : List.of(marked, marked.certain())) {
            int markers = new Tokens(text.text()).markers();
            long given =
                    text.terms().stream().filter(term -> term.literal() == null).count();
            if (markers != text.terms().size() || given != new Tokens(cql).markers()) {
                throw new IllegalStateException("markers of " + text);
            }
        }
    }
}
