/** A small shop as it was written for SQL Server: it knows {@code java.sql} and nothing else. */
@NullMarked
package dev.cassidy.examples.shop;

import org.jspecify.annotations.NullMarked;
