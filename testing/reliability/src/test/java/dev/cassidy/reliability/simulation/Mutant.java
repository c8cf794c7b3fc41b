package dev.cassidy.reliability.simulation;

import static net.bytebuddy.matcher.ElementMatchers.is;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/** The product with bugs woven into its classes, and a simulation of it, in a separate class loader. */
public final class Mutant {

    private static final String SIMULATION = "dev.cassidy.reliability.simulation.";

    private final String product;
    private final String runner;
    private final Map<String, byte[]> mutated = new HashMap<>();

    /** Creates a mutant of the sequences. */
    Mutant() {
        this("dev.cassidy.sequence.", "AllocatorSimulation");
    }

    private Mutant(String product, String runner) {
        this.product = product;
        this.runner = runner;
    }

    static Mutant ofStreams() {
        return new Mutant("dev.cassidy.sequence.", "StreamsSimulation");
    }

    static Mutant ofSnowflakes() {
        return new Mutant("dev.cassidy.snowflake.", "SnowflakeSimulation");
    }

    static Mutant ofLeases() {
        return new Mutant("dev.cassidy.snowflake.", "LeaseSimulation");
    }

    public static Mutant ofCounters() {
        return new Mutant("dev.cassidy.counter.", "counter.CounterSimulation");
    }

    /**
     * @param method the name of a method of a class in the product's package; all methods with this name are changed
     */
    public Mutant with(Class<?> mutation, String type, String method) {
        return visited(type, Advice.to(mutation).on(named(method)));
    }

    /**
     * Replaces one call with another.
     *
     * @param from the prefix of the names of the calling methods; for a lambda, {@code lambda$} and the name of its
     *     method
     * @param called the method that they call
     * @param instead a method that takes the receiver of the call and no other argument
     */
    Mutant calling(String type, String from, Method called, Method instead) {
        return visited(
                type,
                MemberSubstitution.relaxed()
                        .method(is(called))
                        .replaceWith(instead)
                        .on(nameStartsWith(from)));
    }

    private Mutant visited(String type, AsmVisitorWrapper visitor) {
        // A class that already has a bug gets another one.
        ClassFileLocator classes = new ClassFileLocator.Compound(
                new ClassFileLocator.Simple(mutated),
                ClassFileLocator.ForClassLoader.of(Mutant.class.getClassLoader()));
        byte[] bytes = new ByteBuddy()
                // By default, lambdas are ignored.
                .ignore(none())
                .redefine(TypePool.Default.of(classes).describe(product + type).resolve(), classes)
                .visit(visitor)
                .make()
                .getBytes();
        mutated.put(product + type, bytes);
        return this;
    }

    /** Returns a simulation of the mutant. */
    public Simulation simulation() {
        try {
            Class<?> type = Class.forName(SIMULATION + runner, true, new Loader());
            var constructor = type.getConstructor(long.class);
            var run = type.getMethod("run");
            return seed -> {
                Object result = run.invoke(constructor.newInstance(seed));
                var violations = result.getClass().getMethod("violations");
                return ((List<?>) violations.invoke(result))
                        .stream().map(Object::toString).toList();
            };
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the simulation of a mutant", e);
        }
    }

    /** Returns the violations of one schedule. */
    @FunctionalInterface
    public interface Simulation {
        List<String> violations(long seed) throws ReflectiveOperationException;
    }

    private final class Loader extends ClassLoader {
        Loader() {
            super(Mutant.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(product) && !name.startsWith(SIMULATION)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = mutated.get(name);
            if (bytes == null) {
                bytes = original(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] original(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
