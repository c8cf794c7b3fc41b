/** Sequences kept in Apache Cassandra: opens, creates, registers and reports; owns the tables. */
@NullMarked
package dev.cassidy.sequence.cassandra;

import org.jspecify.annotations.NullMarked;
