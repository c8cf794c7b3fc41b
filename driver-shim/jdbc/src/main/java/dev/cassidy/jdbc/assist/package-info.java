/**
 * The interface to what evaluates statements in the client, which is found by {@link java.util.ServiceLoader}, and what the two give each
 * other: tables as statements see them, reads of their rows, results.
 */
@NullMarked
package dev.cassidy.jdbc.assist;

import org.jspecify.annotations.NullMarked;
