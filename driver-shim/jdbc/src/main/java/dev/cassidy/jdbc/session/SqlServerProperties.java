package dev.cassidy.jdbc.session;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection properties of Microsoft's JDBC driver for SQL Server, up to version 13.6, with their synonyms. An
 * application that moves still sets some of them. Their names are read in any case, as that driver does.
 *
 * <p>A property has the effect of one of our options, or it is refused, or it is ignored with a warning. It is refused
 * if traffic would be protected less without it, or if another role would log in.
 */
final class SqlServerProperties {

    /** What becomes of a property. */
    sealed interface Effect {}

    /** It sets an option. */
    record Sets(ConnectionOption option, String value) implements Effect {}

    /** It names the database, which is the keyspace. */
    record Keyspace(String name) implements Effect {}

    /**
     * It has no effect.
     *
     * @param note why, or what takes its place; empty if there is nothing to say
     */
    record Ignored(String note) implements Effect {}

    /** It asks for what is done anyway. */
    record Same() implements Effect {}

    /**
     * Why a property is refused.
     *
     * @param allowed values in lower case that ask for what is done anyway; only then is a value shown
     */
    private record Refusal(String workaround, Set<String> allowed) {}

    private static final Set<String> NO = Set.of("false", "no");

    private static final String LOGIN =
            "it would log in another way; the options user and password name a role of Cassandra, and configFile can name"
                    + " an auth-provider of java-driver";
    private static final String TRUST = "a node's certificate has to be trusted: put it, or its issuer's, into a"
            + " truststore, and name that by sslTruststore";
    private static final String CLIENT_KEY =
            "a client's key and certificate are in one file, which the options sslKeystore and sslKeystorePassword name";
    private static final String COLUMN_ENCRYPTION =
            "values would be stored unencrypted; encrypt them in the application, or leave it out";
    private static final String CERTIFICATE_NAME = "a node's certificate must hold the name that the URL connects to;"
            + " connect by a name that it holds, and leave it out";
    private static final String SOCKETS =
            "connections would use another network path; configFile can set java-driver's advanced.netty and"
                    + " advanced.ssl-engine-factory";

    /** By their names in lower case. */
    private static final Map<String, Refusal> REFUSED = new HashMap<>();

    /** By their names in lower case, with a note. */
    private static final Map<String, String> IGNORED = new HashMap<>();

    /** By their names in lower case. */
    private static final Set<String> SERVED = Set.of(
            "user",
            "username",
            "uid",
            "password",
            "database",
            "databasename",
            "encrypt",
            "truststore",
            "truststorepassword",
            "logintimeout",
            "querytimeout");

    static {
        refuse(LOGIN, NO, "integratedSecurity", "trusted_connection", "useDefaultGSSCredential");
        refuse(LOGIN, NO, "useDefaultJaasConfig");
        refuse(LOGIN, Set.of("notspecified", "sqlpassword"), "authentication");
        refuse(LOGIN, Set.of("nativeauthentication"), "authenticationScheme");
        refuse(LOGIN, Set.of(), "accessToken", "accessTokenCallback", "accessTokenCallbackClass", "gsscredential");
        refuse(LOGIN, Set.of(), "msiClientId", "msiTokenCacheTtl", "AADSecurePrincipalId", "AADSecurePrincipalSecret");
        refuse(LOGIN, Set.of(), "domain", "domainName", "realm", "serverSpn", "jaasConfigurationName");

        refuse("any certificate would be taken; " + TRUST, NO, "trustServerCertificate");
        refuse(TRUST, Set.of(), "serverCertificate", "trustManagerClass", "trustManagerConstructorArg");
        refuse("the file must be of type JKS or PKCS12", Set.of("jks", "pkcs12"), "trustStoreType");
        refuse(CERTIFICATE_NAME, Set.of(), "hostNameInCertificate");
        refuse(CLIENT_KEY, Set.of(), "clientCertificate", "clientKey", "clientKeyPassword");
        refuse(
                "the JVM decides which versions of TLS it speaks: set its system property jdk.tls.client.protocols, and"
                        + " leave it out",
                Set.of("tls"),
                "sslProtocol");
        refuse("run the JVM with a FIPS provider, and leave it out", NO, "fips");
        refuse("run the JVM with a FIPS provider, and leave it out", Set.of(), "fipsProvider");
        refuse(SOCKETS, Set.of(), "socketFactoryClass", "socketFactoryConstructorArg");

        refuse(COLUMN_ENCRYPTION, Set.of("disabled"), "columnEncryptionSetting", "columnEncryption");
        refuse(COLUMN_ENCRYPTION, Set.of(), "enclaveAttestationUrl", "enclaveAttestationProtocol");
        refuse(COLUMN_ENCRYPTION, Set.of(), "keyStoreAuthentication", "keyStoreLocation", "keyStoreSecret");
        refuse(COLUMN_ENCRYPTION, Set.of(), "keyStorePrincipalId", "keyVaultProviderClientId");
        refuse(COLUMN_ENCRYPTION, Set.of(), "keyVaultProviderClientKey");

        ignore("the nodes are those of the URL", "serverName", "server", "portNumber", "port", "instanceName");
        ignore("the nodes are those of the URL", "failoverPartner", "multiSubnetFailover", "serverNameAsACE");
        ignore("the nodes are those of the URL", "TransparentNetworkIPResolution", "iPAddressPreference");
        ignore("a statement may take requestTimeout", "socketTimeout", "lockTimeout", "cancelQueryTimeout");
        ignore("Cassandra has no isolation levels", "defaultTransactionIsolation");
        ignore("java-driver connects again by itself", "connectRetryCount", "connectRetryInterval", "retryConn");
        ignore("java-driver's retry policy decides", "retryExec");
        ignore("Statement.setFetchSize says how many rows are fetched at a time", "responseBuffering", "selectMethod");
        ignore("Statement.setFetchSize says how many rows are fetched at a time", "maxResultBuffer", "packetSize");
        ignore("", "applicationName", "app", "applicationIntent", "workstationID", "replication");
        ignore("", "sendStringParametersAsUnicode", "sendTimeAsDatetime", "datetimeParameterType");
        ignore("", "ignoreOffsetOnDateTimeOffsetConversion", "calcBigDecimalPrecision", "vectorTypeSupport");
        ignore("", "delayLoadingLobs", "lastUpdateCount", "xopenStates", "quotedIdentifier", "quotedId");
        ignore("", "concatNullYieldsNull", "prepareMethod", "enablePrepareOnFirstPreparedStatementCall");
        ignore("", "disableStatementPooling", "statementPoolingCacheSize", "serverPreparedStatementDiscardThreshold");
        ignore("", "useFmtOnly", "useBulkCopyForBatchInsert", "sendTemporalDataTypesAsStringForBulkCopy");
        ignore("", "cacheBulkCopyMetadata", "bulkCopyForBatchInsertBatchSize");
        ignore("", "bulkCopyForBatchInsertCheckConstraints", "bulkCopyForBatchInsertFireTriggers");
        ignore("", "bulkCopyForBatchInsertKeepIdentity", "bulkCopyForBatchInsertKeepNulls");
        ignore("", "bulkCopyForBatchInsertTableLock", "bulkCopyForBatchInsertAllowEncryptedValueModifications");
    }

