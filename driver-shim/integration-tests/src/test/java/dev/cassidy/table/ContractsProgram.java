package dev.cassidy.table;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A process that changes contracts while others do.
 *
 * <p>Arguments: host, port, datacenter, the process's number, and the number of tables.
 */
final class ContractsProgram {

    static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("contracts_it").withWatchInterval(Duration.ofMillis(500));

    /** What one process does to one table. */
    private record Change(int table, boolean drop) {}

    private ContractsProgram() {}

    public static void main(String[] arguments) {
        try (CqlSession session = CqlSession.builder()
                        .addContactPoint(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                        .withLocalDatacenter(arguments[2])
                        .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                                .build())
                        .build();
                Sequences sequences = Sequences.open(session, CONFIG)) {
            change(sequences, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        }
    }

    /** Gives each table the same identity, a default that stays, and one that is dropped; in an order of its own. */
    static void change(Sequences sequences, int process, int tableCount) {
        TableRegistry tables = InternalAccess.tables(sequences);
        List<Change> changes = new ArrayList<>();
        for (int table = 0; table < tableCount; table++) {
            changes.add(new Change(table, false));
            changes.add(new Change(table, true));
        }
        Collections.shuffle(changes, new Random(process));
        for (Change each : changes) {
            String table = "t" + each.table;
            if (each.drop) {
                tables.registerDefault(constant(table, "dropped" + process));
                tables.registerIdentityAhead(new IdentityColumn("shop", table, "id", "shared"));
                tables.dropDefault("shop", table, "dropped" + process);
            } else {
                tables.registerDefault(constant(table, "kept" + process));
            }
        }
    }

    static ColumnDefault constant(String table, String column) {
        return new ColumnDefault(
                "shop", table, column, "df_" + column, ColumnDefault.Kind.CONSTANT, "'x'", "('" + column + "')");
    }
}
