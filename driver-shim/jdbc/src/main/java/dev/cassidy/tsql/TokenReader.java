package dev.cassidy.tsql;

import dev.cassidy.insert.Tokens;

/** Reads tokens one after another. */
abstract class TokenReader {

    final Tokens tokens;

    /** The token to read next. */
    int token;

    TokenReader(Tokens tokens, int token) {
        this.tokens = tokens;
        this.token = token;
    }

    /** Returns whether a word comes next, and passes it. */
    final boolean word(String word) {
        boolean is = tokens.isWord(token, word);
        token += is ? 1 : 0;
        return is;
    }

    /** Returns whether a symbol comes next, and passes it. */
    final boolean symbol(char symbol) {
        boolean is = tokens.isSymbol(token, symbol);
        token += is ? 1 : 0;
        return is;
    }
}
