package dev.cassidy.recorder;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A result set or the metadata of the old database: an object that returns the one that it comes from. */
final class ResultHandler extends Handler {

    private final String getter;
    private final Object origin;

    /** @param getter the method that returns {@code origin} */
    ResultHandler(Object real, Recording recording, String getter, Object origin) {
        super(real, recording);
        this.getter = getter;
        this.origin = origin;
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object result = pass(method, arguments);
        // The real one first: it throws if it is closed. Frameworks check whether it is the one that they hold.
        return result != null && arguments.length == 0 && method.getName().equals(getter) ? origin : result;
    }
}
