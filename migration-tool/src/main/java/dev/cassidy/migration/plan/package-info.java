/** Where each sequence must continue, and the seeding. No SQL, and CQL only through the target. */
@NullMarked
package dev.cassidy.migration.plan;

import org.jspecify.annotations.NullMarked;
