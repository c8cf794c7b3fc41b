package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.SequencesConfig;
import java.util.concurrent.CompletionStage;

/** Builds an {@link IdentitySession}: every option of the driver's own builder, and the configuration of the sequences. */
public final class IdentitySessionBuilder extends DriverSessionBuilder<IdentitySessionBuilder, IdentitySession> {

    private SequencesConfig config = SequencesConfig.defaults();
    private ExplicitIds explicitIds = ExplicitIds.ISSUED;
    private ExactConditions conditions = ExactConditions.GIVEN;

    IdentitySessionBuilder() {}

    /** Sets how the sequences are opened; by default {@link SequencesConfig#defaults()}. */
    public IdentitySessionBuilder withSequences(SequencesConfig sequencesConfig) {
        config = sequencesConfig;
        return this;
    }

    /** Sets which explicit ids are accepted; by default {@link ExplicitIds#ISSUED}. */
    public IdentitySessionBuilder withExplicitIds(ExplicitIds accepted) {
        explicitIds = accepted;
        return this;
    }

    /**
     * Sets what is done with writes that lack the condition of an exact table; by default {@link ExactConditions#GIVEN}. An execution
     * profile that says it too counts more, for its statements.
     */
    public IdentitySessionBuilder withExactConditions(ExactConditions exactConditions) {
        conditions = exactConditions;
        return this;
    }

    /**
     * Builds the session and opens its sequences; blocks.
     *
     * @throws dev.cassidy.sequence.SequenceException.SchemaMissing if Cassidy's keyspaces do not exist
     */
    @Override
    public IdentitySession build() {
        return FillingSession.await(buildAsync());
    }

    /** As {@link #build()}, without blocking. */
    // Not even a cast to IdentitySession of what the driver's builder returns.
    @Override
    public CompletionStage<IdentitySession> buildAsync() {
        // Not on the driver's thread that completes the stage: opening the sequences waits for answers.
        CompletionStage<? extends CqlSession> driver = super.buildAsync();
        return driver.thenApplyAsync(this::wrapOrClose, task -> {
            Thread thread = new Thread(task, "cassidy-open-sequences");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private IdentitySession wrapOrClose(CqlSession session) {
        try {
            return IdentitySession.wrap(session, config, explicitIds).withExactConditions(conditions);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }
}
