package dev.cassidy.counter;

import dev.cassidy.async.Timer;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.lwt.ConditionalStatements;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a kind of counters needs to be opened.
 *
 * @param table the full name of the checked table, as CQL writes it
 * @param id of the table
 * @param local conditional statements at LOCAL_SERIAL
 * @param clock for what only people read
 * @param checked the clock where it has a part in what counts
 * @param nanoTime the monotonic clock; it decides only when to try again and when to give up
 */
record KindContext(
        LocalCluster cluster,
        CountersConfig config,
        String table,
        UUID id,
        ConditionalStatements local,
        Identity identity,
        Timer timer,
        LongSupplier nanoTime,
        InstantSource clock,
        CheckedClock checked,
        RandomGenerator random) {}
