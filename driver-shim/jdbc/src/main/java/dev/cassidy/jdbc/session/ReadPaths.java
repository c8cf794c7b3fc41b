package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.Identifiers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the plan by which a SELECT reads, from the driver's view of the schema. Asks nobody. */
final class ReadPaths {

    /** The types that a storage-attached index takes. */
    private static final Set<DataType> INDEXED = Set.of(
            DataTypes.ASCII,
            DataTypes.BIGINT,
            DataTypes.BOOLEAN,
            DataTypes.DATE,
            DataTypes.DECIMAL,
            DataTypes.DOUBLE,
            DataTypes.FLOAT,
            DataTypes.INET,
            DataTypes.INT,
            DataTypes.SMALLINT,
            DataTypes.TEXT,
            DataTypes.TIME,
            DataTypes.TIMESTAMP,
            DataTypes.TIMEUUID,
            DataTypes.TINYINT,
            DataTypes.UUID,
            DataTypes.VARINT);

    private final CqlSession session;
    private final Tables tables;

    ReadPaths(CqlSession session, Tables tables) {
        this.session = session;
        this.tables = tables;
    }

    ReadPath of(String cql) {
        CqlSelect select = CqlSelect.of(cql).orElse(null);
        if (select == null) {
            return ReadPath.UNKNOWN;
        }
        RelationMetadata relation = tables.tableOrView(select.table()).orElse(null);
        if (relation == null || relation.getPartitionKey().isEmpty()) {
            return ReadPath.UNKNOWN;
        }
        Optional<KeyspaceMetadata> keyspace = session.getMetadata().getKeyspace(relation.getKeyspace());
        if (keyspace.isEmpty() || keyspace.get().isVirtual()) {
            return ReadPath.UNKNOWN;
        }
        Map<String, Integer> replicas = replicas(keyspace.get().getReplication());
        if (replicas.isEmpty()) {
            return ReadPath.UNKNOWN;
        }
        return of(select, relation, replicas);
    }

    /**
     * Returns how many replicas a row has in each datacenter; one entry with an empty name if they are anywhere, none if
     * each node has its own rows.
     */
    private static Map<String, Integer> replicas(Map<String, String> replication) {
        Map<String, Integer> replicas = new HashMap<>();
        replication.forEach((name, value) -> {
            // "3/1" has a transient one among the three.
            String count = value.replaceFirst("/.*", "");
            if (!name.equals("class") && count.matches("[0-9]{1,4}")) {
                replicas.put(name.equals("replication_factor") ? "" : name, Integer.parseInt(count));
            }
        });
        return replicas;
    }

    private static ReadPath of(CqlSelect select, RelationMetadata relation, Map<String, Integer> replicas) {
        List<String> partitionKey = names(relation.getPartitionKey());
        List<String> key = names(relation.getPrimaryKey());
        Set<String> direct = new LinkedHashSet<>();
        Set<String> columns = new LinkedHashSet<>();
        boolean further = false;
        for (CqlSelect.Restriction restriction : select.where()) {
            columns.addAll(restriction.columns());
            if (restriction.isDirect()) {
                direct.addAll(restriction.columns());
            }
            further |= !restriction.isDirect() || !key.containsAll(restriction.columns());
        }
        // Clustering columns with a gap need ALLOW FILTERING as well.
        further |= columns.size() > partitionKey.size() && !direct.containsAll(key);
        ReadPath.Kind kind = kind(select, relation, direct, partitionKey, key);
        CqlInsert.Table table = new CqlInsert.Table(
                relation.getKeyspace().asInternal(), relation.getName().asInternal());
        Optional<ReadPath.Cures> cures = kind == ReadPath.Kind.KEY || kind == ReadPath.Kind.PARTITION
                ? Optional.empty()
                : Optional.of(cures(relation, kind, select, partitionKey, direct));
        return new ReadPath(
                kind,
                select,
                table,
                partitionKey,
                replicas,
                columns.stream().map(Twin::original).toList(),
                further,
                cures);
    }

    private static ReadPath.Kind kind(
            CqlSelect select,
            RelationMetadata relation,
            Set<String> direct,
            List<String> partitionKey,
            List<String> key) {
        if (direct.containsAll(key)) {
            return ReadPath.Kind.KEY;
        }
        if (direct.containsAll(partitionKey)) {
            return ReadPath.Kind.PARTITION;
        }
        boolean tokens = select.where().stream().allMatch(CqlSelect.Restriction::token);
        if (tokens) {
            return ReadPath.Kind.SCAN;
        }
        Set<String> indexed = IndexedColumns.of(relation);
        boolean byIndex = select.where().stream()
                .anyMatch(each -> !each.token() && each.columns().stream().anyMatch(indexed::contains));
        if (byIndex) {
            return ReadPath.Kind.INDEX;
        }
        return select.filters() ? ReadPath.Kind.SCAN : ReadPath.Kind.REFUSED;
    }

