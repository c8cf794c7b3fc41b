/** Tables of the source as tables of Cassandra: types, keys, and what a conversion would change. */
@NullMarked
package dev.cassidy.migration.schema;

import org.jspecify.annotations.NullMarked;
