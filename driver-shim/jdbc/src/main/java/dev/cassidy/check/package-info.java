/**
 * The check before the cutover: an application runs on its old database, and each of its statements is judged as Cassidy's
 * JDBC driver would take it.
 */
@NullMarked
package dev.cassidy.check;

import org.jspecify.annotations.NullMarked;
