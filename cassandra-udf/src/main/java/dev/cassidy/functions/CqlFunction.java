package dev.cassidy.functions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a class whose static method is a CQL function of its own. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@interface CqlFunction {

    /** The function's name in CQL. */
    String name();
}