    private static List<String> names(List<ColumnMetadata> columns) {
        return columns.stream().map(column -> column.getName().asInternal()).toList();
    }

    // ---- cures

    private static ReadPath.Cures cures(
            RelationMetadata relation,
            ReadPath.Kind kind,
            CqlSelect select,
            List<String> partitionKey,
            Set<String> direct) {
        String missing = partitionKey.stream()
                .filter(column -> !direct.contains(column))
                .map(column -> Identifiers.toCql(column) + " = ?")
                .collect(Collectors.joining(" AND "));
        Set<String> indexes = new LinkedHashSet<>();
        Set<String> indexed = IndexedColumns.of(relation);
        // Each condition needs one: the server does not filter what an index finds.
        boolean needsIndexes = relation instanceof TableMetadata
                && !select.filters()
                && (kind == ReadPath.Kind.REFUSED || kind == ReadPath.Kind.INDEX);
        boolean serves = true;
        List<String> equal = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (CqlSelect.Restriction restriction : select.where()) {
            for (String column : restriction.columns()) {
                DataType type = relation.getColumn(CqlIdentifier.fromInternal(column))
                        .map(ColumnMetadata::getType)
                        .orElse(DataTypes.DURATION);
                // An index on the only column of the partition key cannot be made.
                boolean lone = partitionKey.equals(List.of(column));
                if (restriction.token() || !canBeKey(type)) {
                    serves &= restriction.token() || indexed.contains(column);
                    continue;
                }
                (restriction.isDirect() ? equal : others).add(column);
                if (lone) {
                    serves &= restriction.isDirect();
                } else if (needsIndexes && !indexed.contains(column)) {
                    serves &= canBeIndexed(type) && restriction.by() != CqlSelect.By.OTHER;
                    indexes.add(index(relation, column));
                }
            }
        }
        return new ReadPath.Cures(
                Twin.shown(missing),
                tableBy(relation, equal, others).map(Twin::shown),
                serves ? List.copyOf(indexes) : List.of());
    }

    /** As SAI can. */
    private static boolean canBeIndexed(DataType type) {
        return INDEXED.contains(type);
    }

    private static boolean canBeKey(DataType type) {
        return !(type instanceof ListType || type instanceof SetType || type instanceof MapType)
                && !type.equals(DataTypes.DURATION)
                && !type.equals(DataTypes.COUNTER);
    }

    private static String index(RelationMetadata relation, String column) {
        String table = relation.getName().asInternal();
        String shown = Twin.original(column);
        // In CQL it would be made on the column; the driver makes one of T-SQL on the twin, which it may have to make
        // too.
        boolean tsql = Twin.isOne(column)
                || (relation.getColumn(RowMark.COLUMN).isPresent()
                        && relation.getColumn(CqlIdentifier.fromInternal(column))
                                .filter(found -> found.getType().equals(DataTypes.TEXT))
                                .isPresent());
        return "CREATE INDEX " + Identifiers.toCql(table + "_" + shown) + " ON "
                + relation.getKeyspace().asCql(true) + "." + relation.getName().asCql(true) + " ("
                + Identifiers.toCql(shown) + ")" + (tsql ? "" : " USING 'sai'");
    }

    /** The table with the columns of WHERE in front of its key; none if no column is given by value. */
    private static Optional<String> tableBy(RelationMetadata relation, List<String> equal, List<String> others) {
        boolean counters = relation.getColumns().values().stream()
                .anyMatch(column -> column.getType().equals(DataTypes.COUNTER));
        if (equal.isEmpty() || counters) {
            return Optional.empty();
        }
        Set<String> partition = new LinkedHashSet<>(equal);
        Set<String> clustering = new LinkedHashSet<>(others);
        clustering.addAll(names(relation.getPrimaryKey()));
        clustering.removeAll(partition);
        StringBuilder cql = new StringBuilder("CREATE TABLE ")
                .append(relation.getKeyspace().asCql(true))
                .append('.')
                .append(Identifiers.toCql(relation.getName().asInternal() + "_by_" + String.join("_", partition)))
                .append(" (");
        relation.getColumns().forEach((name, column) -> {
            // CREATE TABLE gives the new table a mark of its own.
            if (!TableDefinition.isHidden(name.asInternal())) {
                cql.append(name.asCql(true))
                        .append(' ')
                        .append(column.getType().asCql(true, true))
                        .append(", ");
            }
        });
        cql.append("PRIMARY KEY (").append(joined(partition));
        if (!clustering.isEmpty()) {
            cql.append(", ").append(clustering.stream().map(Identifiers::toCql).collect(Collectors.joining(", ")));
        }
        return Optional.of(cql.append("))").toString());
    }

    private static String joined(Set<String> partition) {
        String names = partition.stream().map(Identifiers::toCql).collect(Collectors.joining(", "));
        return partition.size() == 1 ? names : "(" + names + ")";
    }
}
