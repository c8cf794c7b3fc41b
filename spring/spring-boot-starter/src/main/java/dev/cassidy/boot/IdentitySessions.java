package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentitySession;

/** Finds the IdentitySession behind proxies. */
final class IdentitySessions {

    private IdentitySessions() {}

    /** @throws IllegalStateException if there is none */
    static IdentitySession of(CqlSession session) {
        return IdentitySession.within(session)
                .orElseThrow(() -> new IllegalStateException("must fill identity columns, and does not: " + session
                        + "; make the session a bean of its own, of type CqlSession, and leave cassidy.enabled=true"));
    }
}
