/** The stores that sequences are kept in, as interfaces, and the values in them: reserves, grants, claims, tails, entries. */
@NullMarked
package dev.cassidy.sequence.store;

import org.jspecify.annotations.NullMarked;
