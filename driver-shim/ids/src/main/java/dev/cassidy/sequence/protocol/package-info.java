/** The protocol of sequences: grants, claims, proof, returns, raises; and the allocators that serve ids from memory. */
@NullMarked
package dev.cassidy.sequence.protocol;

import org.jspecify.annotations.NullMarked;
