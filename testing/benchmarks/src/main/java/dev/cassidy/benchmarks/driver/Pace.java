package dev.cassidy.benchmarks.driver;

import java.time.Duration;

/**
 * How long a race takes.
 *
 * @param compiling how long each contestant works before the rounds
 * @param warmUp the part of a turn that is not measured
 */
record Pace(int rounds, Duration compiling, Duration warmUp, Duration measured) {}
