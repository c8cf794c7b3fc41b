package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.session.SessionBuilder;

/**
 * Builds the driver's session by {@link SessionBuilder#buildAsync()}, where agents such as OpenTelemetry's put their own
 * session around it. A subclass makes its session of that one, so that an agent sees what is sent.
 */
abstract class DriverSessionBuilder<S extends DriverSessionBuilder<S, T>, T> extends SessionBuilder<S, T> {

    /** Returns the driver's session as it is, whatever its type is said to be. */
    // The subclass treats it as a CqlSession.
    @SuppressWarnings("unchecked")
    @Override
    protected final T wrap(CqlSession defaultSession) {
        return (T) defaultSession;
    }
}
