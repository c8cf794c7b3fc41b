package dev.cassidy.flyway;

import dev.cassidy.jdbc.CassidyDriver;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.internal.database.base.BaseDatabaseType;
import org.flywaydb.core.internal.database.base.Database;
import org.flywaydb.core.internal.jdbc.JdbcConnectionFactory;
import org.flywaydb.core.internal.jdbc.StatementInterceptor;
import org.flywaydb.core.internal.parser.Parser;
import org.flywaydb.core.internal.parser.ParsingContext;

/** What Flyway finds for a URL or a connection of the JDBC driver. */
public final class CassidyDatabaseType extends BaseDatabaseType {

    /** The recorder's connections are those of the old database. */
    private static final Pattern URL = Pattern.compile("jdbc:cassidy:(?!record:).*", Pattern.DOTALL);

    private static final List<Pattern> SECRETS = Stream.of(
                    "password",
                    "sequencesPassword",
                    "sslTruststorePassword",
                    "sslKeystorePassword",
                    "trustStorePassword")
            .map(option -> Pattern.compile("[?&;]" + option + "=([^&;]+)", Pattern.CASE_INSENSITIVE))
            .toList();

    @Override
    public String getName() {
        return "Cassidy";
    }

    /** With {@code presentAs=sqlserver} Flyway's own class for SQL Server takes the connection too. */
    @Override
    public int getPriority() {
        return 1;
    }

    @Override
    public int getNullType() {
        return Types.NULL;
    }

    @Override
    public boolean handlesJDBCUrl(String url) {
        return URL.matcher(url).matches();
    }

    @Override
    public boolean handlesDatabaseProductNameAndVersion(
            String databaseProductName, String databaseProductVersion, Connection connection) {
        try {
            String url = connection.getMetaData().getURL();
            return url != null && handlesJDBCUrl(url);
        } catch (SQLException e) {
            // A connection of another driver that does not tell.
            return false;
        }
    }

    @Override
    public List<Pattern> getJDBCCredentialsPatterns() {
        return SECRETS;
    }

    @Override
    public String getDriverClass(String url, ClassLoader classLoader) {
        return CassidyDriver.class.getName();
    }

    @Override
    public Database<?> createDatabase(
            Configuration configuration, JdbcConnectionFactory factory, StatementInterceptor interceptor) {
        return new CassidyDatabase(configuration, factory, interceptor);
    }

    @Override
    public Parser createParser(
            Configuration configuration, ResourceProvider resourceProvider, ParsingContext parsingContext) {
        return new BatchParser(configuration, parsingContext);
    }
}
