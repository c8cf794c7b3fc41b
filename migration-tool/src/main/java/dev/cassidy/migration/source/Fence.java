package dev.cassidy.migration.source;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A limit that the source itself keeps: it refuses rows with ids beyond {@code last}.
 *
 * @param name of the constraint or trigger
 * @param last the last id that may be inserted
 * @param enabled whether the source applies it to inserts
 */
public record Fence(String name, BigInteger last, boolean enabled) {

    private static final String PREFIX = "cassidy_fence_";
    private static final Pattern BOUND = Pattern.compile("(?:<=|>=|>|<)\\D*?(-?\\d+)");

    /**
     * Returns the name of a fence. It differs with the limit, so that a new fence can be added before the old one is
     * removed, and it is short enough for every engine.
     */
    static String name(SourceColumn column, BigInteger last) {
        return prefix(column) + (last.signum() < 0 ? "m" : "") + last.abs();
    }

    /** Returns the name of a fence at {@code last} that can stand beside {@code other}. */
    static String nameBeside(SourceColumn column, BigInteger last, Fence other) {
        String name = name(column, last);
        return name.equals(other.name()) ? name + "_again" : name;
    }

    static String prefix(SourceColumn column) {
        CRC32 hash = new CRC32();
        hash.update(column.name().getBytes(StandardCharsets.UTF_8));
        return PREFIX + String.format("%08x", hash.getValue()) + "_";
    }

    /** Reads a fence from its definition in the catalogue; empty if that is no fence of this tool. */
    static Optional<Fence> parse(SourceColumn column, String name, String definition, boolean enabled) {
        Matcher bound = BOUND.matcher(definition.replaceAll("[()'\\s]", ""));
        return name.startsWith(prefix(column)) && bound.find()
                ? Optional.of(new Fence(name, new BigInteger(bound.group(1)), enabled))
                : Optional.empty();
    }
}
