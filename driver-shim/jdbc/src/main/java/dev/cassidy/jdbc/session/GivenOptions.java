package dev.cassidy.jdbc.session;

import dev.cassidy.jdbc.error.Warnings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options that a URL and its Properties give, by our names or by SQL Server's. */
final class GivenOptions {

    /** What an option or a role may be called to be quoted: anything else may be a password in the wrong place. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._-]*");

    /** Settings of Hibernate's own pool, which it also hands to every driver, without their {@code hibernate.connection.} */
    private static final Set<String> HIBERNATES_OWN = Set.of(
            "autocommit",
            "creator_factory_class",
            "handling_mode",
            "init_sql",
            "initial_pool_size",
            "min_pool_size",
            "pool_validation_interval");

    private final Map<ConnectionOption, String> values = new EnumMap<>(ConnectionOption.class);

    /** The name by which an option was given first. */
    private final Map<ConnectionOption, String> names = new EnumMap<>(ConnectionOption.class);

    private final List<SQLWarning> warnings = new ArrayList<>();
    private @Nullable String database;
    private boolean strict;

    /** Reads the part of a URL after {@code ?}. */
    void addQuery(String query) {
        @Nullable ConnectionOption secret = null;
        for (String part : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String key = decode(equals < 0 ? part : part.substring(0, equals));
            if (secret != null) {
                requireNoPartOfPassword(secret, key, equals < 0 && !part.isEmpty());
            }
            if (part.isEmpty()) {
                continue;
            }
            if (equals < 0) {
                requireKnownWithoutValue(key);
                throw new IllegalArgumentException("option " + key + " must be followed by = and its value");
            }
            String value = part.substring(equals + 1);
            if (ConnectionOption.find(key).filter(ConnectionOption::isSecret).isEmpty() && holdsOption(value)) {
                // Not quoted, because it may be a password.
                throw new IllegalArgumentException("options are separated by '&', and not by ';', ',' or a space as"
                        + " after option " + key + "; in a value these are %3B, %2C and %20");
            }
            @Nullable ConnectionOption option = add(key, decode(value), true);
            secret = option != null && option.isSecret() ? option : null;
        }
    }

