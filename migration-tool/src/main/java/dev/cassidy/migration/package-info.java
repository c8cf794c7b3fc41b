/** Seeds Cassidy's sequences from the identity columns of a SQL Server, so that new ids continue where it stopped. */
@NullMarked
package dev.cassidy.migration;

import org.jspecify.annotations.NullMarked;
