package dev.cassidy.benchmarks.driver;

/**
 * The results of a contestant in one turn, without its warming up. CPU time and bytes are those of one row.
 *
 * @param callersCpuMicros the part of {@code cpuMicros} that the working threads took
 */
record Turn(double rowsASecond, double cpuMicros, double bytes, double callersCpuMicros, double nodesCpuMicros) {}
