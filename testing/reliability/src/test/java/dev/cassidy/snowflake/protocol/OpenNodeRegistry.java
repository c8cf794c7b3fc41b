package dev.cassidy.snowflake.protocol;

import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The registry of time-ordered sequences for a simulation. It is in the registry's package, because the registry is not
 * visible outside.
 */
public final class OpenNodeRegistry {

    private final NodeRegistry registry;

    public OpenNodeRegistry(NodeStore store, SnowflakeContext context) {
        this.registry = new NodeRegistry(store, context);
    }

    public CompletionStage<NodeShare> share(SnowflakeSpec spec) {
        return registry.share(spec);
    }

    public CompletionStage<Optional<SnowflakeSpec>> find(String name) {
        return registry.find(name);
    }

    public CompletionStage<Void> destroy(String name) {
        return registry.destroy(name);
    }
}
