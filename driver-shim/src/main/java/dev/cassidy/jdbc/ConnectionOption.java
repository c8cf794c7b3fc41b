package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@code jdbc:cassidy:} connection, all of them: each may stand in the URL's query part, in the
 * {@link java.util.Properties} given to {@link java.sql.DriverManager}, and is a property of {@link CassidyDataSource}.
 * Keys are case-exact. An unknown key, or a value outside the rule, is refused.
 */
public enum ConnectionOption {
    USER("user", null, "the role to log in as", List.of(), text -> text),
    PASSWORD("password", null, "the role's password; never shown", List.of(), text -> text),
    LOCAL_DATACENTER(
            "localDatacenter",
            null,
            "the datacenter whose nodes are asked; may be left out when the cluster has exactly one",
            List.of(),
            ConnectionOption::nonBlank),
    CONSISTENCY(
            "consistency",
            "LOCAL_QUORUM",
            "consistency level of reads and writes",
            levels(level -> !level.isSerial()),
            text -> level(text, level -> !level.isSerial())),
    SERIAL_CONSISTENCY(
            "serialConsistency",
            "LOCAL_SERIAL",
            "serial level of the application's own conditional statements",
            levels(DefaultConsistencyLevel::isSerial),
            text -> level(text, DefaultConsistencyLevel::isSerial)),
    REQUEST_TIMEOUT(
            "requestTimeout",
            "5s",
            "how long one statement may take, such as 5s or 500ms; Statement.setQueryTimeout overrides it",
            List.of(),
            ConnectionOption::duration),
    CONNECT_TIMEOUT(
            "connectTimeout",
            "10s",
            "how long reaching the cluster may take in all, such as 10s",
            List.of(),
            ConnectionOption::duration),
    GLOBAL_KEYSPACE("globalKeyspace", "cassidy", "Cassidy's global keyspace", List.of(), ConnectionOption::nonBlank),
    FETCH_SIZE(
            "fetchSize",
            "5000",
            "rows fetched per page, at least 1; Statement.setFetchSize overrides it",
            List.of(),
            ConnectionOption::positive),
    SCOPE_IDENTITY_TYPE(
            "scopeIdentityType",
            "decimal",
            "type of SCOPE_IDENTITY() and @@IDENTITY: decimal as in SQL Server (numeric(38,0), getObject gives a"
                    + " BigDecimal), or long",
            List.of("decimal", "long"),
            text -> choice(text, "decimal", "long")),
    TRANSACTIONS(
            "transactions",
            "batch",
            "what setAutoCommit(false) does: batch keeps the writes for one logged batch that commit sends and rollback"
                    + " drops; immediate sends each write at once, and rollback cannot undo it",
            List.of("batch", "immediate"),
            text -> choice(text, "batch", "immediate"));

    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m)");

    private final String key;
    private final @Nullable String defaultValue;
    private final String description;
    private final List<String> choices;
    private final Function<String, Object> parser;

    ConnectionOption(
            String key,
            @Nullable String defaultValue,
            String description,
            List<String> choices,
            Function<String, Object> parser) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.description = description;
        this.choices = choices;
        this.parser = parser;
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
        return choices;
    }

    /** Returns the option of that name, case-exact. */
    static Optional<ConnectionOption> find(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }

    /** Returns the option whose name is nearest, when it is near enough to be what was meant. */
    static Optional<ConnectionOption> nearest(String key) {
        String wanted = key.toLowerCase(Locale.ROOT);
        ConnectionOption best = null;
        int least = Integer.MAX_VALUE;
        for (ConnectionOption option : values()) {
            int distance = distance(wanted, option.key.toLowerCase(Locale.ROOT));
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
     * @throws IllegalArgumentException naming the option, the rule and, unless it is the password, the value
     */
    Object parse(String text) {
        Objects.requireNonNull(text, key);
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ": " + key + "='" + text + "'", e);
        }
    }

    private static String nonBlank(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("must not be empty");
        }
        return text;
    }

    private static Integer positive(String text) {
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException("must be a whole number from 1 to 999999999");
        }
        return Integer.valueOf(text);
    }

    private static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("must be a whole number > 0 with its unit ms, s or m, such as 5s or 500ms");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
        };
    }

    private static String choice(String text, String... allowed) {
        if (!List.of(allowed).contains(text)) {
            throw new IllegalArgumentException("must be one of " + String.join(", ", allowed));
        }
        return text;
    }

    private static List<String> levels(Predicate<DefaultConsistencyLevel> wanted) {
        return Arrays.stream(DefaultConsistencyLevel.values())
                .filter(wanted)
                .map(Enum::name)
                .collect(Collectors.toUnmodifiableList());
    }

    private static DefaultConsistencyLevel level(
            String text, Predicate<DefaultConsistencyLevel> wanted) {
        List<String> allowed = levels(wanted);
        if (!allowed.contains(text)) {
            throw new IllegalArgumentException("must be one of " + String.join(", ", allowed));
        }
        return DefaultConsistencyLevel.valueOf(text);
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
}
