/** Transactions over exact tables on three nodes, under faults. */
package dev.cassidy.reliability.transactions;
