package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import java.util.Optional;

/** A session around another one that checks what is sent through it. Cassidy's own statements bypass it. */
public interface WrappingSession {

    /** Returns the session that requests are sent through. */
    CqlSession unwrap();

    /**
     * Returns the wrapping session that {@code session} is, or that its requests go through: telemetry puts proxies and other
     * sessions around a session, which pass on what they do not know. Does no I/O.
     */
    static Optional<WrappingSession> of(CqlSession session) {
        if (session instanceof WrappingSession wrapping) {
            return Optional.of(wrapping);
        }
        return session.closeFuture() instanceof WrappingCloseStage stage
                ? Optional.of(stage.session())
                : Optional.empty();
    }
}
