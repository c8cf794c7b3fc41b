package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.TypedDriverOption;

/** A set of java-driver's options that is being filled. */
interface OptionLayer {

    <T> void put(TypedDriverOption<T> option, T value);
}
