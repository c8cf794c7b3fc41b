package dev.cassidy.embedded;

import java.io.PrintStream;
import java.util.List;

/** Keeps a node or a cluster running until this process is interrupted, or a node ends by itself. */
public final class Main {
    private static final int REFUSED = 2;
    private static final int FAILED = 1;

    private static final String USAGE = """
            Runs a real Apache Cassandra on this machine until it is interrupted. If a node ends by itself, so does this, with
            exit code 1 and the last lines of the node's log.

              --port N               the port for CQL clients (default: a free one)
              --data DIR             the folder of data and logs; it is kept (default: a temporary one, removed at the end)
              --keep                 keeps the temporary folder too
              --datacenters A:N,B:M  a cluster: N nodes in datacenter A, M in B (default: dc1:1)
              --help                 this text
            """;

    private Main() {}

    public static void main(String[] args) {
        // The shutdown hooks of the nodes end them.
        System.exit(run(List.of(args), System.out, System.err));
    }

    /** Returns the exit code; does not return while every node runs. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        try {
            MainOptions options = MainOptions.parse(arguments);
            if (options.help()) {
                out.print(USAGE);
                return 0;
            }
            EmbeddedCluster cluster = start(options);
            cluster.nodes()
                    .forEach(node -> out.println("host=" + node.host() + " port=" + node.port() + " datacenter="
                            + node.localDatacenter() + " log=" + node.logFile()));
            out.println(
                    "Stop it with Ctrl-C, or: kill " + ProcessHandle.current().pid());
            err.println(cluster.death().join());
            return FAILED;
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            return REFUSED;
        } catch (RuntimeException e) {
            err.println(e.getMessage());
            return FAILED;
        }
    }

    private static EmbeddedCluster start(MainOptions options) {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder().keepData(options.keep());
        options.datacenters().forEach(builder::datacenter);
        if (options.port() != 0) {
            builder.port(options.port());
        }
        if (options.data() != null) {
            builder.dataDirectory(options.data());
        }
        return builder.start();
    }
}
