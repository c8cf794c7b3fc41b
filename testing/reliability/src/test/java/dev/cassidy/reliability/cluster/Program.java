package dev.cassidy.reliability.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An application in its own JVM. It reads numbers; for each it draws as many ids, and prints each id as soon as it has
 * it. {@code sequence HOST PORT DATACENTER NAME} draws from a sequence, {@code sequences HOST PORT NAME,NAME} from
 * several in turn, {@code jdbc URL WRITER} inserts rows.
 */
final class Program {

    private Program() {}

    interface Ids {
        long next() throws SQLException;
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("jdbc")) {
            insert(args[1], args[2]);
        } else if (args[0].equals("sequences")) {
            drawInTurn(args[1], Integer.parseInt(args[2]), List.of(args[3].split(",", -1)));
        } else {
            draw(args[1], Integer.parseInt(args[2]), args[3], args[4]);
        }
    }

    private static void drawInTurn(String host, int port, List<String> names) throws Exception {
        try (CqlSession session = Clients.connect(host, port, "dc1");
                Sequences sequences = Sequences.open(session, Clients.CONFIG)) {
            List<IdAllocator> allocators =
                    names.stream().map(sequences::allocator).toList();
            Iterator<IdAllocator> turns =
                    Stream.generate(() -> allocators).flatMap(List::stream).iterator();
            obey(() -> turns.next().nextLong());
        }
    }

    private static void draw(String host, int port, String datacenter, String name) throws Exception {
        try (CqlSession session = Clients.connect(host, port, datacenter);
                Sequences sequences = Sequences.open(session, Clients.CONFIG)) {
            IdAllocator allocator = sequences.allocator(name);
            obey(allocator::nextLong);
        }
    }

    private static void insert(String url, String writer) throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO product (writer) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, writer);
            obey(() -> inserted(insert));
        }
    }

    /** Continues after temporary errors, as applications do: a busy machine, or a cut that was just healed. */
    private static long inserted(PreparedStatement insert) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try {
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    return keys.getLong(1);
                }
            } catch (SQLTransientException e) {
                if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
                    throw e;
                }
            }
        }
    }

    private static void obey(Ids ids) throws IOException, SQLException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            for (int left = Integer.parseInt(line); left > 0; left--) {
                System.out.println(ids.next());
            }
        }
    }
}
