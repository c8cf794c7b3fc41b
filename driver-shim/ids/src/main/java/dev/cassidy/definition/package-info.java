/** What CREATE TABLE and ALTER TABLE in T-SQL say of a table. Values only. */
@NullMarked
package dev.cassidy.definition;

import org.jspecify.annotations.NullMarked;
