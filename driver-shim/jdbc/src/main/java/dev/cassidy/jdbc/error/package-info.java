/** Errors and warnings as JDBC reports them: SQLStates, SQL Server's error numbers, and what the driver refuses by name. */
@NullMarked
package dev.cassidy.jdbc.error;

import org.jspecify.annotations.NullMarked;
