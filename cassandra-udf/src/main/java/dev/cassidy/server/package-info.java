/** The native functions, and the hook by which a Cassandra 5.0 node registers them when it starts. */
@NullMarked
package dev.cassidy.server;

import org.jspecify.annotations.NullMarked;
