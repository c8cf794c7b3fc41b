/** The databases that the tool reads: one interface, and an implementation for each engine. */
@NullMarked
package dev.cassidy.migration.source;

import org.jspecify.annotations.NullMarked;
