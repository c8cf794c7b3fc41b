package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.metadata.Node;

/**
 * A setting of a node that stands against the server's functions.
 *
 * @param setting its name in {@code cassandra.yaml}
 * @param value what the node has
 * @param advice what to do about it
 */
public record CrdtFunctionsFinding(Severity severity, Node node, String setting, String value, String advice) {

    /** In the order in which they should worry. */
    public enum Severity {
        /** The script's functions cannot be installed or called. The jar's can. */
        IMPOSSIBLE,
        /** The node, or what is on it, is at risk when the script's functions are called. */
        DANGEROUS,
        /** The functions work, but they cost more than they have to, or end sooner. */
        SLOW,
        /** The setting could not be read. */
        UNKNOWN
    }

    @Override
    public String toString() {
        return severity + ": " + setting + "=" + value + " on " + node.getEndPoint() + "; " + advice;
    }
}
