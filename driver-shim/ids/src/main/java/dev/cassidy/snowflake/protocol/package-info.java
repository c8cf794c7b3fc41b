/** How node numbers are leased and time-ordered ids are made. */
@NullMarked
package dev.cassidy.snowflake.protocol;

import org.jspecify.annotations.NullMarked;
