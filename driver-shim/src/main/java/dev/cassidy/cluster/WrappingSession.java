package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;

/** A session around another one that checks what is sent through it. Cassidy's own statements bypass it. */
public interface WrappingSession {

    /** Returns the session that requests are sent through. */
    CqlSession unwrap();
}
