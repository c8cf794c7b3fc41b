package dev.cassidy.functions;

/**
 * Which version of these functions a keyspace or a node has. 1 was {@code crdt_sum} alone, without this function. The
 * number rises whenever a body or a signature changes.
 */
@CqlFunction(name = "crdt_pack_version")
public final class CrdtPackVersion {

    private CrdtPackVersion() {}

    public static Integer version() {
        return 2;
    }
}
