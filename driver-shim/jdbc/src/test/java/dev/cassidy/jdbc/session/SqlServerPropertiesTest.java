package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection properties of SQL Server's driver, in our URL and Properties. */
class SqlServerPropertiesTest {

    private static ConnectionSettings.Given read(String query) throws SQLException {
        return ConnectionSettings.read("jdbc:cassidy://a/k?" + query, new Properties());
    }

    private static List<String> warnings(ConnectionSettings.Given given) {
        return given.warnings().stream().map(SQLWarning::getMessage).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            encrypt=true                          | ssl=true
            Encrypt=Mandatory                     | ssl=true
            encrypt=yes&ssl=true                  | ssl=true
            encrypt=false                         | ssl=false
            encrypt=optional&ssl=false            | ssl=false
            encrypt=true&trustStore=t&TrustStorePassword=p | ssl=true&sslTruststore=t&sslTruststorePassword=p
            encrypt=true&trustStoreType=JKS&trustServerCertificate=false | ssl=true
            User=u&Password=p                     | user=u&password=p
            userName=u&password=p                 | user=u&password=p
            uid=u&password=p                      | user=u&password=p
            loginTimeout=30                       | connectTimeout=30s
            queryTimeout=15                       | requestTimeout=15s
            databaseName=K                        |
            authentication=SqlPassword&integratedSecurity=false&columnEncryptionSetting=Disabled |
            authentication=&domain=&accessToken=  |
            """)
    void shouldHaveTheEffectOfOurOptionsWithoutAWarning(String theirs, String ours) throws SQLException {
        assertThat(read(theirs).settings())
                .isEqualTo(read(ours == null ? "" : ours).settings());
        assertThat(read(theirs).warnings()).isEmpty();
    }

    @Test
    void shouldCheckTheHostForStrictWhateverAFileSays() throws SQLException {
        assertThat(read("ENCRYPT=Strict").settings().strictTls()).isTrue();
        assertThat(read("ENCRYPT=Strict").settings().ssl()).isTrue();
        assertThat(read("ENCRYPT=Strict").warnings()).isEmpty();
        assertThat(read("encrypt=mandatory").settings().strictTls()).isFalse();
    }

    @Test
    void shouldTakeTheDatabaseAsTheKeyspaceIfTheUrlNamesNone() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("database", "Shop");
        properties.setProperty("databaseName", "Shop");

        assertThat(ConnectionSettings.parse("jdbc:cassidy://a", properties).keyspace())
                .contains(CqlIdentifier.fromInternal("shop"));
        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/?databaseName=Shop", properties)
                        .keyspace())
                .contains(CqlIdentifier.fromInternal("shop"));
        assertThatThrownBy(() -> ConnectionSettings.parse("jdbc:cassidy://a/k", properties))
                .hasMessageContaining("the database 'Shop' is not the URL's keyspace");
        assertThatThrownBy(() -> read("database=a&databaseName=b"))
                .hasMessageContaining("two databases are given, 'a' and 'b'");
        assertThatThrownBy(() -> read("databaseName=my-shop"))
                .hasMessageContaining("a keyspace must be letters, digits and '_'")
                .hasMessageContaining("'my-shop'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            trustServerCertificate=true           | SQL Server's connection property trustServerCertificate=true is not served: any certificate would be taken; a node's certificate has to be trusted: put it, or its issuer's, into a truststore, and name that by sslTruststore
            encrypt=false&ssl=true                | options encrypt and ssl contradict each other, and nothing may be sent in plain text by mistake
            ssl=false&encrypt=true                | options ssl and encrypt contradict each other
            ssl=true&encrypt=optional             | options ssl and encrypt contradict each other
            encrypt=perhaps                       | must be one of true, mandatory, strict, false, optional: encrypt='perhaps'
            trustStore=t                          | option trustStore needs ssl=true or encrypt=true
            encrypt=false&trustStore=t            | option trustStore needs ssl=true or encrypt=true
            ssl=true&trustStoreType=BCFKS         | trustStoreType=BCFKS is not served: the file must be of type JKS or PKCS12
            hostNameInCertificate=*.example.com   | hostNameInCertificate is not served: a node's certificate must hold the name that the URL connects to
            serverCertificate=c.pem               | serverCertificate is not served: a node's certificate has to be trusted
            trustManagerClass=X                   | trustManagerClass is not served
            sslProtocol=TLSv1.1                   | sslProtocol=TLSv1.1 is not served: the JVM decides
            fips=true                             | fips=true is not served
            socketFactoryClass=X                  | socketFactoryClass is not served
            integratedSecurity=true               | integratedSecurity=true is not served: it would log in another way; the options user and password
            Trusted_Connection=yes                | Trusted_Connection=yes is not served
            authentication=ActiveDirectoryDefault | authentication=ActiveDirectoryDefault is not served
            authenticationScheme=NTLM             | authenticationScheme=NTLM is not served
            domain=CORP                           | domain is not served
            AADSecurePrincipalSecret=s3cret       | AADSecurePrincipalSecret is not served
            accessToken=s3cret                    | accessToken is not served
            clientKeyPassword=s3cret              | clientKeyPassword is not served: a client's key and certificate are in one file
            columnEncryptionSetting=Enabled       | columnEncryptionSetting=Enabled is not served: values would be stored unencrypted
            keyStoreSecret=s3cret                 | keyStoreSecret is not served
            user=u&userName=v                     | options user and userName contradict each other: both set user
            loginTimeout=5s                       | must be a whole number of seconds: loginTimeout='5s'; or give connectTimeout=<n>s
            loginTimeout=5&connectTimeout=6s      | options loginTimeout and connectTimeout contradict each other
            """)
    void shouldRefuseWhatWouldWeakenTlsOrChangeWhoLogsIn(String theirs, String message) {
        assertThatThrownBy(() -> read(theirs))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("s3cret")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sendTimeAsDatetime=false              | SQL Server's connection property sendTimeAsDatetime has no effect in Cassandra and was ignored
            APPLICATIONNAME=s3cret                | SQL Server's connection property APPLICATIONNAME has no effect in Cassandra and was ignored
            serverName=old                        | SQL Server's connection property serverName has no effect in Cassandra and was ignored: the nodes are those of the URL
            lockTimeout=100                       | SQL Server's connection property lockTimeout has no effect in Cassandra and was ignored: a statement may take requestTimeout
            queryTimeout=-1                       | SQL Server's connection property queryTimeout has no effect in Cassandra and was ignored: a statement may take requestTimeout
            loginTimeout=0                        | SQL Server's connection property loginTimeout has no effect in Cassandra and was ignored: connectTimeout has its default
            """)
    void shouldIgnoreTheRestWithAWarningThatNamesIt(String theirs, String message) throws SQLException {
        assertThat(warnings(read(theirs))).containsExactly(message);
        // They do not keep connections from sharing a session.
        assertThat(read(theirs).settings()).isEqualTo(read("").settings());
    }

    @Test
    void shouldWarnOfEachFromThePropertiesToo() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("xopenStates", "true");
        properties.setProperty("applicationName", "shop");

        assertThat(ConnectionSettings.read("jdbc:cassidy://a/k?packetSize=8000", properties)
                        .warnings())
                .hasSize(3)
                .allMatch(warning -> warning.getSQLState().equals("01000"));
    }

    @Test
    void shouldRefuseAnObjectThatLogsIn() {
        Properties properties = new Properties();
        properties.put("gsscredential", new Object());

        assertThatThrownBy(() -> ConnectionSettings.parse("jdbc:cassidy://a/k", properties))
                .hasMessageContaining("gsscredential is not served: it would log in another way");
    }

    @ParameterizedTest
    @ValueSource(strings = {"encript", "pwd", "sendTime", "trustServer", "LOCALDATACENTER"})
    void shouldRefuseNamesOnNoList(String name) {
        assertThatThrownBy(() -> read(name + "=1")).hasMessageContaining("unknown option '" + name + "'");
    }

    @Test
    void shouldKnowEveryNameInAnyCase() {
        for (String name : List.of("trustServerCertificate", "sendTimeAsDatetime", "databaseName", "encrypt")) {
            assertThat(SqlServerProperties.isKnown(name)).isTrue();
            assertThat(SqlServerProperties.isKnown(name.toUpperCase(Locale.ROOT)))
                    .isTrue();
        }
        assertThat(SqlServerProperties.isKnown("nothing")).isFalse();
    }

    @Test
    void shouldNotTakeWhatFollowsAPasswordForTheRestOfItIfItIsKnown() throws SQLException {
        assertThat(read("user=u&password=p&applicationName=x").settings().password())
                .isEqualTo("p");
        assertThatThrownBy(() -> read("user=u&Password=a&s3cret=b"))
                .hasMessageContaining("an unknown option follows password")
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "user=", "user=&password=", "password=", "userName=&password="})
    void shouldTakeAnEmptyUserAndPasswordForNoLogin(String query) throws SQLException {
        assertThat(read(query).settings().user()).isEmpty();
        assertThat(read(query).settings()).isEqualTo(read("").settings());
    }

    @Test
    void shouldKeepTheLoginOfTheUrlIfThePropertiesHaveAnEmptyOne() throws SQLException {
        Properties empty = new Properties();
        empty.setProperty("user", "");
        empty.setProperty("password", "");
        Properties full = new Properties();
        full.setProperty("user", "u");
        full.setProperty("password", "p");

        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/k?user=u&password=p", empty))
                .isEqualTo(read("user=u&password=p").settings());
        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/k?user=&password=", full))
                .isEqualTo(read("user=u&password=p").settings());
    }

    @Test
    void shouldRefuseAUserWithoutAPasswordAndAPasswordWithoutAUser() {
        for (String query : List.of("user=ada", "user=ada&password=")) {
            assertThatThrownBy(() -> read(query))
                    .hasMessageContaining("user 'ada' needs the option password, which must not be empty; to connect"
                            + " without a login, leave both out");
        }
        assertThatThrownBy(() -> read("user=&password=s3cret"))
                .hasMessageContaining("a password needs the option user")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void shouldMapTimesToOurOptions() throws SQLException {
        assertThat(read("loginTimeout=7").settings().connectTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(read("queryTimeout=7").settings().requestTimeout()).isEqualTo(Duration.ofSeconds(7));
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
