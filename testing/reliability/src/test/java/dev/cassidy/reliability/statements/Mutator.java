package dev.cassidy.reliability.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoils a statement by changing tokens or characters. */
final class Mutator {

    private static final List<String> STRAY = List.of(
            ";", "'", "\"", "$$", "$", "/*", "*/", "--", "//", "(", ")", "[", "]", "{", "}", ",", ".", "..", ":", "?",
            "@", "@v", "#", "-", "N'x'", "INSERT", "INTO", "VALUES", "USING", "TTL", "IF", "NOT", "EXISTS", "JSON",
            "DEFAULT", "BEGIN", "BATCH", "APPLY", "SELECT", "FROM", "AND", "[a]", "dbo", "\0", "\u00a0", "\ufeff",
            "\u00e9", "\u017f", "\u212a", "\ud800", "\u2028", "\\", "`", "|", "1", "a", "null", "(int)", "::", "''",
            "\"\"", "GO");

    private final RandomGenerator random;

    Mutator(RandomGenerator random) {
        this.random = random;
    }

    String spoil(Pieces pieces) {
        List<String> tokens = new ArrayList<>(pieces.tokens());
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times && random.nextInt(5) > 0; i++) {
            spoil(tokens);
        }
        String text = Pieces.text(tokens, random);
        return random.nextInt(3) == 0 ? spoil(text) : text;
    }

    private void spoil(List<String> tokens) {
        if (tokens.isEmpty()) {
            return;
        }
        int at = random.nextInt(tokens.size());
        int other = random.nextInt(tokens.size());
        switch (random.nextInt(6)) {
            case 0 -> tokens.remove(at);
            case 1 -> tokens.add(at, tokens.get(at));
            case 2 -> tokens.set(at, tokens.set(other, tokens.get(at)));
            case 3 -> tokens.set(at, stray());
            case 4 -> tokens.add(at, stray());
            default -> tokens.add(other, tokens.remove(at));
        }
    }

    private String stray() {
        return STRAY.get(random.nextInt(STRAY.size()));
    }

    private String spoil(String text) {
        StringBuilder out = new StringBuilder(text);
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times && !out.isEmpty(); i++) {
            int at = random.nextInt(out.length());
            switch (random.nextInt(5)) {
                case 0 -> out.deleteCharAt(at);
                case 1 -> out.insert(at, stray());
                case 2 -> out.setCharAt(at, (char) random.nextInt(128));
                case 3 -> out.setCharAt(at, (char) random.nextInt(0x10000));
                default -> out.setLength(at);
            }
        }
        return out.toString();
    }
}
