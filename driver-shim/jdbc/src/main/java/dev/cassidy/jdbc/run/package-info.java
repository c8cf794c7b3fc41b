/** How statements run: scripts, inserts and their identities, batches, transactions and cancellation. */
@NullMarked
package dev.cassidy.jdbc.run;

import org.jspecify.annotations.NullMarked;
