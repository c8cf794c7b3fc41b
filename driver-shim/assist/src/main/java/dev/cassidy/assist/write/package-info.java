/** Which rows a statement changes, and what they get: as a SELECT; no I/O. */
@NullMarked
package dev.cassidy.assist.write;

import org.jspecify.annotations.NullMarked;
