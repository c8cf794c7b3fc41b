package dev.cassidy.jdbc.session;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the option {@code fanOut} says of statements that ask nodes all over the cluster.
 *
 * @param mode what it says of all tables; null for the default, which depends on the number of nodes
 * @param allowed the tables for which it is accepted without a warning; one without a keyspace stands for the table of
 *     that name in every keyspace
 */
public record FanOut(@Nullable Mode mode, Set<CqlInsert.Table> allowed) {

    /** What is done with such a statement. */
    public enum Mode {
        WARN,
        REFUSE
    }

    private static final String ALLOW = "allow:";
    private static final String NAME = "(\"[^\",:.]+\"|[A-Za-z][A-Za-z0-9_]*)";
    private static final Pattern TABLE = Pattern.compile("(?:" + NAME + "\\.)?" + NAME);

    public FanOut {
        allowed = Set.copyOf(allowed);
    }

    /**
     * Reads the option's value.
     *
     * @throws IllegalArgumentException saying the rule
     */
    static FanOut parse(String option) {
        if (option.equals("auto")) {
            return new FanOut(null, Set.of());
        }
        if (option.equals("warn") || option.equals("refuse")) {
            return new FanOut(option.equals("warn") ? Mode.WARN : Mode.REFUSE, Set.of());
        }
        if (!option.startsWith(ALLOW)) {
            throw rule();
        }
        Set<CqlInsert.Table> allowed = new HashSet<>();
        for (String entry : option.substring(ALLOW.length()).split(",", -1)) {
            Matcher matcher = TABLE.matcher(entry.strip());
            if (!matcher.matches()) {
                throw rule();
            }
            allowed.add(new CqlInsert.Table(
                    matcher.group(1) == null ? null : Identifiers.toInternal(matcher.group(1)),
                    Identifiers.toInternal(matcher.group(2))));
        }
        return new FanOut(null, allowed);
    }

    private static IllegalArgumentException rule() {
        return new IllegalArgumentException(
                "must be auto, warn, refuse, or allow:table,table..., such as allow:orders or"
                        + " allow:shop.orders,shop.customer, with a name in double quotes where its case matters");
    }

    /** Returns whether statements on the table may ask any number of nodes. */
    boolean allows(CqlInsert.Table table) {
        return allowed.contains(table) || allowed.contains(new CqlInsert.Table(null, table.name()));
    }

    /** Returns the table as the option names it. */
    static String entry(CqlInsert.Table table) {
        return Optional.ofNullable(table.keyspace())
                        .map(keyspace -> Identifiers.toCql(keyspace) + ".")
                        .orElse("")
                + Identifiers.toCql(table.name());
    }
}
