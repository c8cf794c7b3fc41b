package dev.cassidy.transaction;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The mark of a row, as a majority has it.
 *
 * @param mark null if there is none
 * @param micros the write timestamp of the mark, in microseconds; 0 if there is none
 */
public record HeldRow(@Nullable ByteBuffer mark, long micros) {}
