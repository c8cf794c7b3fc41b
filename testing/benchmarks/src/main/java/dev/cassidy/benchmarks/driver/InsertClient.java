package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import java.net.InetSocketAddress;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;

/** A contestant of {@link InsertRace} in a JVM of its own: {@code CONTESTANT HOST PORT DATACENTER KEYSPACE}. */
public final class InsertClient {

    static final int BATCH = 100;
    static final int UNDER_WAY = 128;

    private static final String INSERT_BY_UUID = "INSERT INTO product_by_uuid (id, name, quantity) VALUES (?, ?, ?)";

    private InsertClient() {}

    public static void main(String[] arguments) throws Exception {
        String contestant = arguments[0];
        String node = arguments[1] + ':' + arguments[2];
        String datacenter = arguments[3];
        String keyspace = arguments[4];
        String cassidy = cassidyUrl(node, datacenter, keyspace);
        String ing = "jdbc:cassandra://" + node + '/' + keyspace + "?localdatacenter=" + datacenter
                + "&consistency=LOCAL_QUORUM&requesttimeout=20000";
        switch (contestant) {
            case "JDBC_ROW" ->
                serve(contestant, () -> JdbcInserts.withIdentity(DriverManager.getConnection(cassidy), "product", 1));
            case "JDBC_BATCH" ->
                serve(
                        contestant,
                        () -> JdbcInserts.withIdentity(DriverManager.getConnection(cassidy), "product", BATCH));
            case "ING_ROW" ->
                serve(contestant, () -> JdbcInserts.withUuid(DriverManager.getConnection(ing), "product_by_uuid", 1));
            case "ING_BATCH" ->
                serve(
                        contestant,
                        () -> JdbcInserts.withUuid(DriverManager.getConnection(ing), "product_by_uuid", BATCH));
            case "BARE_SYNC", "BARE_SYNC_AGAIN", "BARE_ASYNC" -> {
                int underWay = contestant.equals("BARE_ASYNC") ? UNDER_WAY : 1;
                try (CqlSession session = connect(arguments[1], Integer.parseInt(arguments[2]), datacenter, keyspace)) {
                    serve(contestant, () -> new BareInserts(session, INSERT_BY_UUID, underWay));
                }
            }
            default -> throw new IllegalArgumentException("must be a contestant: " + contestant);
        }
    }

    private static void serve(String contestant, Turns.Opening opening) throws Exception {
        Turns.serve(Map.of(contestant, opening));
    }

    /** Returns the keyspace in which the ids for a race in {@code keyspace} are. */
    static String globalKeyspace(String keyspace) {
        return keyspace + "_ids";
    }

    static String cassidyUrl(String node, String datacenter, String keyspace) {
        return "jdbc:cassidy://" + node + '/' + keyspace + "?localDatacenter=" + datacenter + "&globalKeyspace="
                + globalKeyspace(keyspace) + "&connectTimeout=60s&requestTimeout=20s";
    }

    static CqlSession connect(String host, int port, String datacenter, String keyspace) {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress(host, port))
                .withLocalDatacenter(datacenter)
                .withKeyspace(keyspace)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
                        .withString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY, "LOCAL_SERIAL")
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .build())
                .build();
    }
}
