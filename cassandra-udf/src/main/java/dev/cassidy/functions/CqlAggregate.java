package dev.cassidy.functions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose static methods are the state functions of one CQL aggregate, an overload of the aggregate for
 * each. A method takes the state and the aggregate's arguments, any of them null, and returns the new state.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@interface CqlAggregate {

    /** The aggregate's name in CQL. */
    String name();

    /** The state of nothing, as a CQL literal. */
    String initialState();
}
