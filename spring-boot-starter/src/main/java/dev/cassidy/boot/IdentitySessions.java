package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentitySession;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;

/** Finds the IdentitySession behind the proxies of Spring. */
final class IdentitySessions {

    private IdentitySessions() {}

    /** Returns null if there is none. */
    static @Nullable IdentitySession within(CqlSession session) {
        Object inner = session;
        while (inner != null && !(inner instanceof IdentitySession)) {
            inner = AopProxyUtils.getSingletonTarget(inner);
        }
        return (IdentitySession) inner;
    }

    /** @throws IllegalStateException if there is none */
    static IdentitySession of(CqlSession session) {
        IdentitySession identities = within(session);
        if (identities == null) {
            throw new IllegalStateException("must fill identity columns, and does not: " + session
                    + "; make the session a bean of its own, of type CqlSession, and leave cassidy.enabled=true");
        }
        return identities;
    }
}
