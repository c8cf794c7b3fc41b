package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.session.SessionBuilder;
import dev.cassidy.sequence.SequencesConfig;

/** Builds an {@link IdentitySession}: every option of the driver's own builder, and the configuration of the sequences. */
public final class IdentitySessionBuilder extends SessionBuilder<IdentitySessionBuilder, IdentitySession> {

    private SequencesConfig config = SequencesConfig.defaults();

    IdentitySessionBuilder() {}

    /** Sets how the sequences are opened; by default {@link SequencesConfig#defaults()}. */
    public IdentitySessionBuilder withSequences(SequencesConfig sequencesConfig) {
        config = sequencesConfig;
        return this;
    }

    @Override
    protected IdentitySession wrap(CqlSession defaultSession) {
        return IdentitySession.wrap(defaultSession, config);
    }
}