    /** Returns whether a name and {@code =} follow a {@code ;}, {@code ,} or blank, as in a URL of SQL Server. */
    static boolean holdsOption(String value) {
        // Backwards from each '=', because forwards from each blank would read all that follow it.
        for (int equals = value.indexOf('='); equals >= 0; equals = value.indexOf('=', equals + 1)) {
            int end = equals;
            while (end > 0 && isBlank(value.charAt(end - 1))) {
                end--;
            }
            int start = end;
            while (start > 0 && (isLetter(value.charAt(start - 1)) || isDigit(value.charAt(start - 1)))) {
                start--;
            }
            boolean separated =
                    start > 0 && (isBlank(value.charAt(start - 1)) || ";,".indexOf(value.charAt(start - 1)) >= 0);
            if (separated && start < end && isLetter(value.charAt(start))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    void addProperties(Properties properties) {
        // stringPropertyNames() includes the defaults of the Properties, but leaves out values that are no String.
        properties.forEach((key, value) -> {
            if (key instanceof String name && !(value instanceof String)) {
                // Refuses objects of SQL Server's driver, such as a gsscredential, with their own advice.
                SqlServerProperties.effect(name, null);
            }
            if (!(key instanceof String) || !(value instanceof String)) {
                throw new IllegalArgumentException("property " + key + " must be a String");
            }
        });
        // In a fixed order, so that the same properties give the same error.
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            add(key, properties.getProperty(key), false);
        }
    }

    /** Returns the option that the key sets; null if it sets none. */
    private @Nullable ConnectionOption add(String key, String value, boolean inUrl) {
        @Nullable ConnectionOption own = ConnectionOption.find(key).orElse(null);
        if (own != null) {
            put(own, key, value, inUrl);
            return own;
        }
        SqlServerProperties.Effect effect =
                SqlServerProperties.effect(key, value).orElse(null);
        if (effect instanceof SqlServerProperties.Sets sets) {
            put(sets.option(), key, sets.value(), inUrl);
            strict |= SqlServerProperties.isStrict(key, value);
            return sets.option();
        }
        if (effect instanceof SqlServerProperties.Keyspace keyspace) {
            if (database != null && !database.equals(keyspace.name())) {
                throw new IllegalArgumentException("two databases are given, '" + database + "' and '" + keyspace.name()
                        + "'; name one keyspace, in the URL");
            }
            database = keyspace.name();
        } else if (effect instanceof SqlServerProperties.Ignored ignored) {
            warnings.add(Warnings.general("SQL Server's connection property " + key
                    + " has no effect in Cassandra and was ignored"
                    + (ignored.note().isEmpty() ? "" : ": " + ignored.note())));
        } else if (effect == null && (inUrl || !HIBERNATES_OWN.contains(key))) {
            throw unknown(key);
        }
        return null;
    }

    private void put(ConnectionOption option, String key, String value, boolean inUrl) {
        boolean login = ConnectionOption.OF_LOGINS.contains(option);
        if (login && !inUrl && value.isEmpty() && values.containsKey(option)) {
            // What a pool gives where none is configured does not take away the one of the URL.
            return;
        }
        if (login && !inUrl && "".equals(values.get(option))) {
            values.remove(option);
            names.remove(option);
        }
        if (option == ConnectionOption.CONFIG_FILE && inUrl) {
            // Who may write a URL is often not who runs the application, and the file may name classes to load.
            throw new IllegalArgumentException(
                    "must not be in a URL: configFile='" + value + "'. Give it as a property");
        }
        @Nullable String other = values.put(option, value);
        @Nullable String name = names.putIfAbsent(option, key);
        if (other == null || name == null) {
            return;
        }
        if (!name.equals(key) && !other.equals(value)) {
            throw new IllegalArgumentException("options " + name + " and " + key + " contradict each other"
                    + (option == ConnectionOption.SSL ? ", and nothing may be sent in plain text by mistake" : "")
                    + ": both set " + option.key() + "; give one of them");
        }
        if (inUrl && name.equals(key)) {
            throw new IllegalArgumentException("option " + key + " is given twice");
        }
        if (!other.equals(value)) {
            throw new IllegalArgumentException(
                    "option " + key + " has one value in the URL and another in the properties; give it once");
        }
    }

    /** What follows a password may be the rest of it, so it is not quoted. */
    private static void requireNoPartOfPassword(ConnectionOption secret, String key, boolean withoutValue) {
        boolean unknown = !key.isEmpty()
                && ConnectionOption.find(key).isEmpty()
                && !SqlServerProperties.isKnown(key)
                && ConnectionOption.nearest(key).isEmpty();
        if (withoutValue || unknown) {
            throw new IllegalArgumentException((withoutValue ? "an option without '='" : "an unknown option")
                    + " follows " + secret.key() + "; if it is part of the password, write its & as %26");
        }
    }

    private static void requireKnownWithoutValue(String key) {
        if (ConnectionOption.find(key).isEmpty() && !SqlServerProperties.isKnown(key)) {
            throw new IllegalArgumentException("an option must be followed by = and its value"
                    + ConnectionOption.nearest(key)
                            .map(near -> "; perhaps " + near.key() + "= is meant")
                            .orElse("")
                    + ". The options are " + names() + "; " + ConnectionSettings.NOT_SHOWN);
        }
    }

    private static IllegalArgumentException unknown(String key) {
        if (!NAME.matcher(key).matches()) {
            return new IllegalArgumentException(
                    "an option's name must be one of " + names() + "; " + ConnectionSettings.NOT_SHOWN);
        }
        return new IllegalArgumentException("unknown option '" + key + "'"
                + ConnectionOption.nearest(key)
                        .map(near -> "; perhaps " + near.key() + " is meant")
                        .orElse("")
                + ". The options are " + names());
    }

    private static String names() {
        return Arrays.stream(ConnectionOption.values())
                .map(ConnectionOption::key)
                .collect(Collectors.joining(", "));
    }

    /** Percent-decoding alone: a '+' stays a '+', because passwords contain it. */
    static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Without the cause, which quotes the text: it may be a password's.
            throw new IllegalArgumentException("a '%' must be followed by two hexadecimal digits (%25 is '%' itself)");
        }
    }

    /** Returns the options, by our names. */
    Map<ConnectionOption, String> options() {
        requireTlsFor(ConnectionOption.SSL_TRUSTSTORE);
        requireTlsFor(ConnectionOption.SSL_TRUSTSTORE_PASSWORD);
        requireLogin(ConnectionOption.USER, ConnectionOption.PASSWORD, "to connect without a login");
        requireLogin(
                ConnectionOption.SEQUENCES_USER,
                ConnectionOption.SEQUENCES_PASSWORD,
                "if the role of user has the rights on Cassidy's keyspaces");
        return Collections.unmodifiableMap(values);
    }

    /** The same rule as for our own names, by the name that was given. */
    private void requireTlsFor(ConnectionOption option) {
        @Nullable String name = names.get(option);
        if (name != null && !name.equals(option.key()) && !"true".equals(values.get(ConnectionOption.SSL))) {
            throw new IllegalArgumentException("option " + name + " needs ssl=true or encrypt=true, without which"
                    + " everything would go in plain text");
        }
    }

    /** Pools and frameworks give an empty user and an empty password where none is configured: that is no login. */
    private void requireLogin(ConnectionOption role, ConnectionOption password, String without) {
        if ("".equals(values.get(role))) {
            values.remove(role);
        }
        @Nullable String user = values.get(role);
        if (user == null && "".equals(values.get(password))) {
            values.remove(password);
        }
        if (user != null && values.getOrDefault(password, "").isEmpty()) {
            // user=name:password is a mistake that is easily made.
            String shown = NAME.matcher(user).matches() ? " '" + user + "'" : "";
            throw new IllegalArgumentException(role.key() + shown + " needs the option " + password.key()
                    + ", which must not be empty; " + without + ", leave both out");
        }
    }

    /** Returns the database that SQL Server's properties name; null if they name none. */
    @Nullable
    String database() {
        return database;
    }

    /** Returns whether the certificates of nodes must be for their hosts, whatever a configFile says. */
    boolean isStrict() {
        return strict;
    }

    /** Returns a warning for each property that has no effect. */
    List<SQLWarning> warnings() {
        return warnings;
    }
}
