package dev.cassidy.counter;

import java.util.List;

/**
 * What a keyspace has of the server's functions. Functions are named as {@code crdt_sum(bigint)}.
 *
 * @param keyspace as CQL writes it
 * @param version of {@code crdt_pack_version()}; 0 if nothing is installed
 * @param present what is there and as this build creates it
 * @param different what is there and differs from what this build creates
 * @param missing what is not there
 * @param retired what an older version created and this build does not; it only takes room
 */
public record CrdtFunctionsInstalled(
        String keyspace,
        int version,
        List<String> present,
        List<String> different,
        List<String> missing,
        List<String> retired) {

    public CrdtFunctionsInstalled {
        present = List.copyOf(present);
        different = List.copyOf(different);
        missing = List.copyOf(missing);
        retired = List.copyOf(retired);
    }

    /** Whether everything is there as this build creates it. */
    public boolean isComplete() {
        return different.isEmpty() && missing.isEmpty();
    }
}
