package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The type of the column {@code increment}. */
public enum IncrementColumn {
    INT("int", BigInteger.valueOf(Integer.MIN_VALUE), BigInteger.valueOf(Integer.MAX_VALUE)),
    BIGINT("bigint", BigInteger.valueOf(Long.MIN_VALUE), BigInteger.valueOf(Long.MAX_VALUE)),
    VARINT("varint", null, null);

    private final String cql;
    private final @Nullable BigInteger smallest;
    private final @Nullable BigInteger largest;

    IncrementColumn(String cql, @Nullable BigInteger smallest, @Nullable BigInteger largest) {
        this.cql = cql;
        this.smallest = smallest;
        this.largest = largest;
    }

    /** Returns the column of a type, as CQL names it. */
    static Optional<IncrementColumn> of(String cql) {
        return Arrays.stream(values()).filter(type -> type.cql.equals(cql)).findFirst();
    }

    /** Returns the type as CQL names it. */
    public String cql() {
        return cql;
    }

    public boolean holds(BigInteger value) {
        if (smallest == null || largest == null) {
            return true;
        }
        return value.compareTo(smallest) >= 0 && value.compareTo(largest) <= 0;
    }

    /** Returns the largest absolute value that increments of one row may add up to. */
    public long limit() {
        return this == INT ? Integer.MAX_VALUE : Long.MAX_VALUE;
    }

    BoundStatement bind(BoundStatement statement, int index, BigInteger value) {
        return switch (this) {
            case INT -> statement.setInt(index, value.intValueExact());
            case BIGINT -> statement.setLong(index, value.longValueExact());
            case VARINT -> statement.setBigInteger(index, value);
        };
    }

    @Nullable
    BigInteger read(Row row, String name) {
        if (row.isNull(name)) {
            return null;
        }
        return switch (this) {
            case INT -> BigInteger.valueOf(row.getInt(name));
            case BIGINT -> BigInteger.valueOf(row.getLong(name));
            case VARINT -> row.getBigInteger(name);
        };
    }
}
