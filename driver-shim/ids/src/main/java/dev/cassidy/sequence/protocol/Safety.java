package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.Optional;

/** What the state of the cluster allows now. Asked for each claim, so it answers from memory. Safe for use by many threads. */
public interface Safety {

    /** Of a cluster that forgets nothing. */
    Safety SOUND = new Safety() {
        @Override
        public Duration standing() {
            return Duration.ZERO;
        }

        @Override
        public FreshClaims freshClaims() {
            return FreshClaims.SERVE;
        }

        @Override
        public Optional<SequenceException> refusal() {
            return Optional.empty();
        }
    };

    /**
     * Returns how long a claim must have stood so that no replica forgets it any more: the longest sync period of the
     * datacenter's nodes and a second; zero where they acknowledge only what is on their disks.
     */
    Duration standing();

    FreshClaims freshClaims();

    /** Returns why nothing may be claimed now; empty if it may. */
    Optional<SequenceException> refusal();
}
