/**
 * The bodies of the server's functions, written once: they run as native functions from the jar, and the script
 * {@code crdt-functions.cql} is generated from them. Nothing here but the JDK.
 *
 * <p>A body must pass Cassandra's sandbox for user-defined functions: one static method with no help from fields, other
 * methods, nested types, lambdas or streams, and with the full names of all types outside java.lang and java.util,
 * because Cassandra compiles it without our imports.
 */
@NullMarked
package dev.cassidy.functions;

import org.jspecify.annotations.NullMarked;
