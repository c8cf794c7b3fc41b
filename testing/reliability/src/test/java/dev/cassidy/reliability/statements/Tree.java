package dev.cassidy.reliability.statements;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The complete result of Cassandra's parser as text: statements with equal trees are the same statement. */
final class Tree {

    /** The fields of a class; empty for a class whose objects are written by their toString. */
    private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            List<Field> fields = new ArrayList<>();
            for (Class<?> at = type; at != null && isPart(type); at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    // The names of markers are compared separately.
                    if (!Modifier.isStatic(field.getModifiers())
                            && !field.getName().equals("bindVariables")) {
                        field.setAccessible(true);
                        fields.add(field);
                    }
                }
            }
            return List.copyOf(fields);
        }
    };

    private final StringBuilder out = new StringBuilder();
    private final int added;

    private Tree(int added) {
        this.added = added;
    }

    private static boolean isPart(Class<?> type) {
        String name = type.getName();
        return (name.startsWith("org.apache.cassandra.") && !name.endsWith(".ColumnIdentifier"))
                && !name.startsWith("org.apache.cassandra.db.")
                && !Enum.class.isAssignableFrom(type);
    }

    static String of(Object node) {
        return without(node, Integer.MAX_VALUE);
    }

    /** Returns the tree with the indexes that its markers would have without the marker {@code added}. */
    static String without(Object node, int added) {
        Tree tree = new Tree(added);
        tree.write(node);
        return tree.out.toString();
    }

    private void write(Object node) {
        if (node instanceof Collection<?> many) {
            out.append('[');
            many.forEach(this::write);
            out.append("];");
        } else if (node instanceof Map<?, ?> map) {
            out.append('{');
            map.forEach((key, value) -> {
                write(key);
                write(value);
            });
            out.append("};");
        } else if (node != null && isPart(node.getClass())) {
            String name = node.getClass().getName();
            out.append(name, name.lastIndexOf('.') + 1, name.length()).append('{');
            FIELDS.get(node.getClass()).forEach(field -> write(field, node));
            out.append("};");
        } else {
            out.append(node).append(';');
        }
    }

    private void write(Field field, Object of) {
        try {
            Object value = field.get(of);
            boolean behind = field.getName().equals("bindIndex") && (Integer) value > added;
            write(behind ? Integer.valueOf((Integer) value - 1) : value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
