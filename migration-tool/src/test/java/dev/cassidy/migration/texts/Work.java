package dev.cassidy.migration.texts;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Counts what a reader of a text does: a step for each call of a method of the product, each turn of a loop and each character that
 * the JDK looks at for it, and the bytes that it allocates. The product's classes are loaded a second time, with these counts woven
 * into them. The same text always takes the same steps. For one thread.
 */
public final class Work {

    /** Stops what would not end within a test. */
    static final class TooMuch extends Error {
        private static final long serialVersionUID = 1;

        TooMuch(long steps) {
            super("more than " + steps + " steps", null, false, false);
        }
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static long steps;
    private static long limit = Long.MAX_VALUE;

    private Work() {}

    /** What a reader did with one text. */
    record Done(long steps, long bytes) {}

    /** Runs the action, and returns what it did. */
    static Done of(Runnable action, long mostSteps) {
        steps = 0;
        limit = mostSteps;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        action.run();
        return new Done(steps, THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    // ---- what counts

    public static void step() {
        steps(1);
    }

    private static void steps(long more) {
        steps += more;
        if (steps > limit) {
            throw new TooMuch(limit);
        }
    }

    private static int found(String text, int from, int found) {
        steps(Math.max(0, (found < 0 ? text.length() : found) - from));
        return found;
    }

    public static int indexOf(String text, int c) {
        return found(text, 0, text.indexOf(c));
    }

    public static int indexOf(String text, int c, int from) {
        return found(text, from, text.indexOf(c, from));
    }

    public static int indexOf(String text, String part) {
        return found(text, 0, text.indexOf(part));
    }

    public static int indexOf(String text, String part, int from) {
        return found(text, from, text.indexOf(part, from));
    }

    public static int lastIndexOf(String text, int c) {
        steps(text.length());
        return text.lastIndexOf(c);
    }

    public static int lastIndexOf(String text, String part) {
        steps(text.length());
        return text.lastIndexOf(part);
    }

    public static boolean contains(String text, CharSequence part) {
        found(text, 0, text.indexOf(part.toString()));
        return text.contains(part);
    }

    public static String toLowerCase(String text, java.util.Locale locale) {
        steps(text.length());
        return text.toLowerCase(locale);
    }

    public static String toUpperCase(String text, java.util.Locale locale) {
        steps(text.length());
        return text.toUpperCase(locale);
    }

    public static String strip(String text) {
        steps(text.length());
        return text.strip();
    }

    public static boolean isBlank(String text) {
        steps(text.length());
        return text.isBlank();
    }

    public static String replace(String text, CharSequence part, CharSequence other) {
        steps(text.length());
        return text.replace(part, other);
    }

    public static IntStream chars(String text) {
        steps(text.length());
        return text.chars();
    }

    public static StringBuilder insert(StringBuilder text, int at, String part) {
        steps(text.length() - at);
        return text.insert(at, part);
    }

    public static StringBuilder delete(StringBuilder text, int from, int to) {
        steps(text.length() - from);
        return text.delete(from, to);
    }

    public static StringBuilder deleteCharAt(StringBuilder text, int at) {
        steps(text.length() - at);
        return text.deleteCharAt(at);
    }

    public static int indexOf(List<?> list, Object item) {
        steps(list.size());
        return list.indexOf(item);
    }

    public static int lastIndexOf(List<?> list, Object item) {
        steps(list.size());
        return list.lastIndexOf(item);
    }

    public static boolean contains(List<?> list, Object item) {
        steps(list.size());
        return list.contains(item);
    }

    public static boolean contains(Collection<?> all, Object item) {
        steps(all instanceof List<?> ? all.size() : 1);
        return all.contains(item);
    }

    public static Object remove(List<?> list, int at) {
        steps(list.size() - at);
        return list.remove(at);
    }

    public static boolean containsValue(Map<?, ?> map, Object value) {
        steps(map.size());
        return map.containsValue(value);
    }

    public static Matcher matcher(Pattern pattern, CharSequence text) {
        return pattern.matcher(new Counted(text.toString()));
    }

    public static boolean matches(String text, String regex) {
        return matcher(Pattern.compile(regex), text).matches();
    }

    public static String replaceAll(String text, String regex, String replacement) {
        return matcher(Pattern.compile(regex), text).replaceAll(replacement);
    }

    public static String replaceFirst(String text, String regex, String replacement) {
        return matcher(Pattern.compile(regex), text).replaceFirst(replacement);
    }

    public static String[] split(String text, String regex, int limit) {
        return Pattern.compile(regex).split(new Counted(text), limit);
    }

    /** Counts the characters that a regular expression looks at. */
    private record Counted(String text) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            step();
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    // ---- where it is counted

    /** Loads the product's classes, and the readers of this test, with counts in them. */
    static final class Loader extends ClassLoader {

        Loader() {
            super(Work.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean counts = name.startsWith("dev.cassidy.") && !name.startsWith(Work.class.getName());
            if (!counts) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? counted(name) : loaded;
            }
        }

        private Class<?> counted(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                ClassReader reader = new ClassReader(in);
                ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
                reader.accept(new Counting(writer), 0);
                byte[] bytes = writer.toByteArray();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private static final class Counting extends ClassVisitor {

        private static final String WORK = Work.class.getName().replace('.', '/');

        Counting(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            return new MethodVisitor(Opcodes.ASM9, next) {

                private final java.util.Set<Label> passed = new java.util.HashSet<>();

                @Override
                public void visitCode() {
                    super.visitCode();
                    count();
                }

                @Override
                public void visitLabel(Label label) {
                    passed.add(label);
                    super.visitLabel(label);
                }

                @Override
                public void visitJumpInsn(int opcode, Label label) {
                    if (passed.contains(label)) {
                        count();
                    }
                    super.visitJumpInsn(opcode, label);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean ofInterface) {
                    String instead = "(L" + owner + ";" + type.substring(1);
                    boolean virtual = opcode == Opcodes.INVOKEVIRTUAL || opcode == Opcodes.INVOKEINTERFACE;
                    if (virtual && isCounted(called, instead)) {
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, WORK, called, instead, false);
                    } else {
                        super.visitMethodInsn(opcode, owner, called, type, ofInterface);
                    }
                }

                private void count() {
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, WORK, "step", "()V", false);
                }
            };
        }

        private static boolean isCounted(String name, String descriptor) {
            return java.util.Arrays.stream(Work.class.getMethods())
                    .anyMatch(method -> method.getName().equals(name)
                            && net.bytebuddy.jar.asm.Type.getMethodDescriptor(method)
                                    .equals(descriptor));
        }
    }
}
