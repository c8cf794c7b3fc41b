package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;

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

    final boolean isText(int at) {
        return tokens.kind(at) == Kind.STRING || tokens.kind(at) == Kind.NATIONAL;
    }

    /** Returns what a text as {@code '[dbo].[t]'} names. */
    final CqlInsert.Table named(int text) {
        Tokens content = new Tokens(RegularNames.bracketed(tokens.content(text)));
        int end = TableName.read(content, 0).end();
        if (end < 0 || !content.isEnd(end)) {
            throw new UnsupportedSqlException("OBJECT_ID(" + tokens.text(text) + ")", "name one object of a keyspace");
        }
        return TableName.internal(content, 0);
    }
}
