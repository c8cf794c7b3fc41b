/**
 * The bodies of the server's functions, written once: they run as native functions from the jar, and the script
 * {@code crdt-functions.cql} is generated from them. Nothing here but the JDK.
 *
 * <p>A body must pass Cassandra's sandbox for user-defined functions: one static method with no help from fields, other
 * methods, nested types, lambdas or streams, and with the full names of all types outside java.lang and java.util,
 * because Cassandra compiles it without our imports. Cassandra 4.1 compiles it as Java 8, and there it can use interfaces
 * such as {@code List} and {@code Map}, but neither a class that implements them nor a class literal. Where several bodies
 * need the same lines, each has them.
 *
 * <p>A body is copied to the script as it is, so its state must have a type that both doors know. A number, a {@code
 * List} and a {@code Map} are what they are in Java. Several values are a {@link dev.cassidy.functions.Tuple}, which has
 * those methods of Cassandra's {@code TupleValue} that bodies use; the script's functions get Cassandra's.
 *
 * <p>A type parameter marked with {@link dev.cassidy.functions.OneOf} becomes an overload for each of its types. An aggregate
 * of several arguments has no overload where Cassandra would convert, int to varint for instance: a call that needs another
 * conversion besides would fit both, and Cassandra calls that ambiguous.
 */
@NullMarked
package dev.cassidy.functions;

import org.jspecify.annotations.NullMarked;
