package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.ConnectionOption;
import dev.cassidy.jdbc.session.ConnectionSettings;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.ShardingKeyBuilder;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A source of connections for pools and frameworks that set bean properties: {@code url}, and every
 * {@link ConnectionOption} under its own name. An option may be set in the URL or as a property, but not in both with
 * different values. Safe for use by many threads once its properties are set.
 */
public final class CassidyDataSource implements DataSource {

    private final Properties properties = new Properties();
    private volatile @Nullable String url;
    private volatile int loginTimeout;

    @Override
    public Connection getConnection() throws SQLException {
        return connect(properties);
    }

    /** Connects with another role than that of the properties. */
    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        Properties other = new Properties();
        other.putAll(properties);
        put(other, ConnectionOption.USER, user);
        put(other, ConnectionOption.PASSWORD, password);
        return connect(other);
    }

    private Connection connect(Properties given) throws SQLException {
        String target = url;
        if (target == null) {
            throw new SQLException("must be set before getConnection(): url", SqlStates.BAD_ARGUMENT);
        }
        if (!target.startsWith(ConnectionSettings.PREFIX)) {
            throw new SQLException("must start with " + ConnectionSettings.PREFIX + ": url", SqlStates.BAD_ARGUMENT);
        }
        ConnectionSettings.Given read = ConnectionSettings.read(target, given);
        return CassidyDriver.connect(
                loginTimeout == 0 ? read : read.withDefault(ConnectionOption.CONNECT_TIMEOUT, loginTimeout + "s"));
    }

    private void set(ConnectionOption option, @Nullable String value) {
        put(properties, option, value);
    }

    private static void put(Properties target, ConnectionOption option, @Nullable String value) {
        if (value == null) {
            target.remove(option.key());
        } else {
            target.setProperty(option.key(), value);
        }
    }

    private @Nullable String get(ConnectionOption option) {
        return properties.getProperty(option.key());
    }

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public @Nullable String getUser() {
        return get(ConnectionOption.USER);
    }

    public void setUser(@Nullable String user) {
        set(ConnectionOption.USER, user);
    }

    public void setPassword(@Nullable String password) {
        set(ConnectionOption.PASSWORD, password);
    }

    public @Nullable String getSequencesUser() {
        return get(ConnectionOption.SEQUENCES_USER);
    }

    public void setSequencesUser(@Nullable String sequencesUser) {
        set(ConnectionOption.SEQUENCES_USER, sequencesUser);
    }

    public void setSequencesPassword(@Nullable String sequencesPassword) {
        set(ConnectionOption.SEQUENCES_PASSWORD, sequencesPassword);
    }

    public @Nullable String getLocalDatacenter() {
        return get(ConnectionOption.LOCAL_DATACENTER);
    }

    public void setLocalDatacenter(@Nullable String localDatacenter) {
        set(ConnectionOption.LOCAL_DATACENTER, localDatacenter);
    }

    public @Nullable String getConsistency() {
        return get(ConnectionOption.CONSISTENCY);
    }

    public void setConsistency(@Nullable String consistency) {
        set(ConnectionOption.CONSISTENCY, consistency);
    }

    public @Nullable String getRequestTimeout() {
        return get(ConnectionOption.REQUEST_TIMEOUT);
    }

    public void setRequestTimeout(@Nullable String requestTimeout) {
        set(ConnectionOption.REQUEST_TIMEOUT, requestTimeout);
    }

    public @Nullable String getConnectTimeout() {
        return get(ConnectionOption.CONNECT_TIMEOUT);
    }

    public void setConnectTimeout(@Nullable String connectTimeout) {
        set(ConnectionOption.CONNECT_TIMEOUT, connectTimeout);
    }

    public @Nullable String getGlobalKeyspace() {
        return get(ConnectionOption.GLOBAL_KEYSPACE);
    }

    public void setGlobalKeyspace(@Nullable String globalKeyspace) {
        set(ConnectionOption.GLOBAL_KEYSPACE, globalKeyspace);
    }

    public @Nullable String getDurability() {
        return get(ConnectionOption.DURABILITY);
    }

    public void setDurability(@Nullable String durability) {
        set(ConnectionOption.DURABILITY, durability);
    }

    public @Nullable String getServerChecks() {
        return get(ConnectionOption.SERVER_CHECKS);
    }

    public void setServerChecks(@Nullable String serverChecks) {
        set(ConnectionOption.SERVER_CHECKS, serverChecks);
    }

    public @Nullable String getTransactions() {
        return get(ConnectionOption.TRANSACTIONS);
    }

    public void setTransactions(@Nullable String transactions) {
        set(ConnectionOption.TRANSACTIONS, transactions);
    }

    public @Nullable String getIdentityInsert() {
        return get(ConnectionOption.IDENTITY_INSERT);
    }

    public void setIdentityInsert(@Nullable String identityInsert) {
        set(ConnectionOption.IDENTITY_INSERT, identityInsert);
    }

    public @Nullable String getPresentAs() {
        return get(ConnectionOption.PRESENT_AS);
    }

    public void setPresentAs(@Nullable String presentAs) {
        set(ConnectionOption.PRESENT_AS, presentAs);
    }

    public @Nullable String getWrites() {
        return get(ConnectionOption.WRITES);
    }

    public void setWrites(@Nullable String writes) {
        set(ConnectionOption.WRITES, writes);
    }

    public @Nullable String getConstraints() {
        return get(ConnectionOption.CONSTRAINTS);
    }

    public void setConstraints(@Nullable String constraints) {
        set(ConnectionOption.CONSTRAINTS, constraints);
    }

    public @Nullable String getDateFormat() {
        return get(ConnectionOption.DATE_FORMAT);
    }

    public void setDateFormat(@Nullable String dateFormat) {
        set(ConnectionOption.DATE_FORMAT, dateFormat);
    }

    public @Nullable String getAssist() {
        return get(ConnectionOption.ASSIST);
    }

    public void setAssist(@Nullable String assist) {
        set(ConnectionOption.ASSIST, assist);
    }

    public @Nullable String getAssistRows() {
        return get(ConnectionOption.ASSIST_ROWS);
    }

    public void setAssistRows(@Nullable String assistRows) {
        set(ConnectionOption.ASSIST_ROWS, assistRows);
    }

    public @Nullable String getFanOut() {
        return get(ConnectionOption.FAN_OUT);
    }

    public void setFanOut(@Nullable String fanOut) {
        set(ConnectionOption.FAN_OUT, fanOut);
    }

    public @Nullable String getMultipleStatements() {
        return get(ConnectionOption.MULTIPLE_STATEMENTS);
    }

    public void setMultipleStatements(@Nullable String multipleStatements) {
        set(ConnectionOption.MULTIPLE_STATEMENTS, multipleStatements);
    }

    public @Nullable String getSequenceDdl() {
        return get(ConnectionOption.SEQUENCE_DDL);
    }

    public void setSequenceDdl(@Nullable String sequenceDdl) {
        set(ConnectionOption.SEQUENCE_DDL, sequenceDdl);
    }

    public @Nullable String getSsl() {
        return get(ConnectionOption.SSL);
    }

    public void setSsl(@Nullable String ssl) {
        set(ConnectionOption.SSL, ssl);
    }

    public @Nullable String getSslTruststore() {
        return get(ConnectionOption.SSL_TRUSTSTORE);
    }

    public void setSslTruststore(@Nullable String sslTruststore) {
        set(ConnectionOption.SSL_TRUSTSTORE, sslTruststore);
    }

    public void setSslTruststorePassword(@Nullable String sslTruststorePassword) {
        set(ConnectionOption.SSL_TRUSTSTORE_PASSWORD, sslTruststorePassword);
    }

    public @Nullable String getSslKeystore() {
        return get(ConnectionOption.SSL_KEYSTORE);
    }

    public void setSslKeystore(@Nullable String sslKeystore) {
        set(ConnectionOption.SSL_KEYSTORE, sslKeystore);
    }

    public void setSslKeystorePassword(@Nullable String sslKeystorePassword) {
        set(ConnectionOption.SSL_KEYSTORE_PASSWORD, sslKeystorePassword);
    }

    public @Nullable String getRedactValues() {
        return get(ConnectionOption.REDACT_VALUES);
    }

    public void setRedactValues(@Nullable String redactValues) {
        set(ConnectionOption.REDACT_VALUES, redactValues);
    }

    public @Nullable String getRequireTls() {
        return get(ConnectionOption.REQUIRE_TLS);
    }

    public void setRequireTls(@Nullable String requireTls) {
        set(ConnectionOption.REQUIRE_TLS, requireTls);
    }

    public @Nullable String getConfigFile() {
        return get(ConnectionOption.CONFIG_FILE);
    }

    public void setConfigFile(@Nullable String configFile) {
        set(ConnectionOption.CONFIG_FILE, configFile);
    }

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        throw Unserved.method("DataSource.createConnectionBuilder()");
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        throw Unserved.method("DataSource.createShardingKeyBuilder()");
    }

    /** In seconds. It replaces the default of connectTimeout, but never a connectTimeout that is set. */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("must be >= 0: loginTimeout=" + seconds, SqlStates.BAD_ARGUMENT);
        }
        loginTimeout = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw Unserved.feature("Cassidy logs by slf4j: DataSource.setLogWriter(PrintWriter)");
        }
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw Unserved.feature("Cassidy logs by slf4j: DataSource.getParentLogger()");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return WrapsNothing.unwrap(this, type);
    }

    @Override
    public boolean isWrapperFor(@Nullable Class<?> type) {
        return type != null && type.isInstance(this);
    }

    @Override
    public String toString() {
        return "CassidyDataSource[" + ConnectionSettings.shown(url == null ? "" : String.valueOf(url)) + "]";
    }
}
