package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.metadata.Node;
import java.util.OptionalInt;

/**
 * Whether a node has the jar of native functions.
 *
 * @param version of the jar's functions, as of {@code crdt_pack_version()}; empty if the node has none or did not answer
 * @param problem why the node did not answer; empty if it did
 */
public record CrdtFunctionsOnNode(Node node, OptionalInt version, String problem) {

    /** Whether the node has the functions. A node that did not answer may have them. */
    public boolean isInstalled() {
        return version.isPresent();
    }
}
