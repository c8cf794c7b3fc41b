package dev.cassidy.reliability.unique;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of one row of {@code account}. It is recorded as {@code KIND:STAMP:ID:EMAIL:CODE}.
 *
 * @param kind INSERT; UPDATE, DELETE by id; TOUCH, which writes no more than the stamp, and ERASE, which deletes, by e-mail address
 * @param stamp no other change has it; the row has it afterwards as its {@code n}
 * @param id {@link #NONE} if the row is not named by it
 * @param email as it is written, or the one that names the row; {@link #NONE} if it is not written; {@link #NULL}
 * @param code likewise
 */
record Change(Kind kind, int stamp, String id, String email, String code) {

    enum Kind {
        INSERT,
        UPDATE,
        DELETE,
        TOUCH,
        ERASE
    }

    static final String NONE = "-";
    static final String NULL = "null";

    /** Words are recorded without blanks. */
    private static final char BLANK = '_';

    static Change insert(int stamp, String email, String code) {
        return new Change(Kind.INSERT, stamp, NONE, email, code);
    }

    static Change update(int stamp, String id, String email, String code) {
        return new Change(Kind.UPDATE, stamp, id, email, code);
    }

    static Change delete(int stamp, String id) {
        return new Change(Kind.DELETE, stamp, id, NONE, NONE);
    }

    static Change parse(String text) {
        String[] words = text.split(":", -1);
        return new Change(Kind.valueOf(words[0]), Integer.parseInt(words[1]), words[2], words[3], words[4]);
    }

    static List<Change> all(String text) {
        return List.of(text.split(",", -1)).stream().map(Change::parse).toList();
    }

    static String text(List<Change> changes) {
        return changes.stream().map(Change::toString).collect(Collectors.joining(","));
    }

    /** Returns whether the row is gone afterwards. */
    boolean removes() {
        return kind == Kind.DELETE || kind == Kind.ERASE;
    }

    /** Returns the value that it gives to a column; {@link #NONE} if it gives none. */
    String given(String column) {
        return kind == Kind.INSERT || kind == Kind.UPDATE ? column.equals("email") ? email : code : NONE;
    }

    /** Returns a recorded address as the column has it. */
    static @Nullable String emailOf(String word) {
        return word.equals(NULL) ? null : word.replace(BLANK, ' ');
    }

    static @Nullable Integer codeOf(String word) {
        return word.equals(NULL) ? null : Integer.valueOf(word);
    }

    /** Returns a column's value as it is recorded. */
    static String word(@Nullable Object value) {
        return value == null ? NULL : value.toString().replace(' ', BLANK);
    }

    @Override
    public String toString() {
        return kind + ":" + stamp + ":" + id + ":" + email + ":" + code;
    }
}
