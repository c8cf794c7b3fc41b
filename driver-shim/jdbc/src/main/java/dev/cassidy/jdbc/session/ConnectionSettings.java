package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import dev.cassidy.tsql.WritesClause;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A {@code jdbc:cassidy:} URL and its options, checked. Two equal ones share a session.
 *
 * @param endpoints the nodes to ask first, at least one
 * @param keyspace the keyspace of unqualified names; empty when the URL names none
 * @param options only the options that were given
 * @param strictTls whether a node's certificate must be for its host, whatever a configFile says
 */
public record ConnectionSettings(
        List<Endpoint> endpoints,
        Optional<CqlIdentifier> keyspace,
        Map<ConnectionOption, String> options,
        boolean strictTls) {

    public static final String PREFIX = "jdbc:cassidy:";

    /** SQL Server 2012: the oldest version that Hibernate's dialect supports, which expects the least. */
    public static final int SQL_SERVER_MAJOR = 11;

    static final int DEFAULT_PORT = 9042;
    private static final String FORM = "jdbc:cassidy://host[:port][,host[:port]...]/keyspace?option=value&...";

    /** Only what is written like this is quoted: anything else may be a password in the wrong place. */
    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}._-]+");

    private static final Pattern ADDRESS = Pattern.compile("[0-9A-Fa-f:.]+(%[\\p{L}\\p{N}._-]+)?");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    private static final Pattern KEYSPACE = Pattern.compile("(%22)?[\\p{L}\\p{N}._-]*(%22)?");

    private static final String MASK = "***";
    static final String NOT_SHOWN = "what stands there is not shown, because it may be a password";

    /** A host as it was written, not yet resolved, and its port. */
    record Endpoint(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }
    }

    public ConnectionSettings {
        endpoints = List.copyOf(endpoints);
        EnumMap<ConnectionOption, String> copy = new EnumMap<>(ConnectionOption.class);
        copy.putAll(options);
        options = Collections.unmodifiableMap(copy);
        if (options.containsKey(ConnectionOption.PASSWORD) && !options.containsKey(ConnectionOption.USER)) {
            throw new IllegalArgumentException("a password needs the option user");
        }
        if (options.containsKey(ConnectionOption.SEQUENCES_PASSWORD)
                && !options.containsKey(ConnectionOption.SEQUENCES_USER)) {
            throw new IllegalArgumentException("a sequencesPassword needs the option sequencesUser");
        }
        // They are shown in messages and logs, in which a line break could forge a line.
        options.forEach((option, value) -> requireOneLine(option.isSecret() ? "" : value, "option " + option.key()));
        keyspace.ifPresent(name -> requireOneLine(name.asInternal(), "a keyspace"));
        endpoints.forEach(endpoint -> requireOneLine(endpoint.host(), "a host"));
        options.forEach(ConnectionOption::parse);
        requireTls(options);
        requireOther(options, ConnectionOption.SSL_TRUSTSTORE_PASSWORD, ConnectionOption.SSL_TRUSTSTORE);
        requireOther(options, ConnectionOption.SSL_KEYSTORE_PASSWORD, ConnectionOption.SSL_KEYSTORE);
    }

    private static void requireOneLine(String text, String what) {
        String escaped = Lines.escaped(text);
        if (!escaped.equals(text)) {
            throw new IllegalArgumentException(what + " must not have control characters: '" + escaped + "'");
        }
    }

    /** A user who names a truststore believes that the traffic is encrypted. */
    private static void requireTls(Map<ConnectionOption, String> options) {
        if (!"true".equals(options.get(ConnectionOption.SSL))) {
            for (ConnectionOption option : ConnectionOption.OF_TLS) {
                if (options.containsKey(option)) {
                    throw new IllegalArgumentException("option " + option.key()
                            + " needs ssl=true, without which everything would go in plain text");
                }
            }
        }
    }

    private static void requireOther(
            Map<ConnectionOption, String> options, ConnectionOption option, ConnectionOption other) {
        if (options.containsKey(option) && !options.containsKey(other)) {
            throw new IllegalArgumentException("option " + option.key() + " needs the option " + other.key());
        }
    }

    /**
     * Reads a URL that starts with {@link #PREFIX}.
     *
     * @throws SQLException naming the part that is wrong; never showing a password
     */
    public static ConnectionSettings parse(String url, Properties properties) throws SQLException {
        return read(url, properties).settings();
    }

    /**
     * What a URL and its properties ask for.
     *
     * @param warnings one for each of SQL Server's connection properties that has no effect
     */
    public record Given(ConnectionSettings settings, List<SQLWarning> warnings) {
        public Given {
            warnings = List.copyOf(warnings);
        }

        /** Returns the same with {@code option} set, unless it is set already. */
        public Given withDefault(ConnectionOption option, String value) {
            return new Given(settings.withDefault(option, value), warnings);
        }
    }

    /** As {@link #parse}, with the warnings for the connection. */
    public static Given read(String url, Properties properties) throws SQLException {
        try {
            return readOrRefuse(url, properties);
        } catch (IllegalArgumentException e) {
            String why = Lines.escaped(String.valueOf(e.getMessage()));
            throw new SQLNonTransientConnectionException(
                    Lines.escaped("Cannot connect with " + shown(url)) + ": " + why + ". The form is " + FORM,
                    SqlStates.CANNOT_CONNECT,
                    why.equals(e.getMessage()) ? e : new IllegalArgumentException(why));
        }
    }

    private static Given readOrRefuse(String url, Properties properties) {
        if (!url.startsWith(PREFIX + "//")) {
            boolean ofOldUrl = url.substring(PREFIX.length()).matches("(?s)([a-z]+:)?jdbc:.*");
            throw new IllegalArgumentException("two slashes must follow " + PREFIX
                    + (ofOldUrl
                            ? ". What an application does on its old database is recorded by another driver, cassidy-recorder:"
                                    + " put its jar on the class path and " + PREFIX + "record: before the old URL"
                            : ""));
        }
        String rest = url.substring(PREFIX.length() + 2);
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        String location = question < 0 ? rest : rest.substring(0, question);
        if (location.indexOf(';') >= 0) {
            throw new IllegalArgumentException("options follow '?' and are separated by '&', not by ';'");
        }
        if (location.indexOf('&') >= 0 || location.indexOf('=') >= 0) {
            // Refused here and not quoted, because what was meant as options may contain a password.
            throw new IllegalArgumentException("options follow '?', which is missing before the first of them");
        }
        if (location.indexOf('@') >= 0) {
            throw new IllegalArgumentException("a role is given by the options user and password, not before '@'");
        }
        int slash = location.indexOf('/');
        String hosts = slash < 0 ? location : location.substring(0, slash);
        String keyspace = slash < 0 ? "" : location.substring(slash + 1);
        GivenOptions given = new GivenOptions();
        given.addQuery(query);
        given.addProperties(properties);
        return new Given(
                new ConnectionSettings(
                        endpoints(hosts), keyspace(keyspace, given.database()), given.options(), given.isStrict()),
                given.warnings());
    }

    private static Optional<CqlIdentifier> keyspace(String ofUrl, @Nullable String database) {
        Optional<CqlIdentifier> keyspace = keyspace(ofUrl);
        if (database == null) {
            return keyspace;
        }
        Optional<CqlIdentifier> other = keyspace(encode(database));
        if (keyspace.isPresent() && !keyspace.equals(other)) {
            throw new IllegalArgumentException(
                    "the database '" + database + "' is not the URL's keyspace; name one keyspace, in the URL");
        }
        return other;
    }

    private static List<Endpoint> endpoints(String hosts) {
        if (hosts.isBlank()) {
            throw new IllegalArgumentException("at least one host must follow the two slashes");
        }
        return Arrays.stream(hosts.split(",", -1))
                .map(ConnectionSettings::endpoint)
                .distinct()
                .collect(Collectors.toUnmodifiableList());
    }

    private static Endpoint endpoint(String text) {
        String host;
        String port;
        if (text.startsWith("[")) {
            int close = text.indexOf(']');
            if (close < 0 || (close + 1 < text.length() && text.charAt(close + 1) != ':')) {
                throw new IllegalArgumentException("an IPv6 host must be [address] or [address]:port; " + NOT_SHOWN);
            }
            host = text.substring(1, close);
            port = close + 1 < text.length() ? text.substring(close + 2) : String.valueOf(DEFAULT_PORT);
        } else {
            int colon = text.indexOf(':');
            if (colon >= 0 && text.indexOf(':', colon + 1) >= 0) {
                throw new IllegalArgumentException("an IPv6 host must stand in brackets"
                        + (ADDRESS.matcher(text).matches() ? ": '" + text + "'" : "; " + NOT_SHOWN));
            }
            host = colon < 0 ? text : text.substring(0, colon);
            port = colon < 0 ? String.valueOf(DEFAULT_PORT) : text.substring(colon + 1);
        }
        if (host.isBlank() || !host.strip().equals(host)) {
            throw new IllegalArgumentException("a host must not be empty or have spaces around it");
        }
        if (!(text.startsWith("[") ? ADDRESS : HOST).matcher(host).matches()) {
            throw new IllegalArgumentException(
                    "a host must be a name or an address, of letters, digits, '.', '-' and '_'; " + NOT_SHOWN);
        }
        if (!PORT.matcher(port).matches()) {
            throw new IllegalArgumentException("a port must be a number from 1 to 65535, and what follows host '" + host
                    + "' is not; " + NOT_SHOWN);
        }
        if (Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException("a port must be a number from 1 to 65535: '" + text + "'");
        }
        return new Endpoint(host, Integer.parseInt(port));
    }

    private static Optional<CqlIdentifier> keyspace(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String name = GivenOptions.decode(text);
        try {
            return Optional.of(CqlIdentifier.fromCql(name));
        } catch (IllegalArgumentException e) {
            String rule = "a keyspace must be letters, digits and '_', or be quoted as %22Name%22";
            throw KEYSPACE.matcher(text).matches()
                    ? new IllegalArgumentException(rule + ": '" + text + "'", e)
                    : new IllegalArgumentException(rule + "; " + NOT_SHOWN);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The hosts and the keyspace of a URL, as far as they are written as such: anything else may be a password. */
    public static String shown(String url) {
        if (!url.startsWith(PREFIX + "//")) {
            return url.startsWith(PREFIX) ? PREFIX + MASK : MASK;
        }
        String rest = url.substring(PREFIX.length() + 2);
        // What stands before an '@' is a login, whatever signs it has: a password may end with '='.
        int login = rest.split("[?;&][A-Za-z]+=", 2)[0].lastIndexOf('@');
        String[] location = rest.substring(login + 1).split("[?;&=]", 2)[0].split("/", 2);
        String hosts = Arrays.stream(location[0].split(",", -1))
                .map(ConnectionSettings::shownHost)
                .collect(Collectors.joining(","));
        return PREFIX + "//" + (login < 0 ? "" : MASK + "@") + hosts
                + (location.length == 1
                        ? ""
                        : "/" + (KEYSPACE.matcher(location[1]).matches() ? location[1] : MASK));
    }

    private static String shownHost(String text) {
        int port = text.indexOf(':', Math.max(0, text.lastIndexOf(']')));
        String host = port < 0 ? text : text.substring(0, port);
        boolean isHost = HOST.matcher(host).matches()
                || (host.startsWith("[")
                        && host.endsWith("]")
                        && ADDRESS.matcher(host.substring(1, host.length() - 1)).matches());
        boolean isPort = port < 0 || PORT.matcher(text.substring(port + 1)).matches();
        return (isHost || host.isEmpty() ? host : MASK)
                + (port < 0 ? "" : ":" + (isPort ? text.substring(port + 1) : MASK));
    }

    /** Returns the URL with every option but roles and passwords; the same settings always give the same text. */
    public String url() {
        List<String> query = new ArrayList<>();
        options.forEach((option, value) -> {
            if (!ConnectionOption.OF_LOGINS.contains(option) && !option.isSecret()) {
                query.add(option.key() + "=" + encode(value));
            }
        });
        return PREFIX + "//" + hosts() + "/"
                + keyspace.map(name -> encode(name.asCql(true))).orElse("")
                + (query.isEmpty() ? "" : "?" + String.join("&", query));
    }

    String hosts() {
        return endpoints.stream().map(Endpoint::toString).collect(Collectors.joining(","));
    }

    /**
     * Returns the lines that run the command {@code cassidy} with these settings. It takes passwords from elsewhere.
     *
     * @param datacenter the local one, if no option names it
     */
    CommandLines commandLines(String datacenter) {
        List<String> further = new ArrayList<>();
        user().ifPresent(name -> further.addAll(List.of("--cassandra-user", name)));
        given(ConnectionOption.SEQUENCES_USER).ifPresent(name -> further.addAll(List.of("--sequences-user", name)));
        if (ssl()) {
            further.add("--cassandra-tls");
            given(ConnectionOption.SSL_TRUSTSTORE)
                    .ifPresent(file -> further.addAll(List.of("--cassandra-truststore", file)));
            given(ConnectionOption.SSL_KEYSTORE)
                    .ifPresent(file -> further.addAll(List.of("--cassandra-keystore", file)));
        }
        SequencesConfig config = sequences();
        if (config.serverChecks() == ServerChecks.SKIP) {
            further.addAll(List.of("--server-checks", "skip"));
        }
        return CommandLines.of(
                endpoints.stream().map(Endpoint::toString).toList(),
                localDatacenter().orElse(datacenter),
                config.globalKeyspace(),
                further);
    }

    ConnectionSettings withKeyspace(CqlIdentifier name) {
        return new ConnectionSettings(endpoints, Optional.of(name), options, strictTls);
    }

    /** Returns how the session of {@code sequencesUser} is opened; empty if there is no such role. */
    Optional<ConnectionSettings> ofSequences() {
        return given(ConnectionOption.SEQUENCES_USER).map(role -> {
            Map<ConnectionOption, String> own = new EnumMap<>(ConnectionOption.class);
            own.putAll(options);
            own.put(ConnectionOption.USER, role);
            own.put(ConnectionOption.PASSWORD, own.getOrDefault(ConnectionOption.SEQUENCES_PASSWORD, ""));
            // Cassidy's own statements name their keyspaces.
            own.keySet().removeAll(List.of(ConnectionOption.SEQUENCES_USER, ConnectionOption.SEQUENCES_PASSWORD));
            return new ConnectionSettings(endpoints, Optional.empty(), own, strictTls);
        });
    }

    private ConnectionSettings withDefault(ConnectionOption option, String value) {
        Map<ConnectionOption, String> more = new EnumMap<>(ConnectionOption.class);
        more.putAll(options);
        more.putIfAbsent(option, value);
        return new ConnectionSettings(endpoints, keyspace, more, strictTls);
    }

    boolean isGiven(ConnectionOption option) {
        return options.containsKey(option);
    }

    /** Returns the text of an option as it was given. */
    Optional<String> given(ConnectionOption option) {
        return Optional.ofNullable(options.get(option));
    }

    public Optional<String> user() {
        return Optional.ofNullable(options.get(ConnectionOption.USER));
    }

    String password() {
        return options.getOrDefault(ConnectionOption.PASSWORD, "");
    }

    Optional<String> localDatacenter() {
        return Optional.ofNullable(options.get(ConnectionOption.LOCAL_DATACENTER));
    }

    ConsistencyLevel consistency() {
        return value(ConnectionOption.CONSISTENCY, ConsistencyLevel.class);
    }

    Duration requestTimeout() {
        return value(ConnectionOption.REQUEST_TIMEOUT, Duration.class);
    }

    Duration connectTimeout() {
        return value(ConnectionOption.CONNECT_TIMEOUT, Duration.class);
    }

    /** Returns how the sequences are opened. */
    SequencesConfig sequences() {
        return SequencesConfig.defaults()
                .withGlobalKeyspace(value(ConnectionOption.GLOBAL_KEYSPACE, String.class))
                .withDurability(value(ConnectionOption.DURABILITY, Durability.class))
                .withServerChecks(value(ConnectionOption.SERVER_CHECKS, ServerChecks.class));
    }

    public boolean buffersTransactions() {
        return value(ConnectionOption.TRANSACTIONS, String.class).equals("batch");
    }

    /** Returns whether ids that an insert gives itself are taken and refused as by SQL Server. */
    public boolean checksIdentityInsert() {
        return value(ConnectionOption.IDENTITY_INSERT, String.class).equals("strict");
    }

    public boolean presentsAsSqlServer() {
        return value(ConnectionOption.PRESENT_AS, String.class).equals("sqlserver");
    }

    /** Returns whether constraints are left out although the data may differ without them. */
    public boolean leavesConstraintsOut() {
        return value(ConnectionOption.CONSTRAINTS, String.class).equals("warn");
    }

    /** Returns how dates such as {@code 1/2/2024} are read. */
    public DateOrder dateOrder() {
        @Nullable String given = options.get(ConnectionOption.DATE_FORMAT);
        return given == null ? DateOrder.NONE : (DateOrder) ConnectionOption.DATE_FORMAT.parse(given);
    }

    FanOut fanOut() {
        return value(ConnectionOption.FAN_OUT, FanOut.class);
    }

    /** Returns whether one call may hold several statements. */
    public boolean allowsSeveralStatements() {
        return value(ConnectionOption.MULTIPLE_STATEMENTS, Boolean.class);
    }

    /** Returns whether statements may create, restart and drop sequences. */
    public boolean allowsSequenceDdl() {
        return value(ConnectionOption.SEQUENCE_DDL, String.class).equals("allowed");
    }

    /** Returns whether a SELECT that has no form in CQL is evaluated in the client. */
    public boolean assists() {
        return value(ConnectionOption.ASSIST, String.class).equals("on");
    }

    /** Returns whether {@link #assists} was chosen. */
    public boolean saysAssist() {
        return isGiven(ConnectionOption.ASSIST);
    }

    /** Returns how many rows a statement may read that is evaluated in the client. */
    public int assistRows() {
        return value(ConnectionOption.ASSIST_ROWS, Integer.class);
    }

    /** Returns whether {@link #writes} was chosen. */
    public boolean saysWrites() {
        return isGiven(ConnectionOption.WRITES);
    }

    /** Returns how the rows of a table are written that CREATE TABLE makes, if that says nothing of it. */
    public WritesClause writes() {
        return value(ConnectionOption.WRITES, WritesClause.class);
    }

    boolean ssl() {
        return value(ConnectionOption.SSL, Boolean.class);
    }

    /** Returns whether no message may hold a value. */
    public boolean redactsValues() {
        return value(ConnectionOption.REDACT_VALUES, Boolean.class);
    }

    boolean requiresTls() {
        return value(ConnectionOption.REQUIRE_TLS, Boolean.class);
    }

    private <T> T value(ConnectionOption option, Class<T> type) {
        @Nullable String given = options.get(option);
        String text = given == null ? option.defaultValue().orElseThrow() : given;
        return type.cast(option.parse(text));
    }

    /** The URL: never the password. */
    @Override
    public String toString() {
        return url();
    }
}
