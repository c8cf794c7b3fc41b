package dev.cassidy.reliability.faults;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The conditional statements of Cassidy's stores, distinguished by their text. The first matching pattern decides. */
enum Step {
    GRANT("UPDATE \\S+\\.seq SET inc .*; INSERT INTO \\S+\\.seq .* grantee\\)"),
    ABSORB("UPDATE \\S+\\.reserve SET inc .* AND increment = \\?$"),
    CLAIM("UPDATE \\S+\\.reserve SET inc .* AND increment = \\?; INSERT"),
    /** A claim that moves on to the upcoming range; only its values distinguish it from another claim. */
    ROLL_OVER("UPDATE \\S+\\.reserve SET inc .* AND increment = \\?; INSERT"),
    CLAIM_TAIL("UPDATE \\S+\\.reserve SET inc .* AND increment = \\?; UPDATE"),
    GIVE_BACK("UPDATE \\S+\\.reserve SET inc .* AND increment = \\?; DELETE"),
    INSERT("UPDATE \\S+\\.seq SET inc .* IF inc = null"),
    ESTABLISH("UPDATE \\S+\\.reserve SET inc .* IF inc = null"),
    INSERT_COPY("INSERT INTO \\S+\\.sequence "),
    REPLACE("UPDATE \\S+\\.seq SET inc .* IF inc = \\?"),
    ADOPT("UPDATE \\S+\\.reserve SET inc .* IF inc = \\?$"),
    NOTE_ACKNOWLEDGED("UPDATE \\S+\\.sequence SET acknowledged"),
    REPLACE_COPY("UPDATE \\S+\\.sequence SET"),
    FORGET("DELETE FROM \\S+\\.reserve"),
    ACKNOWLEDGE("INSERT INTO \\S+\\.seq "),
    NODES_CREATE("UPDATE \\S+\\.snowflake SET .* next = 0"),
    NODES_JOIN("UPDATE \\S+\\.snowflake SET epoch_ms .* grant_no = \\? WHERE"),
    NODES_GRANT("UPDATE \\S+\\.snowflake SET epoch_ms .* next = \\? WHERE .*; INSERT"),
    NODE_PREPARE("INSERT INTO \\S+\\.snowflake_node"),
    NODES_ABSORB("UPDATE \\S+\\.snowflake SET grant_no .*; INSERT"),
    NODES_SKIP("UPDATE \\S+\\.snowflake SET grant_no"),
    NODE_TAKE("UPDATE \\S+\\.snowflake_node SET epoch .* free = false, holder"),
    NODE_RENEW("UPDATE \\S+\\.snowflake_node SET epoch .* free = false WHERE"),
    NODE_RELEASE("UPDATE \\S+\\.snowflake_node SET epoch .* free = true WHERE"),
    NODES_DESTROY("UPDATE \\S+\\.snowflake SET epoch_ms .* next = \\? WHERE"),
    NODES_DESTROY_HERE("UPDATE \\S+_dc1\\.snowflake SET destroyed");

    private static final Pattern CONDITION = Pattern.compile(" IF ");
    private static final Pattern TABLE = Pattern.compile("(?:UPDATE|INTO|FROM) (\\S+)");

    /**
     * Positions among the values of a claim: the end of the current range after the claim, and its end as it was read.
     */
    private static final int HI_AFTER = 2;

    private static final int HI_SEEN = 14;

    private final Pattern text;

    Step(String text) {
        this.text = Pattern.compile(text);
    }

    /**
     * Returns the step of a statement, or of a batch's statements joined by {@code "; "}; empty if it has no condition.
     *
     * @throws IllegalArgumentException if it has a condition and is none of these steps, because the matrix would not
     *     contain it
     */
    static Optional<Step> of(String cql) {
        if (!CONDITION.matcher(cql).find()) {
            return Optional.empty();
        }
        for (Step step : values()) {
            if (step.text.matcher(cql).lookingAt()) {
                return Optional.of(step);
            }
        }
        throw new IllegalArgumentException("a conditional statement that the matrix does not know: " + cql);
    }

    /** @param values those of the statement, or of all statements of a batch in order */
    Step with(List<ByteBuffer> values) {
        return this == CLAIM && !values.get(HI_AFTER).equals(values.get(HI_SEEN)) ? ROLL_OVER : this;
    }

    /** Returns the table that a statement reads or writes; a batch has only one. */
    static String tableOf(String cql) {
        Matcher table = TABLE.matcher(cql);
        return table.find() ? table.group(1) : "";
    }
}
