/** Which rows of which tables a statement needs, and by what they can be read; no I/O. */
@NullMarked
package dev.cassidy.assist.plan;

import org.jspecify.annotations.NullMarked;
