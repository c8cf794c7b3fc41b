package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.ServerChecks;
import dev.cassidy.tsql.WritesClause;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@code jdbc:cassidy:} connection. Each may be in the URL's query part, in the {@link
 * java.util.Properties} given to {@link java.sql.DriverManager}, and is a property of {@code CassidyDataSource}; a {@code
 * configFile} may not be in the URL. Keys are case-exact. An unknown key, or a value outside the rule, is refused.
 *
 * <p>An option is here only if a user can be named who must set it, and no default serves everybody: docs/jdbc.md names
 * them.
 *
 * <p>An option in the URL or the Properties overrides {@code configFile}, and that overrides the option's default. The
 * file is read when a session opens. Only if there is a file, the driver's own system properties ({@code
 * -Ddatastax-java-driver...}) override everything else, as with any file of the driver.
 */
public enum ConnectionOption {
    USER("user", null, Rule.TEXT, "the role to log in as"),
    PASSWORD("password", null, Rule.SECRET, "the role's password; never shown"),
    LOCAL_DATACENTER(
            "localDatacenter",
            null,
            Rule.NON_BLANK,
            "the datacenter whose nodes are asked; may be left out when the cluster has exactly one"),
    CONSISTENCY("consistency", "LOCAL_QUORUM", Rule.LEVEL, "consistency level of reads and writes"),
    REQUEST_TIMEOUT(
            "requestTimeout",
            "5s",
            Rule.DURATION,
            "how long one statement may take, such as 5s or 500ms; Statement.setQueryTimeout overrides it"),
    CONNECT_TIMEOUT(
            "connectTimeout",
            "10s",
            Rule.DURATION,
            "how long reaching the cluster may take in all, such as 10s; DataSource.setLoginTimeout replaces the default"),
    GLOBAL_KEYSPACE(
            "globalKeyspace",
            "cassidy",
            Rule.NON_BLANK,
            "Cassidy's global keyspace; if it is given and not there, the connection is refused with those that are"),
    SEQUENCES_USER(
            "sequencesUser",
            null,
            Rule.TEXT,
            "the role that reads and writes Cassidy's keyspaces, in a session of its own; then the role of user needs no"
                    + " right on them"),
    SEQUENCES_PASSWORD("sequencesPassword", null, Rule.SECRET, "the password of sequencesUser; never shown"),
    DURABILITY(
            "durability",
            "warn",
            Rule.DURABILITY,
            "what is done about nodes that acknowledge writes before they are on their disks, and may forget claims when"
                    + " they are killed: warn says so in the log, and serves and counts ids of such a claim if no others are"
                    + " left; wait makes callers wait for them, some ten seconds at a start; refuse claims no ids while there"
                    + " is such a node in the datacenter; ignore asks none"),
    SERVER_CHECKS(
            "serverChecks",
            "check",
            Rule.SERVER_CHECKS,
            "whether to check the nodes' settings on which unique ids depend; skip is for roles that may not read"
                    + " system_views.settings, once an operator has checked every node"),
    TRANSACTIONS(
            "transactions",
            "batch",
            Rule.BATCH_OR_IMMEDIATE,
            "what setAutoCommit(false) does: batch keeps the writes for one logged batch that commit sends and rollback"
                    + " drops; immediate sends each write at once, and rollback cannot undo it"),
    IDENTITY_INSERT(
            "identityInsert",
            "lenient",
            Rule.IDENTITY_INSERT,
            "what happens to an id that an insert gives itself: lenient takes it before the sequence's first id,"
                    + " whatever SET IDENTITY_INSERT says; strict requires IDENTITY_INSERT ON, with SQL Server's"
                    + " errors, and refuses an id that is there already"),
    PRESENT_AS(
            "presentAs",
            "cassandra",
            Rule.CASSANDRA_OR_SQLSERVER,
            "the product that DatabaseMetaData reports, by which frameworks choose their SQL dialect: sqlserver for"
                    + " Spring Data JDBC and Hibernate"),
    WRITES(
            "writes",
            "exact",
            Rule.WRITES,
            "how the rows of a table are written that CREATE TABLE makes without saying it: exact gives writes SQL"
                    + " Server's effects and counts, under conditions, of which the nodes of the only datacenter decide,"
                    + " with exact:dc1 those of dc1, and with serial those of all; plain is Cassandra's own way"),
    CONSTRAINTS(
            "constraints",
            "refuse",
            Rule.REFUSE_OR_WARN,
            "what happens to constraints that Cassandra does not enforce: refuse refuses UNIQUE and actions such as ON"
                    + " DELETE CASCADE, without which the data may differ, and leaves CHECK and FOREIGN KEY out with a"
                    + " warning; warn leaves all of them out with a warning"),
    DATE_FORMAT(
            "dateFormat",
            null,
            Rule.DATE_FORMAT,
            "in which order dates such as '1/2/2024' are read: mdy, dmy or ymd, as SQL Server's SET DATEFORMAT and SET"
                    + " LANGUAGE say it; without it they are refused"),
    FAN_OUT(
            "fanOut",
            "auto",
            Rule.FAN_OUT,
            "what happens to a SELECT that asks nodes all over the cluster, because it gives no partition key: warn serves"
                    + " it with a warning, refuse refuses it, auto warns in a datacenter of up to 12 nodes and refuses in a"
                    + " larger one, 30 days after it got larger; allow:orders,shop.big accepts it for these tables, and is"
                    + " auto for others"),
    ASSIST(
            "assist",
            "on",
            Rule.ON_OR_OFF,
            "what happens to a statement that has no form in CQL, such as a join: on reads the rows that it needs, and evaluates"
                    + " it in the client; off refuses it"),
    ASSIST_ROWS(
            "assistRows",
            "10000",
            Rule.ROWS,
            "how many rows one statement may read that is evaluated in the client, from 1 to 1000000; one that needs more is"
                    + " refused"),
    MULTIPLE_STATEMENTS(
            "multipleStatements",
            "true",
            Rule.TRUE_OR_FALSE,
            "whether one call may hold several statements; false still serves an INSERT with what reads its"
                    + " identity, SET"
                    + " NOCOUNT, SET IDENTITY_INSERT and an IF around one statement"),
    SEQUENCE_DDL(
            "sequenceDdl",
            "allowed",
            Rule.ALLOWED_OR_REFUSED,
            "whether statements may create, restart and drop sequences: CREATE, ALTER and DROP SEQUENCE, DBCC CHECKIDENT with"
                    + " RESEED, and IDENTITY in CREATE TABLE"),
    SSL(
            "ssl",
            "false",
            Rule.TRUE_OR_FALSE,
            "whether to speak TLS with every node; without it the other options of TLS are refused"),
    SSL_TRUSTSTORE(
            "sslTruststore",
            null,
            Rule.NON_BLANK,
            "path of a JKS or PKCS12 file with the certificates by which nodes are trusted; the JVM's own when left"
                    + " out"),
    SSL_TRUSTSTORE_PASSWORD("sslTruststorePassword", null, Rule.SECRET, "the password of sslTruststore; never shown"),
    SSL_KEYSTORE(
            "sslKeystore",
            null,
            Rule.NON_BLANK,
            "path of a JKS or PKCS12 file with the client's own key and certificate, for nodes that ask for one"),
    SSL_KEYSTORE_PASSWORD(
            "sslKeystorePassword", null, Rule.SECRET, "the password of sslKeystore and of its key; never shown"),
    REDACT_VALUES(
            "redactValues",
            "false",
            Rule.TRUE_OR_FALSE,
            "whether values are removed from the messages of errors and warnings, where they help to find an error, and may"
                    + " end up in logs"),
    REQUIRE_TLS(
            "requireTls",
            "false",
            Rule.TRUE_OR_FALSE,
            "whether to refuse a connection without TLS, wherever that is configured"),
    CONFIG_FILE(
            "configFile",
            null,
            Rule.NON_BLANK,
            "a configuration file of java-driver (HOCON), as a path or as classpath:name, for what these options leave out;"
                    + " a property, and never in a URL. An option that is given wins over the file, and the file over the"
                    + " defaults of these options. The hosts are the URL's alone");