    private SqlServerProperties() {}

    private static void refuse(String workaround, Set<String> allowed, String... names) {
        for (String name : names) {
            REFUSED.put(name.toLowerCase(Locale.ROOT), new Refusal(workaround, allowed));
        }
    }

    private static void ignore(String note, String... names) {
        for (String name : names) {
            IGNORED.put(name.toLowerCase(Locale.ROOT), note);
        }
    }

    /** Returns whether a name, in any case, is on the list. */
    static boolean isKnown(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return SERVED.contains(lower) || IGNORED.containsKey(lower) || REFUSED.containsKey(lower);
    }

    /**
     * Returns what a property means here; empty if its name is not on the list.
     *
     * @param value null for one that is no text
     * @throws IllegalArgumentException naming the property and a workaround; a secret is not shown
     */
    static Optional<Effect> effect(String name, @Nullable String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        @Nullable String note = IGNORED.get(lower);
        if (note != null) {
            return Optional.of(new Ignored(note));
        }
        @Nullable Refusal refusal = REFUSED.get(lower);
        if (refusal != null) {
            return Optional.of(orRefuse(name, value, refusal));
        }
        if (value == null || !SERVED.contains(lower)) {
            return Optional.empty();
        }
        return Optional.of(
                switch (lower) {
                    case "user", "username", "uid" -> new Sets(ConnectionOption.USER, value);
                    case "password" -> new Sets(ConnectionOption.PASSWORD, value);
                    case "encrypt" -> encrypt(name, value);
                    case "truststore" -> orSame(ConnectionOption.SSL_TRUSTSTORE, value);
                    case "truststorepassword" -> orSame(ConnectionOption.SSL_TRUSTSTORE_PASSWORD, value);
                    case "logintimeout" ->
                        seconds(name, value, ConnectionOption.CONNECT_TIMEOUT, "connectTimeout has its default");
                    case "querytimeout" ->
                        seconds(name, value, ConnectionOption.REQUEST_TIMEOUT, "a statement may take requestTimeout");
                    default -> value.isEmpty() ? new Same() : new Keyspace(value);
                });
    }

    private static Effect orRefuse(String name, @Nullable String value, Refusal refusal) {
        if (value != null && (value.isEmpty() || refusal.allowed().contains(value.toLowerCase(Locale.ROOT)))) {
            return new Same();
        }
        String shown = refusal.allowed().isEmpty() ? name : name + "=" + value;
        throw new IllegalArgumentException(
                "SQL Server's connection property " + shown + " is not served: " + refusal.workaround());
    }

    /** SQL Server's driver takes an empty file name for none. */
    private static Effect orSame(ConnectionOption option, String value) {
        return value.isEmpty() ? new Same() : new Sets(option, value);
    }

    private static Effect encrypt(String name, String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "mandatory", "strict" -> new Sets(ConnectionOption.SSL, "true");
            case "false", "no", "optional" -> new Sets(ConnectionOption.SSL, "false");
            default ->
                throw new IllegalArgumentException("must be one of true, mandatory, strict, false, optional: " + name
                        + "='" + value + "'; or give ssl=true in its place");
        };
    }

    private static Effect seconds(String name, String value, ConnectionOption option, String note) {
        if (value.equals("0") || value.equals("-1")) {
            return new Ignored(note);
        }
        if (!value.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException("must be a whole number of seconds: " + name + "='" + value
                    + "'; or give " + option.key() + "=<n>s in its place");
        }
        return new Sets(option, value + "s");
    }

    /** Returns whether the traffic must be encrypted and the certificate must be for the host. */
    static boolean isStrict(String name, String value) {
        return name.equalsIgnoreCase("encrypt") && value.equalsIgnoreCase("strict");
    }
}
