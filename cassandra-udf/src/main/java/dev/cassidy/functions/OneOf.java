package dev.cassidy.functions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The CQL types for which a type parameter stands: the script has an overload for each, with the same body. */
@Target(ElementType.TYPE_PARAMETER)
@Retention(RetentionPolicy.SOURCE)
@interface OneOf {
    String[] value();
}
