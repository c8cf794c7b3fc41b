/** T-SQL and CQL statements, read as the steps that serve them. A statement that is CQL already passes through byte for byte. No I/O. */
@NullMarked
package dev.cassidy.tsql;

import org.jspecify.annotations.NullMarked;
