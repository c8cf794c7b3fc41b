package dev.cassidy.migration;

import java.util.Map;

/**
 * Examples in the help of each command: a comment, and what a user types. The file {@code shop.yaml} of most of them has the
 * options that name the source and Cassandra.
 */
final class HelpExamples {

    static final String NOTE = "shop.yaml has source-url, source-user, contact-points and local-dc.";

    private static final Map<String, String> TEXTS = Map.ofEntries(
            Map.entry("init", """
                    # three replicas in each of two datacenters
                    cassidy init --replication dc1:3,dc2:3 --contact-points 10.0.0.1 --local-dc dc1
                    # a script for a DBA, who runs it with cqlsh
                    cassidy init --replication dc1:3 --print
                    """),
            Map.entry("ids register", """
                    # of a table without rows
                    cassidy ids register --config shop.yaml --table shop.album --column albumid
                    # past the rows that there are, or that will come
                    cassidy ids register --config shop.yaml --table shop.album --column albumid --start 348
                    """),
            Map.entry("tables check", """
                    # which tables were made or changed by other means than T-SQL
                    cassidy tables check --config shop.yaml
                    # in a script: exit code 3 if something is to be done
                    cassidy tables check --config shop.yaml --keyspace shop --output json
                    # also which rows break what is declared; reads all rows
                    cassidy tables check --config shop.yaml --keyspace shop --rows
                    """),
            Map.entry("tables alter", """
                    # how many rows are too long, or have no title
                    cassidy tables alter --config shop.yaml --table shop.album \\
                        --columns "Title nvarchar(80) not null" --dry-run
                    # declares it, unless a row breaks it
                    cassidy tables alter --config shop.yaml --table shop.album \\
                        --columns "Title nvarchar(80) not null, Price decimal(6,2)"
                    # what ADD CONSTRAINT would add to a table without rows
                    cassidy tables alter --config shop.yaml --table shop.album \\
                        --add "CONSTRAINT uq_isbn UNIQUE (Isbn)"
                    """),
            Map.entry("tables add-unique", """
                    # of a table with rows, while applications write it
                    cassidy tables add-unique --config shop.yaml --table shop.album \\
                        --unique "CONSTRAINT uq_isbn UNIQUE (Isbn)"
                    # an index that leaves rows with NULL out
                    cassidy tables add-unique --config shop.yaml --table shop.album \\
                        --unique "UNIQUE INDEX ux_isbn (Isbn) WHERE Isbn IS NOT NULL"
                    """),
            Map.entry("tables add-twin", """
                    # an index on a column of strings finds 'Ann' by 'ANN' from then on
                    cassidy tables add-twin --config shop.yaml --table shop.customer --column email
                    """),
            Map.entry("tables count", """
                    # UPDATE page SET hits = hits + 1 adds without a condition from then on
                    cassidy tables count --config shop.yaml --table shop.page --column hits
                    """),
            Map.entry("tables rebuild", """
                    # after a restore, or after cqlsh wrote past the driver
                    cassidy tables rebuild --config shop.yaml --table shop.album
                    """),
            Map.entry("tables adopt", """
                    # shows what is known of a table that CQL has made again, and asks
                    cassidy tables adopt --config shop.yaml --table shop.album
                    # says what T-SQL would say of a table that CQL has made
                    cassidy tables adopt --config shop.yaml --table shop.album \\
                        --columns "AlbumId int, Title nvarchar(160) not null, At datetime2"
                    """),
            Map.entry("transactions list", """
                    # all that are under way, or were left behind
                    cassidy transactions list --config shop.yaml
                    # in a script: exit code 3 if one is older than ten minutes
                    cassidy transactions list --config shop.yaml --older 10m --output json
                    """),
            Map.entry("transactions status", """
                    # of an error that did not know the outcome
                    cassidy transactions status 7d5c1f3e-2a94-4d0b-9c61-0f4b8a6e2d15 --config shop.yaml
                    """),
            Map.entry("transactions resolve", """
                    # ends one
                    cassidy transactions resolve 7d5c1f3e-2a94-4d0b-9c61-0f4b8a6e2d15 --config shop.yaml
                    # ends all that are older than ten minutes
                    cassidy transactions resolve --older 10m --config shop.yaml
                    """),
            Map.entry("counters adopt", """
                    # a table of increments that CQL has made
                    cassidy counters adopt --config shop.yaml --table shop.traded --kind FOLDED
                    """),
            Map.entry("counters copy", """
                    # while it is counted, and once more afterwards
                    cassidy counters copy --config shop.yaml --from shop.counter --table shop.traded --kind VERSIONED
                    """),
            Map.entry("counters truncate", """
                    # processes may count meanwhile
                    cassidy counters truncate --config shop.yaml --table shop.traded --kind FOLDED
                    """),
            Map.entry("tables declare", """
                    # what an INSERT gives columns that it leaves out
                    cassidy tables declare --config shop.yaml --table shop.album --defaults "at=GETDATE()"
                    # writes to the table have SQL Server's effects and counts
                    cassidy tables declare --config shop.yaml --table shop.item --writes exact
                    """),
            Map.entry("assist off", """
                    # one statement, by the digits that its error or its warning shows
                    cassidy assist off --config shop.yaml --statement 3f9c2a7b61d0 --note "too slow since Monday"
                    # all statements that Cassandra does not take as they are
                    cassidy assist off --config shop.yaml
                    """),
            Map.entry("assist on", """
                    # one statement
                    cassidy assist on --config shop.yaml --statement 3f9c2a7b61d0
                    # all but those that were turned off one by one
                    cassidy assist on --config shop.yaml
                    """),
            Map.entry("assist list", """
                    # what is turned off
                    cassidy assist list --config shop.yaml
                    """),
            Map.entry("tables small", """
                    # statements may read all of its rows
                    cassidy tables small --config shop.yaml --table shop.colour
                    # no longer, because it has grown
                    cassidy tables small --config shop.yaml --table shop.colour --not
                    # which tables are declared so
                    cassidy tables small --config shop.yaml
                    """),
            Map.entry("tables move", """
                    # shows what would be moved, and asks
                    cassidy tables move --config shop.yaml --table shop.album --to cassidy_new
                    # back again, in a script
                    cassidy tables move --config shop.yaml --global-keyspace cassidy_new --table shop.album \\
                        --to cassidy --yes
                    """),
            Map.entry("migrate plan", """
                    # each identity column, and where it would continue; Cassandra is not asked
                    cassidy migrate plan --source-url "jdbc:sqlserver://db.example;databaseName=Shop" \\
                        --source-user reader --keyspace shop
                    # a page for a DBA to sign, and the plan for seed --plan
                    cassidy migrate plan --config shop.yaml --keyspace shop --plan shop.json --report plan.html
                    # how fast ids are used; no table is read from end to end
                    cassidy migrate plan --config shop.yaml --keyspace shop --sample 60s --max-scan never
                    # refused unless this login sees ten columns, and 1072 as the last client
                    cassidy migrate plan --config shop.yaml --keyspace shop --expect 10 --expect dbo.Client=1072
                    """),
            Map.entry("migrate fence", """
                    # prints the statements
                    cassidy migrate fence --config shop.yaml --include "dbo.*"
                    # room for twice the ids that two hours use, at the rate of the next minute
                    cassidy migrate fence --config shop.yaml --sample 60s --window 2h --apply
                    # at the end: no further ids in the source
                    cassidy migrate fence --config shop.yaml --margin 0 --apply
                    """),
            Map.entry("migrate seed", """
                    # what would be done once the source has stopped
                    cassidy migrate seed --config shop.yaml --keyspace shop --offline --dry-run
                    # the plan that was signed, and no other
                    cassidy migrate seed --config shop.yaml --offline --plan shop.json \\
                        --plan-hash sha256:5f1d --report seed.html
                    # while the source still inserts, within its fences
                    cassidy migrate seed --config shop.yaml --keyspace shop
                    """),
            Map.entry("migrate verify", """
                    # exit code 3 if an id may come twice
                    cassidy migrate verify --config shop.yaml --keyspace shop --report verify.html
                    # also draws an id of each sequence, as an application would
                    cassidy migrate verify --config shop.yaml --keyspace shop --probe
                    # before the readers are switched: the fences stand, and all rows are there
                    cassidy migrate verify --config shop.yaml --keyspace shop --require-fence \\
                        --state shop.state --rows --strict
                    """),
            Map.entry("ids status", """
                    # all sequences
                    cassidy ids status --config shop.yaml
                    # in a script: exit code 3 if less than a fifth of one is left
                    cassidy ids status --config shop.yaml --min-headroom 20 --output json
                    """),
            Map.entry("ids repair", """
                    # what a repair would rely on
                    cassidy ids repair --config shop.yaml --sequence shop.product
                    # repairs
                    cassidy ids repair --config shop.yaml --sequence shop.product --next 5001 \\
                        --confirm shop.product
                    """),
            Map.entry("migrate schema", """
                    # a script for cqlsh
                    cassidy migrate schema --config shop.yaml --keyspace shop --zone UTC \\
                        --include dbo.Client --key "dbo.Client=ClientId"
                    # creates all tables and registers them; keys.txt has a line for each, as after --key
                    cassidy migrate schema --config shop.yaml --keyspace shop --zone UTC --keys keys.txt --apply
                    """),
            Map.entry("migrate copy", """
                    # checks the tables and shows their ranges
                    cassidy migrate copy --config shop.yaml --keyspace shop --zone UTC --dry-run
                    # copies, and continues where it stopped
                    cassidy migrate copy --config shop.yaml --keyspace shop --zone UTC --state shop.state
                    # later: what the source took or changed since
                    cassidy migrate copy --config shop.yaml --keyspace shop --zone UTC --state shop.state --repair
                    """),
            Map.entry("migrate export", """
                    # one table as JSON for DSBulk
                    cassidy migrate export --config shop.yaml --keyspace shop --zone UTC \\
                        --include dbo.Client --format json --folder export
                    """),
            Map.entry("migrate copy-back", """
                    # how many rows would be written
                    cassidy migrate copy-back --config shop.yaml --state shop.state --dry-run
                    # writes them
                    cassidy migrate copy-back --config shop.yaml --state shop.state --yes
                    """),
            Map.entry("migrate rollback-plan", """
                    # a script for the source, to be run when every writer has stopped
                    cassidy migrate rollback-plan --config shop.yaml --keyspace shop > back.sql
                    """),
            Map.entry("assess", """
                    # what a recorder saw, judged by its statements alone
                    cassidy assess --record shop.jsonl
                    # judged by a cluster with the new tables, for 20 nodes; a page for people
                    cassidy assess --record shop.jsonl --nodes 20 --report shop-assessed.html \\
                        --target "jdbc:cassidy://db.example/shop?localDatacenter=dc1"
                    # an export of SQL Server's Query Store, with the defaults of the source
                    cassidy assess --config shop.yaml --query-store shop.csv
                    """),
            Map.entry("migrate counters", """
                    # how many native counters there are, and their sum
                    cassidy migrate counters --config shop.yaml --offline --from shop.visits --to shop.visited \\
                        --dry-run
                    """));

    private HelpExamples() {}

    /**
     * Returns the examples of a command, line by line.
     *
     * @throws IllegalArgumentException if it has none
     */
    static String[] of(String command) {
        String text = TEXTS.get(command);
        if (text == null) {
            throw new IllegalArgumentException("has no examples: command=" + command);
        }
        String noted = text.contains("shop.yaml") ? text + "# " + NOTE + "\n" : text;
        return noted.lines().map(line -> "  " + line.replace("%", "%%")).toArray(String[]::new);
    }
}
