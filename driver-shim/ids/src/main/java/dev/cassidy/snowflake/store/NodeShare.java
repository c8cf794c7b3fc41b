package dev.cassidy.snowflake.store;

import dev.cassidy.snowflake.SnowflakeSpec;
import java.util.List;

/**
 * A datacenter's copy of a sequence, and the node numbers that are its own.
 *
 * @param destroyed for ever
 * @param grantNumber the last grant that was absorbed or skipped; 0 for none
 * @param grants those absorbed, by number; a copy that was made again does not know those before it
 */
public record NodeShare(SnowflakeSpec spec, boolean destroyed, int grantNumber, List<NodeGrant> grants) {
    public NodeShare {
        grants = List.copyOf(grants);
    }

    public int size() {
        return grants.stream().mapToInt(NodeGrant::size).sum();
    }

    public int highest() {
        return grants.stream().mapToInt(NodeGrant::hi).max().orElse(0);
    }
}
