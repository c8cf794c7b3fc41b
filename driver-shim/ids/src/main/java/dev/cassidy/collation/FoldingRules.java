package dev.cassidy.collation;

/**
 * What texts are compared by.
 *
 * @param ignoresCase A is a; raised and lowered digits are digits
 * @param ignoresAccents é is e
 * @param ignoresWidth full-width letters are letters
 * @param ignoresKana katakana is hiragana
 * @param ignoresSelectors characters that choose a variant of the one before have no weight
 * @param ignoresSupplementary characters beyond U+FFFF have no weight
 * @param turkish I is ı, and İ is i
 * @param own letters of the language's alphabet, which are no variants of other letters
 */
record FoldingRules(
        boolean ignoresCase,
        boolean ignoresAccents,
        boolean ignoresWidth,
        boolean ignoresKana,
        boolean ignoresSelectors,
        boolean ignoresSupplementary,
        boolean turkish,
        String own) {}
