package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a receipt is told must be so, whoever wrote the receipt. */
class ReceiptsIT {

    private static final String KEYSPACE = "receipts_it";
    /** Of each of six kinds some hundreds. Each is a read. */
    private static final int TEXTS = Integer.getInteger("receipts", 2_500);

    private static final List<String> COUNTERS = List.of("IBM", "SAP", "a:b/1:c", "\uD83D\uDE00");

    private static CqlSession session;
    private static String datacenter;

    @BeforeAll
    static void connect() {
        EmbeddedCassandra cassandra = SharedNode.get();
        datacenter = cassandra.localDatacenter();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter + "': 1}");
        CassidySchema.install(
                session,
                Replication.parse(datacenter + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(KEYSPACE + "_cassidy"));
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static CountersConfig config(String table) {
        return CountersConfig.of(KEYSPACE + "." + table)
                .withGlobalKeyspace(KEYSPACE + "_cassidy")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(2));
    }

    /** Leaves epochs that were given back and settled, one that was broken off, and one that is held. */
    private static void increment(String table, Map<Receipt, Long> genuine) {
        for (int process = 0; process < 7; process++) {
            try (Counters counters = Counters.open(session, config(table))) {
                for (String counter : COUNTERS) {
                    for (int i = 0; i < 4; i++) {
                        genuine.put(counters.counter(counter).increment(1), 1L);
                    }
                }
                counters.counter("IBM").fold();
            }
        }
    }

    @Test
    void shouldTellNothingOfWhatNeverWas() {
        Counters.create(session, config("asked"));
        Counters.create(session, config("another"));
        Map<Receipt, Long> genuine = new HashMap<>();
        Map<Receipt, Long> ofAnother = new HashMap<>();
        increment("asked", genuine);
        increment("another", ofAnother);
        try (Counters counters = Counters.open(session, config("asked"))) {
            for (String counter : COUNTERS) {
                genuine.put(counters.counter(counter).increment(1), 1L);
            }
            // As the janitor takes a slot from a process that looks dead, so that its epoch is broken off.
            breakOff("asked");
            for (String counter : COUNTERS) {
                genuine.put(counters.counter(counter).increment(1), 1L);
            }
            assertThat(genuine.keySet().stream().map(Receipt::epoch).distinct().count())
                    .as("epochs")
                    .isGreaterThan(7);

            List<String> texts = madeUp(genuine, ofAnother);
            int told = 0;
            for (int from = 0; from < texts.size(); from += 50) {
                Map<Receipt, CompletableFuture<ReceiptStatus>> asked = new HashMap<>();
                for (String text : texts.subList(from, Math.min(texts.size(), from + 50))) {
                    ask(counters, text, asked);
                }
                for (Map.Entry<Receipt, CompletableFuture<ReceiptStatus>> one : asked.entrySet()) {
                    ReceiptStatus status = one.getValue()
                            .exceptionally(failure -> {
                                assertThat(failure)
                                        .isInstanceOfAny(
                                                IllegalArgumentException.class, CounterException.Refused.class);
                                return ReceiptStatus.UNKNOWN;
                            })
                            .join();
                    told += status == ReceiptStatus.COUNTED ? 1 : 0;
                    if (status == ReceiptStatus.COUNTED) {
                        assertThat(genuine).containsKey(one.getKey());
                    }
                    if (genuine.containsKey(one.getKey())) {
                        assertThat(status).as("%s", one.getKey()).isEqualTo(ReceiptStatus.COUNTED);
                    }
                }
            }
            assertThat(texts).hasSizeGreaterThanOrEqualTo(TEXTS);
            assertThat(told).as("genuine ones are among them").isPositive();

            assertThat(genuine.keySet())
                    .allSatisfy(receipt -> assertThat(counters.status(receipt)).isEqualTo(ReceiptStatus.COUNTED));
            for (String counter : COUNTERS) {
                long rows = genuine.keySet().stream()
                        .filter(receipt -> receipt.type().equals(counter))
                        .count();
                assertThat(counters.counter(counter).value()).isEqualTo(rows);
            }
        }
    }

    private static void ask(Counters counters, String text, Map<Receipt, CompletableFuture<ReceiptStatus>> asked) {
        try {
            Receipt receipt = Receipt.parse(text);
            asked.put(
                    receipt,
                    counters.counter(receipt.type()).statusAsync(receipt).toCompletableFuture());
        } catch (IllegalArgumentException | CounterException.Refused refused) {
            // Neither of them tells that it is counted.
            assertThat(refused.getMessage()).isNotBlank();
            assertThat(refused).isNotInstanceOf(NumberFormatException.class);
        }
    }

