package dev.cassidy.recorder;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wraps an object of the old database's driver. Every call is passed on, also of methods that later versions of JDBC have, and
 * its result or exception is returned unchanged. A failure of the recorder itself never reaches the application.
 */
abstract class Handler implements InvocationHandler {

    static final Object[] NONE = {};

    private final Object real;
    private final Recording recording;

    Handler(Object real, Recording recording) {
        this.real = real;
        this.recording = recording;
    }

    final <T> @Nullable T aside(Supplier<T> own) {
        return recording.aside(own);
    }

    final void note(Runnable own) {
        recording.aside(() -> {
            own.run();
            return "";
        });
    }

    /** Returns {@code real} behind a handler, or {@code real} itself if no handler can be made. */
    static <T> T around(Class<T> type, T real, Recording recording, Supplier<Handler> handler) {
        T proxy = recording.aside(() -> proxy(type, handler.get()));
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
        return type.cast(Proxy.newProxyInstance(loader, interfaces.toArray(new Class<?>[0]), handler));
    }

    @Override
    public final @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        switch (method.getName()) {
            case "equals":
                if (arguments.length == 1) {
                    return proxy == arguments[0];
                }
                break;
            case "hashCode":
                if (arguments.length == 0) {
                    return System.identityHashCode(proxy);
                }
                break;
            case "toString":
                if (arguments.length == 0) {
                    return String.valueOf(real);
                }
                break;
            default:
                note(() -> recording.called(method, with(method.getName(), arguments)));
        }
        return call(proxy, method, arguments);
    }

    /** Returns a constant that matters among the arguments; empty for none. */
    String with(String method, Object[] arguments) {
        return "";
    }

    abstract @Nullable Object call(Object proxy, Method method, Object[] arguments) throws Throwable;

    final @Nullable Object pass(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw cause == null ? e : cause;
        }
    }
}
