/** Transactions over rows of exact tables: the commit protocol, its values, and the interfaces of its stores. No I/O. */
@NullMarked
package dev.cassidy.transaction;

import org.jspecify.annotations.NullMarked;
