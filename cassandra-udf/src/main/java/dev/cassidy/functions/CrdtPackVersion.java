package dev.cassidy.functions;

/**
 * Which version of these functions a keyspace or a node has. The number rises with each release that changes a body or a
 * signature.
 */
@CqlFunction(name = "crdt_pack_version")
public final class CrdtPackVersion {

    private CrdtPackVersion() {}

    public static Integer version() {
        return 1;
    }
}