    /** Options that mean nothing without {@link #SSL}. */
    static final List<ConnectionOption> OF_TLS =
            List.of(SSL_TRUSTSTORE, SSL_TRUSTSTORE_PASSWORD, SSL_KEYSTORE, SSL_KEYSTORE_PASSWORD);

    /** An empty one is none: pools and frameworks give it where nothing is configured. */
    static final List<ConnectionOption> OF_LOGINS = List.of(USER, PASSWORD, SEQUENCES_USER, SEQUENCES_PASSWORD);

    private final String key;
    private final @Nullable String defaultValue;
    private final Rule rule;
    private final String description;

    ConnectionOption(String key, @Nullable String defaultValue, Rule rule, String description) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.rule = rule;
        this.description = description;
    }

    /** Returns the name of the option, case-exact, in URLs, Properties and bean properties. */
    public String key() {
        return key;
    }

    /** Returns the default as it would be written in a URL; empty when the option has none. */
    public Optional<String> defaultValue() {
        return Optional.ofNullable(defaultValue);
    }

    /** Returns one sentence on what the option does. */
    public String description() {
        return description;
    }

    /** Returns the values that are allowed; empty when they cannot be listed. */
    public List<String> choices() {
        return rule.choices();
    }

    /** Returns whether its value is secret. */
    public boolean isSecret() {
        return rule == Rule.SECRET;
    }

    /** Returns the option of that name, case-exact. */
    static Optional<ConnectionOption> find(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }

    /** Returns the option with the nearest name, if it is near enough to be a typing error. */
    static Optional<ConnectionOption> nearest(String key) {
        String wanted = key.toLowerCase(Locale.ROOT);
        ConnectionOption best = null;
        int least = Integer.MAX_VALUE;
        for (ConnectionOption option : values()) {
            String candidate = option.key.toLowerCase(Locale.ROOT);
            boolean begins = candidate.length() > 2 && (wanted.startsWith(candidate) || candidate.startsWith(wanted));
            int distance = begins ? 1 : distance(wanted, candidate);
            if (distance < least) {
                least = distance;
                best = option;
            }
        }
        return least <= Math.max(1, key.length() / 3) ? Optional.ofNullable(best) : Optional.empty();
    }

    /**
     * Returns the typed value of {@code text}.
     *
     * @throws IllegalArgumentException naming the option, the rule and the value; a password is never refused
     */
    Object parse(String text) {
        Objects.requireNonNull(text, key);
        try {
            return rule.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ": " + key + "='" + text + "'", e);
        }
    }

    /** Levenshtein's distance; the names are short. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substitution, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }

    /** What an option's value may be. */
    private enum Rule {
        TEXT,
        SECRET,
        NON_BLANK,
        DURATION,
        LEVEL,
        BATCH_OR_IMMEDIATE,
        WRITES,
        IDENTITY_INSERT,
        CASSANDRA_OR_SQLSERVER,
        TRUE_OR_FALSE,
        ON_OR_OFF,
        ROWS,
        DURABILITY,
        SERVER_CHECKS,
        REFUSE_OR_WARN,
        ALLOWED_OR_REFUSED,
        DATE_FORMAT,
        FAN_OUT;

        private static final int MAX_ROWS = 1_000_000;
        private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");
        private static final Pattern AMOUNT_AND_UNIT = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m)");

        List<String> choices() {
            return switch (this) {
                case LEVEL -> levels();
                case BATCH_OR_IMMEDIATE -> List.of("batch", "immediate");
                case IDENTITY_INSERT -> List.of("lenient", "strict");
                case CASSANDRA_OR_SQLSERVER -> List.of("cassandra", "sqlserver");
                case TRUE_OR_FALSE -> List.of("true", "false");
                case ON_OR_OFF -> List.of("on", "off");
                case DURABILITY -> names(Durability.values());
                case SERVER_CHECKS -> names(ServerChecks.values());
                case REFUSE_OR_WARN -> List.of("refuse", "warn");
                case ALLOWED_OR_REFUSED -> List.of("allowed", "refused");
                case DATE_FORMAT -> List.of("mdy", "dmy", "ymd");
                case TEXT, SECRET, NON_BLANK, DURATION, WRITES, FAN_OUT, ROWS -> List.of();
            };
        }

        private static List<String> names(Enum<?>[] constants) {
            return Arrays.stream(constants)
                    .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                    .toList();
        }

        private static List<String> levels() {
            return Arrays.stream(DefaultConsistencyLevel.values())
                    .filter(level -> !level.isSerial())
                    .map(Enum::name)
                    .toList();
        }

        Object parse(String text) {
            if (!choices().isEmpty() && !choices().contains(text)) {
                throw new IllegalArgumentException("must be one of " + String.join(", ", choices()));
            }
            return switch (this) {
                case LEVEL -> DefaultConsistencyLevel.valueOf(text);
                case DURATION -> duration(text);
                case NON_BLANK -> nonBlank(text);
                case FAN_OUT -> FanOut.parse(text);
                case WRITES -> WritesClause.parse(text);
                case TRUE_OR_FALSE -> Boolean.valueOf(text);
                case DURABILITY -> Durability.valueOf(text.toUpperCase(Locale.ROOT));
                case SERVER_CHECKS -> ServerChecks.valueOf(text.toUpperCase(Locale.ROOT));
                case DATE_FORMAT -> DateOrder.valueOf(text.toUpperCase(Locale.ROOT));
                case TEXT,
                        SECRET,
                        BATCH_OR_IMMEDIATE,
                        IDENTITY_INSERT,
                        CASSANDRA_OR_SQLSERVER,
                        ALLOWED_OR_REFUSED,
                        ON_OR_OFF,
                        REFUSE_OR_WARN -> text;
                case ROWS -> rows(text);
            };
        }

        private static Integer rows(String text) {
            if (!NUMBER.matcher(text).matches() || Integer.parseInt(text) > MAX_ROWS) {
                throw new IllegalArgumentException("must be a whole number from 1 to " + MAX_ROWS);
            }
            return Integer.valueOf(text);
        }

        private static String nonBlank(String text) {
            if (text.isBlank()) {
                throw new IllegalArgumentException("must not be empty");
            }
            return text;
        }

        private static Duration duration(String text) {
            Matcher matcher = AMOUNT_AND_UNIT.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "must be a whole number > 0 with its unit ms, s or m, such as 5s or 500ms");
            }
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                default -> Duration.ofMinutes(amount);
            };
        }
    }
}
