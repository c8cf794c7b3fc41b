/** The store that node numbers are leased from, as an interface, and the values in it. */
@NullMarked
package dev.cassidy.snowflake.store;

import org.jspecify.annotations.NullMarked;
