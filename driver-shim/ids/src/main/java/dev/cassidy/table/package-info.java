/**
 * What Cassidy knows of the application's tables: the contract of each says which column is an identity, which have defaults, and
 * how rows are written. For the session, the JDBC driver and the migration tool; applications compile against none of it.
 */
@NullMarked
package dev.cassidy.table;

import org.jspecify.annotations.NullMarked;
