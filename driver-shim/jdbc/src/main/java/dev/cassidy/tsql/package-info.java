/** T-SQL and CQL texts, read as the steps that serve them. A text that is CQL already passes through byte for byte. No I/O. */
@NullMarked
package dev.cassidy.tsql;

import org.jspecify.annotations.NullMarked;
