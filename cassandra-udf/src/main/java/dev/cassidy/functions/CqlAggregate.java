package dev.cassidy.functions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that holds one CQL aggregate. Each static method that takes the state and the aggregate's arguments is
 * the state function of one overload: any argument may be null, and it returns the new state. A method that takes the
 * state alone is the final function of the overloads with that type of state.
 *
 * <p>The state of nothing is 0, an empty list or map, or a tuple of nulls.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@interface CqlAggregate {

    /** The aggregate's name in CQL. Its functions are called {@code <name>_<method>}. */
    String name();

    /** The CQL types of the state's components where the state is a {@link Tuple}. */
    String[] tuple() default {};
}
