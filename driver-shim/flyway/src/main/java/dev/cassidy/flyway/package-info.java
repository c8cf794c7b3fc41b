/**
 * Flyway's interface to the JDBC driver. Flyway finds {@link dev.cassidy.flyway.CassidyDatabaseType} as a service, and migrates a
 * keyspace as it would a schema of SQL Server. The classes are made for Flyway 11 and 12, whose base classes they extend.
 */
@NullMarked
package dev.cassidy.flyway;

import org.jspecify.annotations.NullMarked;
