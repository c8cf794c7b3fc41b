package dev.cassidy.tsql;

import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression of numbers in T-SQL, which the driver calculates: CQL's arithmetic has other types, and wraps. Immutable.
 */
public sealed interface Expression {

    /** The types of what an expression is made of. */
    interface Types {

        /** Returns the type of a column of the statement that is sent. */
        NumberType column(int index);

        /** Returns the type of a term within an aggregate. */
        NumberType argument(int index);
    }

    /** A row of what the server returned. */
    interface Row extends Types {

        /** Returns the value of a column of the statement that is sent. */
        @Nullable
        Number value(int column);
    }

    /** Returns the type of the expression; throws what SQL Server would not calculate. */
    NumberType type(Types types);

    /** Returns the type of the result, of which the digits of a literal are no part. */
    default NumberType resultType(Types types) {
        return type(types).widest();
    }

    /**
     * Returns the value in the Java class that Cassandra's driver has for a column of the result's type.
     *
     * @throws UnsupportedSqlException with SQL Server's number if it does not fit the type, or is divided by zero
     */
    default @Nullable Object result(Row row) {
        SqlNumber value = value(row);
        return value == null ? null : value.forDriver();
    }

    /** Returns the value, and no one outside of this package calculates with it. */
    @Nullable
    SqlNumber value(Row row);

    /** Returns whether a literal is all that it needs. */
    default boolean isConstant() {
        return this instanceof Constant || this instanceof Null;
    }

    /** A number that is known. */
    record Constant(SqlNumber number) implements Expression {
        @Override
        public NumberType type(Types types) {
            return number.type();
        }

        @Override
        public SqlNumber value(Row row) {
            return number;
        }
    }

    /** NULL, which is an INT in SQL Server. */
    record Null() implements Expression {
        @Override
        public NumberType type(Types types) {
            return NumberType.INT;
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            return null;
        }
    }

    /**
     * A column of the statement that is sent.
     *
     * @param as its type in SQL Server, if that differs from the server's; null if not
     */
    record Column(int index, @Nullable NumberType as) implements Expression {
        @Override
        public NumberType type(Types types) {
            NumberType served = types.column(index);
            return as == null ? served : as;
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            Number value = row.value(index);
            return value == null ? null : SqlNumber.of(type(row), value);
        }
    }

    /** A term within an aggregate. The server calculates it, as a decimal, which has every value. */
    record Argument(int index, String cql) implements Expression {
        @Override
        public NumberType type(Types types) {
            return types.argument(index);
        }

        @Override
        public SqlNumber value(Row row) {
            throw new IllegalStateException("within an aggregate: " + cql);
        }
    }

    /**
     * SUM or AVG. Cassandra's own have the type of the column, and wrap; and its sum of nothing is 0.
     *
     * @param argument what is summed up
     * @param sum the column with the sum as a decimal
     * @param count the column with the number of values that are not null
     */
    record Aggregate(boolean average, Expression argument, int sum, int count) implements Expression {
        @Override
        public NumberType type(Types types) {
            NumberType of = argument.type(types);
            requireExact(argument, types);
            return average ? of.ofAverage() : of.ofSum();
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            Number values = row.value(count);
            Number total = row.value(sum);
            if (values == null || total == null || values.longValue() == 0) {
                return null;
            }
            NumberType type = type(row);
            return average
                    ? SqlNumber.average(type, (BigDecimal) total, values.longValue())
                    : SqlNumber.of(type, total);
        }

        /** The server leaves the casts within the aggregate out: they must change no value. */
        private static void requireExact(Expression expression, Types types) {
            if (expression instanceof Cast cast) {
                NumberType from = cast.of().type(types);
                if (!from.fitsInto(cast.to())) {
                    throw new UnsupportedSqlException(
                            "CAST from " + from + " to " + cast.to() + " within an aggregate",
                            "it may change values: leave it out, or cast the result of the aggregate");
                }
                requireExact(cast.of(), types);
            } else if (expression instanceof Binary binary) {
                requireExact(binary.left(), types);
                requireExact(binary.right(), types);
            } else if (expression instanceof Negated negated) {
                requireExact(negated.of(), types);
            }
        }
    }

    /** An operator between two numbers. */
    record Binary(NumberType.Operator operator, Expression left, Expression right) implements Expression {
        @Override
        public NumberType type(Types types) {
            return NumberType.of(operator, left.type(types), right.type(types));
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            SqlNumber first = left.value(row);
            SqlNumber second = right.value(row);
            return first == null || second == null ? null : first.with(operator, second);
        }
    }

    /** A number with the other sign. */
    record Negated(Expression of) implements Expression {
        @Override
        public NumberType type(Types types) {
            return of.type(types).negated();
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            SqlNumber value = of.value(row);
            return value == null ? null : value.negated();
        }
    }

    /** ABS. Cassandra's gives the smallest number itself, because its type has no positive one. */
    record Absolute(Expression of) implements Expression {
        @Override
        public NumberType type(Types types) {
            return of.type(types).widest();
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            SqlNumber value = of.value(row);
            return value == null || value.exact().signum() >= 0 ? value : value.negated();
        }
    }

    /** A CAST or CONVERT. */
    record Cast(Expression of, NumberType to) implements Expression {
        @Override
        public NumberType type(Types types) {
            // So that what is no number is refused.
            of.type(types);
            return to;
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            SqlNumber value = of.value(row);
            return value == null ? null : value.as(to);
        }
    }

    /** ISNULL or COALESCE: the first value that is not null. */
    record FirstValue(List<Expression> of, boolean firstType) implements Expression {

        public FirstValue {
            of = List.copyOf(of);
        }

        @Override
        public NumberType type(Types types) {
            NumberType type = of.get(0).type(types).widest();
            for (Expression other : of.subList(1, of.size())) {
                NumberType next = other.type(types);
                type = firstType ? type : NumberType.common(type, next.widest());
            }
            return type;
        }

        @Override
        public @Nullable SqlNumber value(Row row) {
            for (Expression expression : of) {
                SqlNumber value = expression.value(row);
                if (value != null) {
                    return value.as(type(row));
                }
            }
            return null;
        }
    }

    // ---- making them

    /** Returns the result of an operator, calculated at once if both sides are known. */
    static Expression of(NumberType.Operator operator, Expression left, Expression right) {
        if (left instanceof Constant first && right instanceof Constant second) {
            return new Constant(first.number().with(operator, second.number()));
        }
        return left.isConstant() && right.isConstant() ? new Null() : new Binary(operator, left, right);
    }

    /** Returns the number with the other sign. */
    static Expression negated(Expression of) {
        if (of instanceof Constant constant) {
            return new Constant(constant.number().negated());
        }
        return of instanceof Null ? of : new Negated(of);
    }

    /** Returns the number as another type. */
    static Expression cast(Expression of, NumberType to) {
        return of instanceof Constant constant ? new Constant(constant.number().as(to)) : new Cast(of, to);
    }
}
