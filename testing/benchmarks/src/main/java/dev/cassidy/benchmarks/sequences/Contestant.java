package dev.cassidy.benchmarks.sequences;

/** A source of ids within one process. Each runs in its own JVM, so that none spoils another's profile. */
enum Contestant {
    ATOMIC_LONG("AtomicLong", "atomicLong"),
    COSID_CHAIN("CosId SegmentChainId", "cosIdChain"),
    COSID_SEGMENT("CosId SegmentId", "cosIdSegment"),
    HAZELCAST_FLAKE("Hazelcast FlakeIdGenerator", "hazelcastFlake"),
    TSID("TSID", "tsid"),
    PROCESS("Cassidy, PROCESS order", "processOrder"),
    THREAD("Cassidy, THREAD order", "threadOrder"),
    CURSOR("Cassidy, a cursor for each thread", "cursor");

    private final String title;
    private final String benchmark;

    Contestant(String title, String benchmark) {
        this.title = title;
        this.benchmark = benchmark;
    }

    String title() {
        return title;
    }

    /** Returns a regular expression for its benchmark. */
    String benchmark() {
        return NextId.class.getName() + "." + benchmark + "$";
    }
}
