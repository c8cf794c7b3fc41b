/** {@link dev.cassidy.transaction.cassandra.Transactions}, and the stores of transactions in CQL. */
@NullMarked
package dev.cassidy.transaction.cassandra;

import org.jspecify.annotations.NullMarked;
