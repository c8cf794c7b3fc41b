/** Serves in the client what CQL has no words for; found by the JDBC driver. */
@NullMarked
package dev.cassidy.assist;

import org.jspecify.annotations.NullMarked;
