package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sessions and statements that telemetry has put a proxy around. */
final class Proxies {

    private Proxies() {}

    /**
     * Returns an IdentitySession whose requests go through {@code outside}, a proxy around {@code inside}, which fills them.
     */
    static IdentitySession around(CqlSession outside, IdentitySession inside) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> outside.toString();
                };
            }
            // The driver's methods are those that a CqlSession has too.
            if (method.getDeclaringClass().isInstance(outside)) {
                return call(outside, method, arguments);
            }
            Object returned = call(inside, method, arguments);
            if (!method.getName().startsWith("with")) {
                return returned;
            }
            if (returned == inside) {
                return proxy;
            }
            throw new IllegalStateException("must be chosen before the session is given to what wraps it, "
                    + outside.getClass().getName() + ": " + method.getName() + "(" + arguments[0] + ")");
        };
        return (IdentitySession) Proxy.newProxyInstance(
                IdentitySession.class.getClassLoader(), new Class<?>[] {IdentitySession.class}, handler);
    }

    /**
     * Returns a statement that is {@code filled} and also has the interfaces that a proxy around {@code given} has added, such
     * as that by which Spring Data finds a statement's observation when the driver has executed it.
     */
    static Statement<?> like(Statement<?> given, Statement<?> filled) {
        if (filled == given || !Proxy.isProxyClass(given.getClass()) || Proxy.isProxyClass(filled.getClass())) {
            return filled;
        }
        Set<Class<?>> interfaces =
                new LinkedHashSet<>(Arrays.asList(given.getClass().getInterfaces()));
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (!method.getDeclaringClass().isInstance(filled)) {
                // By its handler: the interface may belong to its package alone.
                return Proxy.getInvocationHandler(given).invoke(given, method, arguments);
            }
            Object returned = call(filled, method, arguments);
            return returned instanceof Statement<?> changed ? like(given, changed) : returned;
        };
        return (Statement<?>)
                Proxy.newProxyInstance(given.getClass().getClassLoader(), interfaces.toArray(Class<?>[]::new), handler);
    }

    /** Whether a session is a proxy, which may not know requests that are no statements. */
    static boolean isProxy(CqlSession session) {
        return Proxy.isProxyClass(session.getClass());
    }

    /** Returns the statement of which the driver makes this request. */
    static SimpleStatement statement(PrepareRequest request) {
        return SimpleStatement.builder(request.getQuery())
                .setKeyspace(request.getKeyspace())
                .setExecutionProfileName(request.getExecutionProfileNameForBoundStatements())
                .setExecutionProfile(request.getExecutionProfileForBoundStatements())
                .setRoutingKeyspace(request.getRoutingKeyspaceForBoundStatements())
                .setRoutingKey(request.getRoutingKeyForBoundStatements())
                .setRoutingToken(request.getRoutingTokenForBoundStatements())
                .setIdempotence(request.areBoundStatementsIdempotent())
                .setTimeout(request.getTimeoutForBoundStatements())
                .setPagingState(request.getPagingStateForBoundStatements())
                .setPageSize(request.getPageSizeForBoundStatements())
                .setConsistencyLevel(request.getConsistencyLevelForBoundStatements())
                .setSerialConsistencyLevel(request.getSerialConsistencyLevelForBoundStatements())
                .setTracing(request.areBoundStatementsTracing())
                .build()
                .setCustomPayload(request.getCustomPayload());
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
