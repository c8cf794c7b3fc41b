/** Sequences kept in Apache Cassandra: what applications, operators and installers do with them, and the stores in CQL. */
@NullMarked
package dev.cassidy.sequence.cassandra;

import org.jspecify.annotations.NullMarked;
