/** How SQL Server's collations compare texts for equality, by pinned tables. No I/O but to read them. */
@NullMarked
package dev.cassidy.collation;

import org.jspecify.annotations.NullMarked;
