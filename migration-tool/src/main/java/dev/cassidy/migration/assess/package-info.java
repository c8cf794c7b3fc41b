/** What an application did on its old database, judged as Cassidy's JDBC driver would take it. */
@NullMarked
package dev.cassidy.migration.assess;

import org.jspecify.annotations.NullMarked;
