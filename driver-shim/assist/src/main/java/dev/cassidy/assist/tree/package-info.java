/** Statements of T-SQL as trees of JSqlParser, for what the driver's own parser does not know. No I/O. */
@NullMarked
package dev.cassidy.assist.tree;

import org.jspecify.annotations.NullMarked;
