/**
 * A real Apache Cassandra in child JVMs: one node ({@link dev.cassidy.embedded.EmbeddedCassandra}) or several
 * datacenters ({@link dev.cassidy.embedded.EmbeddedCluster}), started from the server's Maven artifacts with a
 * classpath of its own. Linux, and other systems with a POSIX shell; everything listens on 127.x only.
 */
@NullMarked
package dev.cassidy.embedded;

import org.jspecify.annotations.NullMarked;
