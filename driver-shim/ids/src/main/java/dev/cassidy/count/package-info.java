/** What counts what statements add to columns of rows, as the JDBC driver sees it. */
@NullMarked
package dev.cassidy.count;

import org.jspecify.annotations.NullMarked;
