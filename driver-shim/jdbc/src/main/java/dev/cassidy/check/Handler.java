package dev.cassidy.check;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps an object of the old database's driver. Every call is passed on, and its result or exception is returned
 * unchanged. A failure of the check itself is logged and never reaches the application.
 */
abstract class Handler implements InvocationHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Handler.class);

    private final Object real;

    Handler(Object real) {
        this.real = real;
    }

    /** Does work that only the check needs; null if it fails. */
    static <T> @Nullable T aside(Supplier<T> own) {
        try {
            return own.get();
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            LOG.warn("Cassidy's check failed; its report will lack this part, and the application runs on", e);
            return null;
        }
    }

    static void aside(Runnable own) {
        var unused = aside(() -> {
            own.run();
            return true;
        });
    }

    /** Returns {@code real} behind a handler, or {@code real} itself if no handler can be made. */
    static <T> T around(Class<T> type, T real, Supplier<Handler> handler) {
        T proxy = aside(() -> proxy(type, handler.get()));
        return proxy == null ? real : proxy;
    }

    /** Returns an object of all the interfaces that the real one has, including {@code type}. */
    private static <T> T proxy(Class<T> type, Handler handler) {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        interfaces.add(type);
        ClassLoader loader = handler.real.getClass().getClassLoader();
        if (loader == null) {
            loader = Handler.class.getClassLoader();
        }
        for (Class<?> each = handler.real.getClass(); each != null; each = each.getSuperclass()) {
            for (Class<?> implemented : each.getInterfaces()) {
                // The driver's own interfaces too: an application may cast to them.
                if (Modifier.isPublic(implemented.getModifiers())) {
                    interfaces.add(implemented);
                }
            }
        }
        return type.cast(Proxy.newProxyInstance(loader, interfaces.toArray(Class<?>[]::new), handler));
    }

    @Override
    public final @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        switch (method.getName()) {
            case "equals" -> {
                return arguments.length == 1 && proxy == arguments[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "toString" -> {
                return String.valueOf(real);
            }
            default -> {
                return call(proxy, method, arguments);
            }
        }
    }

    abstract @Nullable Object call(Object proxy, Method method, Object[] arguments) throws Throwable;

    final @Nullable Object pass(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
