/** The rows of exact tables as an open transaction has written them, and how its statements see them. No I/O. */
@NullMarked
package dev.cassidy.jdbc.overlay;

import org.jspecify.annotations.NullMarked;
