package dev.cassidy.reliability.counters;

/** Each fault once, in every build. */
class CountersFaultsIT extends CountersFaults {

    CountersFaultsIT() {
        super(1);
    }
}
