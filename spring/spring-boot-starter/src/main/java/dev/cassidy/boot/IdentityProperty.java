package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.cassandra.core.mapping.CassandraPersistentEntity;
import org.springframework.data.cassandra.core.mapping.CassandraPersistentProperty;
import org.springframework.data.mapping.MappingException;
import org.springframework.data.mapping.PersistentPropertyAccessor;

/**
 * The property of an entity that is its table's identity column.
 *
 * @param entity the entity's type
 * @param key the property with the class of a composite key that {@code property} belongs to; null if it is the entity's own
 * @param keyType the type of {@code key}; null as well
 * @param property the identity
 */
record IdentityProperty(
        CassandraPersistentEntity<?> entity,
        @Nullable CassandraPersistentProperty key,
        @Nullable CassandraPersistentEntity<?> keyType,
        CassandraPersistentProperty property) {

    /** What can hold an id, and the column that Spring Data writes it to. */
    private record Holder(
            Class<?> type,
            Class<?> primitive,
            DataType column,
            long lowest,
            long highest,
            Function<Long, Object> cast) {

        boolean holds(long id) {
            return lowest <= id && id <= highest;
        }
    }

    /** The smallest first. */
    private static final List<Holder> HOLDERS = List.of(
            new Holder(Short.class, short.class, DataTypes.SMALLINT, Short.MIN_VALUE, Short.MAX_VALUE, id ->
                    (short) (long) id),
            new Holder(Integer.class, int.class, DataTypes.INT, Integer.MIN_VALUE, Integer.MAX_VALUE, id ->
                    (int) (long) id),
            new Holder(Long.class, long.class, DataTypes.BIGINT, Long.MIN_VALUE, Long.MAX_VALUE, id -> id));

    private static Optional<Holder> ofType(Class<?> type) {
        return HOLDERS.stream()
                .filter(holder -> holder.type() == type || holder.primitive() == type)
                .findFirst();
    }

    private static Optional<Holder> ofColumn(DataType column) {
        return HOLDERS.stream().filter(holder -> holder.column().equals(column)).findFirst();
    }

    /**
     * Finds the property; empty if the entity has none, so that nobody asks for the id.
     *
     * @throws MappingException if several properties are written to the column
     */
    static Optional<IdentityProperty> find(
            CassandraPersistentEntity<?> entity,
            Function<CassandraPersistentProperty, @Nullable CassandraPersistentEntity<?>> types,
            IdentityColumn column) {
        List<IdentityProperty> found = new ArrayList<>();
        for (CassandraPersistentProperty property : entity) {
            if (property.isCompositePrimaryKey()) {
                CassandraPersistentEntity<?> keyType = types.apply(property);
                if (keyType != null) {
                    for (CassandraPersistentProperty part : keyType) {
                        if (isNamed(part, column)) {
                            found.add(new IdentityProperty(entity, property, keyType, part));
                        }
                    }
                }
            } else if (isNamed(property, column)) {
                found.add(new IdentityProperty(entity, null, null, property));
            }
        }
        if (found.size() > 1) {
            throw new MappingException("must be one property: column " + column.column() + ", the identity of "
                    + column.keyspace() + "." + column.table() + ", has "
                    + found.stream().map(IdentityProperty::name).toList() + " of " + entity.getName());
        }
        return found.stream().findFirst();
    }

    private static boolean isNamed(CassandraPersistentProperty property, IdentityColumn column) {
        return property.getColumnName() != null
                && property.getColumnName().asInternal().equals(column.column());
    }

    private String name() {
        return key == null ? property.getName() : key.getName() + "." + property.getName();
    }

    /**
     * Refuses a type that cannot hold each id of the sequence.
     *
     * @param column the type of the column; empty if the driver does not know it
     * @throws MappingException naming the type to declare
     */
    void requireRoom(SequenceSpec spec, Optional<DataType> column) {
        Optional<Holder> wanted = column.flatMap(IdentityProperty::ofColumn);
        Optional<Holder> given = ofType(property.getType());
        boolean fits = given.isPresent()
                && (wanted.isEmpty() || given.equals(wanted))
                && given.get().holds(spec.minimum())
                && given.get().holds(spec.maximum());
        if (!fits) {
            throw new MappingException("must hold each id of sequence " + spec.name() + ", " + spec.minimum() + " to "
                    + spec.maximum()
                    + column.map(type -> ", in a column of type " + type).orElse("") + ": "
                    + property.getType().getSimpleName() + " " + name() + " of " + entity.getName() + "; declare it "
                    + wanted.orElseGet(() -> smallest(spec)).type().getSimpleName());
        }
        if (property.getType().isPrimitive() && spec.minimum() <= 0 && spec.maximum() >= 0) {
            throw new MappingException("must tell a missing id from 0, which sequence " + spec.name() + " issues: "
                    + property.getType().getSimpleName() + " " + name() + " of " + entity.getName() + "; declare it "
                    + given.get().type().getSimpleName());
        }
    }

    private static Holder smallest(SequenceSpec spec) {
        return HOLDERS.stream()
                .filter(holder -> holder.holds(spec.minimum()) && holder.holds(spec.maximum()))
                .findFirst()
                .orElseThrow();
    }

    /** Returns whether the entity has no id yet: null, or 0 of a primitive type. False if the whole key is missing. */
    boolean isMissing(Object of) {
        Object holder = of;
        if (key != null) {
            holder = entity.getPropertyAccessor(of).getProperty(key);
            if (holder == null) {
                return false;
            }
        }
        Object value =
                (keyType == null ? entity : keyType).getPropertyAccessor(holder).getProperty(property);
        if (value instanceof Number number) {
            return property.getType().isPrimitive() && number.longValue() == 0;
        }
        return value == null;
    }

    /** Returns the entity with the id: itself, or a copy if it is a record. */
    <T> T with(long id, T of) {
        Object value = ofType(property.getType()).orElseThrow().cast().apply(id);
        PersistentPropertyAccessor<T> accessor = entity.getPropertyAccessor(of);
        if (key == null || keyType == null) {
            accessor.setProperty(property, value);
        } else {
            Object parts = accessor.getProperty(key);
            PersistentPropertyAccessor<Object> part = keyType.getPropertyAccessor(parts);
            part.setProperty(property, value);
            accessor.setProperty(key, part.getBean());
        }
        return accessor.getBean();
    }
}
