package dev.cassidy.insert;

/** What a token is. */
public enum Kind {
    END,
    /** A bare name or keyword. */
    WORD,
    /** {@code "name"}. */
    QUOTED,
    /** {@code [name]}; in T-SQL only. */
    BRACKETED,
    /** {@code 'text'} or {@code $$text$$}. */
    STRING,
    /** {@code N'text'}. */
    NATIONAL,
    /** Digits and what clings to them: 1, 1.5, 0xff, 1h30m. */
    NUMBER,
    /** {@code ?}. */
    MARKER,
    /** {@code :name}. */
    NAMED_MARKER,
    /** {@code @name} or {@code @@name}. */
    VARIABLE,
    /** One character of punctuation. */
    SYMBOL,
    /** A string, name or comment without its end. */
    UNTERMINATED;

    public boolean isName() {
        return this == WORD || this == QUOTED || this == BRACKETED;
    }
}