    private static List<String> madeUp(Map<Receipt, Long> genuine, Map<Receipt, Long> ofAnother) {
        Random random = new Random(40);
        List<Receipt> seeds = new ArrayList<>(genuine.keySet());
        seeds.sort((one, other) -> one.toString().compareTo(other.toString()));
        List<Receipt> others = new ArrayList<>(ofAnother.keySet());
        others.sort((one, other) -> one.toString().compareTo(other.toString()));
        Set<Integer> epochs = new HashSet<>();
        seeds.forEach(receipt -> epochs.add(receipt.epoch()));
        List<Integer> leased = epochs.stream().sorted().toList();
        List<String> texts = new ArrayList<>();
        others.forEach(receipt -> texts.add(receipt.toString()));
        texts.addAll(List.of("5:dc1/0:IBM", "", "::::", "99999999999999999999:" + datacenter + "/0:IBM"));
        while (texts.size() < TEXTS) {
            Receipt of = seeds.get(random.nextInt(seeds.size()));
            switch (random.nextInt(6)) {
                case 0 -> texts.add(of.toString());
                case 1 -> // One character is another.
                    texts.add(mutated(of.toString(), random));
                case 2 -> // Of a number near by.
                    texts.add(with(of, of.epoch(), of.number() + random.nextInt(9) - 4, of.type()));
                case 3 -> // Of an epoch near by, that nobody leased.
                    texts.add(with(of, of.epoch() + random.nextInt(9) - 4, of.number(), of.type()));
                case 4 -> // Of another epoch that was leased, and of another counter.
                    texts.add(with(
                            of,
                            leased.get(random.nextInt(leased.size())),
                            1 + random.nextInt(6),
                            random.nextBoolean() ? "nobody" : COUNTERS.get(random.nextInt(COUNTERS.size()))));
                default -> {
                    Receipt another = others.get(random.nextInt(others.size()));
                    texts.add(with(another, another.epoch(), another.number(), another.type())
                            .replace("another", "asked"));
                }
            }
        }
        return texts;
    }

    private static String with(Receipt of, long epoch, long number, String type) {
        return epoch + "." + number + ":" + of.actor() + ":" + of.generation() + ":" + of.table() + ":" + type;
    }

    private static String mutated(String text, Random random) {
        StringBuilder changed = new StringBuilder(text);
        int at = random.nextInt(changed.length());
        String characters = "0123456789abc:./IBM\uD83D";
        char one = characters.charAt(random.nextInt(characters.length()));
        switch (random.nextInt(3)) {
            case 0 -> changed.setCharAt(at, one);
            case 1 -> changed.insert(at, one);
            default -> changed.deleteCharAt(at);
        }
        return changed.toString();
    }

    private static void breakOff(String table) {
        String slots = session
                        .execute("SELECT keyspace_name FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE
                                + "_cassidy_" + datacenter + "' ALLOW FILTERING")
                        .all()
                        .stream()
                        .map(row -> row.getString(0))
                        .findFirst()
                        .orElseThrow()
                + ".counter_slot";
        for (Row row : session.execute("SELECT DISTINCT counters, slot, epoch, lease, free FROM " + slots)) {
            if (String.valueOf(row.getString("counters")).contains(table)
                    && row.getInt("slot") >= 0
                    && !row.getBoolean("free")) {
                session.execute(
                        "BEGIN BATCH UPDATE " + slots
                                + " SET epoch = ?, lease = ?, beat = 0, free = true WHERE counters = ? AND slot = ? IF"
                                + " epoch = ?; UPDATE " + slots
                                + " SET swept = false WHERE counters = ? AND slot = ? AND ended = ?; APPLY BATCH",
                        row.getInt("epoch") + 1,
                        UUID.randomUUID(),
                        row.getString("counters"),
                        row.getInt("slot"),
                        row.getInt("epoch"),
                        row.getString("counters"),
                        row.getInt("slot"),
                        row.getInt("epoch"));
            }
        }
    }

    @Test
    void shouldKnowNothingOfAReceiptOfATableThatWasCreatedAgain() {
        Counters.create(session, config("again"));
        Receipt receipt;
        try (Counters counters = Counters.open(session, config("again"))) {
            receipt = counters.counter("IBM").increment(5);
        }
        session.execute("DROP TABLE " + KEYSPACE + ".again");
        Counters.create(session, config("again"));
        try (Counters counters = Counters.open(session, config("again"))) {
            assertThat(counters.status(receipt)).isEqualTo(ReceiptStatus.UNKNOWN);
        }
    }

    @Test
    void shouldNotTellThatAnIncrementCountsWhoseRowsAreGone() {
        Counters.create(session, config("emptied"));
        Receipt receipt;
        try (Counters counters = Counters.open(session, config("emptied"))) {
            receipt = counters.counter("IBM").increment(5);
        }
        session.execute("TRUNCATE " + KEYSPACE + ".emptied");
        try (Counters counters = Counters.open(session, config("emptied"))) {
            assertThat(counters.status(receipt)).isEqualTo(ReceiptStatus.UNKNOWN);
            assertThat(counters.counter("IBM").value()).isZero();
        }
    }
}
