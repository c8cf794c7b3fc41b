package dev.cassidy.transaction;

import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What a row's mark tells other transactions, or may: that one means to hold the row until it ends ({@link LockMark#claim}).
 *
 * @param partitionColumns how many columns of the key, from the first, are the partition key
 * @param over the mark that it was sent to replace
 * @param outcome whether the row has the claim; false if it had another mark, and empty if that is not known
 */
public record RowClaim(
        TableWrites table,
        Map<String, ByteBuffer> key,
        int partitionColumns,
        ByteBuffer over,
        ByteBuffer mark,
        CompletionStage<Optional<Boolean>> outcome) {

    List<Object> partition() {
        List<Object> partition = new ArrayList<>(List.of(table.keyspace(), table.table()));
        key.values().stream().limit(partitionColumns).forEach(partition::add);
        return partition;
    }
}
