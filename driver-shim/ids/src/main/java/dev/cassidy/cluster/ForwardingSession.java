package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metrics.Metrics;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A session around another one, which it asks for all but the execution of requests. */
public abstract class ForwardingSession implements CqlSession {

    private final CqlSession session;

    protected ForwardingSession(CqlSession session) {
        this.session = session;
    }

    /** Returns the session that requests are sent through. */
    public CqlSession unwrap() {
        return session;
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return session.closeAsync();
    }

    @Override
    public CompletionStage<Void> forceCloseAsync() {
        return session.forceCloseAsync();
    }

    @Override
    public CompletionStage<Void> closeFuture() {
        return session.closeFuture();
    }

    @Override
    public boolean isClosed() {
        return session.isClosed();
    }

    @Override
    public String getName() {
        return session.getName();
    }

    @Override
    public Metadata getMetadata() {
        return session.getMetadata();
    }

    @Override
    public boolean isSchemaMetadataEnabled() {
        return session.isSchemaMetadataEnabled();
    }

    @Override
    public CompletionStage<Metadata> setSchemaMetadataEnabled(@Nullable Boolean newValue) {
        return session.setSchemaMetadataEnabled(newValue);
    }

    @Override
    public CompletionStage<Metadata> refreshSchemaAsync() {
        return session.refreshSchemaAsync();
    }

    @Override
    public CompletionStage<Boolean> checkSchemaAgreementAsync() {
        return session.checkSchemaAgreementAsync();
    }

    @Override
    public DriverContext getContext() {
        return session.getContext();
    }

    @Override
    public Optional<CqlIdentifier> getKeyspace() {
        return session.getKeyspace();
    }

    @Override
    public Optional<Metrics> getMetrics() {
        return session.getMetrics();
    }
}
