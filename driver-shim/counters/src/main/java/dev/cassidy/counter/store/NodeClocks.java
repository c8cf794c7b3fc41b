package dev.cassidy.counter.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The clocks of this datacenter's nodes. Nothing blocks. */
public interface NodeClocks {

    /**
     * What a node's clock says.
     *
     * @param node its name, for messages
     */
    record NodeTime(String node, Instant time) {}

    /** Asks some nodes for their time. There is a stage for each; that of a node which does not answer fails. */
    List<CompletionStage<NodeTime>> ask();
}
