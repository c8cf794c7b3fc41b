package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import dev.cassidy.jdbc.CassidyDataSource;
import dev.cassidy.jdbc.CassidyDriver;
import dev.cassidy.jdbc.session.ConnectionSettings.Endpoint;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionSettingsTest {

    private static ConnectionSettings parse(String url) throws SQLException {
        return ConnectionSettings.parse(url, new Properties());
    }

    private static Properties properties(String... keysAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void shouldReadHostsKeyspaceAndOptions() throws SQLException {
        ConnectionSettings settings = parse("jdbc:cassidy://a,b:9043,[::1]:9044,[::2]/Shop?localDatacenter=dc1"
                + "&consistency=QUORUM&requestTimeout=500ms&connectTimeout=1m&fanOut=warn"
                + "&transactions=immediate");

        assertThat(settings.endpoints())
                .containsExactly(
                        new Endpoint("a", 9042),
                        new Endpoint("b", 9043),
                        new Endpoint("::1", 9044),
                        new Endpoint("::2", 9042));
        assertThat(settings.keyspace()).contains(CqlIdentifier.fromInternal("shop"));
        assertThat(settings.localDatacenter()).contains("dc1");
        assertThat(settings.consistency()).isEqualTo(DefaultConsistencyLevel.QUORUM);
        assertThat(settings.requestTimeout()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.fanOut()).isEqualTo(FanOut.parse("warn"));
        assertThat(settings.buffersTransactions()).isFalse();
    }

    @Test
    void shouldHaveTheDocumentedDefaults() throws SQLException {
        ConnectionSettings settings = parse("jdbc:cassidy://a/shop");

        assertThat(settings.user()).isEmpty();
        assertThat(settings.localDatacenter()).isEmpty();
        assertThat(settings.consistency()).isEqualTo(DefaultConsistencyLevel.LOCAL_QUORUM);
        assertThat(settings.requestTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.sequences().globalKeyspace()).isEqualTo("cassidy");
        assertThat(settings.buffersTransactions()).isTrue();
        assertThat(settings.ssl()).isFalse();
    }

    @Test
    void shouldAcceptAQuotedKeyspaceAndNone() throws SQLException {
        assertThat(parse("jdbc:cassidy://a/%22Shop%22").keyspace()).contains(CqlIdentifier.fromInternal("Shop"));
        assertThat(parse("jdbc:cassidy://a/").keyspace()).isEmpty();
        assertThat(parse("jdbc:cassidy://a?fanOut=warn").keyspace()).isEmpty();
    }

    @Test
    void shouldDecodePercentsAndKeepThePlusOfAPassword() throws SQLException {
        ConnectionSettings settings = parse("jdbc:cassidy://a/k?user=u%26v&password=a+b%25c");

        assertThat(settings.user()).contains("u&v");
        assertThat(settings.password()).isEqualTo("a+b%c");
    }

    @Test
    void shouldAlsoReadEveryOptionFromTheProperties() throws SQLException {
        ConnectionSettings settings = ConnectionSettings.parse(
                "jdbc:cassidy://a/k?fanOut=warn", properties("user", "u", "password", "p", "fanOut", "warn"));

        assertThat(settings.user()).contains("u");
        assertThat(settings.given(ConnectionOption.FAN_OUT)).contains("warn");
    }

    @Test
    void shouldReadTheDefaultsOfProperties() throws SQLException {
        Properties properties = new Properties(properties("user", "u", "password", "p"));

        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/k", properties).user())
                .contains("u");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:cassidy:a/k                        | two slashes must follow jdbc:cassidy:
            jdbc:cassidy:check:jdbc:sqlserver://old | another driver, cassidy-recorder: put its jar on the class path and jdbc:cassidy:record: before the old URL
            jdbc:cassidy:///k                       | at least one host
            jdbc:cassidy://a,,b/k                   | a host must not be empty
            jdbc:cassidy://a:0/k                    | a port must be a number from 1 to 65535: 'a:0'
            jdbc:cassidy://a:65536/k                | a port must be a number from 1 to 65535: 'a:65536'
            jdbc:cassidy://a:x/k                    | a port must be a number from 1 to 65535, and what follows host 'a' is not; what stands there is not shown
            jdbc:cassidy://::1/k                    | an IPv6 host must stand in brackets: '::1'
            jdbc:cassidy://[::1/k                   | an IPv6 host must be [address] or [address]:port
            jdbc:cassidy://a/k-1                    | a keyspace must be letters, digits and '_'
            jdbc:cassidy://a b/k                    | a host must be a name or an address, of letters, digits
            jdbc:cassidy://[a b]/k                  | a host must be a name or an address, of letters, digits
            jdbc:cassidy://a/k-1                    | letters, digits and '_', or be quoted as %22Name%22: 'k-1'
            jdbc:cassidy://a/k?fanout               | an option must be followed by = and its value; perhaps fanOut= is meant
            jdbc:cassidy://a/k/l                    | a keyspace must be letters, digits and '_'
            jdbc:cassidy://a/k?fanOut               | option fanOut must be followed by =
            jdbc:cassidy://a/k?fanOut=warn&fanOut=warn | option fanOut is given twice
            jdbc:cassidy://a/k?requestTimeout=5     | must be a whole number > 0 with its unit ms, s or m, such as 5s or 500ms: requestTimeout='5'
            jdbc:cassidy://a/k?requestTimeout=0s    | requestTimeout='0s'
            jdbc:cassidy://a/k?consistency=QOURUM   | must be one of ANY, ONE
            jdbc:cassidy://a/k?consistency=SERIAL   | consistency='SERIAL'
            jdbc:cassidy://a/k?transactions=maybe   | must be one of batch, immediate: transactions='maybe'
            jdbc:cassidy://a/k?localDatacenter=     | must not be empty: localDatacenter=''
            jdbc:cassidy://a/k?user=%zz             | a '%' must be followed by two hexadecimal digits
            jdbc:cassidy://a/k?password=x           | a password needs the option user
            jdbc:cassidy://a/k?ssl=yes              | must be one of true, false: ssl='yes'
            jdbc:cassidy://a/k?sslTruststore=t      | option sslTruststore needs ssl=true, without which everything would go in plain text
            jdbc:cassidy://a/k?ssl=false&sslKeystore=t | option sslKeystore needs ssl=true
            jdbc:cassidy://a/k?sslKeystorePassword=x | option sslKeystorePassword needs ssl=true
            jdbc:cassidy://a/k?ssl=true&sslTruststorePassword=x | option sslTruststorePassword needs the option sslTruststore
            jdbc:cassidy://a/k?ssl=true&sslKeystorePassword=x | option sslKeystorePassword needs the option sslKeystore
            jdbc:cassidy://a;databaseName=k         | options follow '?' and are separated by '&', not by ';'
            """)
    void shouldRefuseAUrlNamingThePartThatIsWrong(String url, String message) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("The form is jdbc:cassidy://host")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    /** They could forge a line of a log. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:cassidy://a/k?localDatacenter=a%0ab | option localDatacenter must not have control characters: 'a\\nb'
            jdbc:cassidy://a/k?user=a%0d&password=p  | option user must not have control characters: 'a\\r'
            jdbc:cassidy://a/%22a%0ab%22             | a keyspace must not have control characters: 'a\\nb'
            jdbc:cassidy://a%0ab/k?a%0ab=1           | an option's name must be one of user, password
            """)
    void shouldRefuseControlCharacters(String url, String message) {
        assertThatThrownBy(() -> parse(url)).hasMessageContaining(message).satisfies(thrown -> {
            for (Throwable each = thrown; each != null; each = each.getCause()) {
                assertThat(each.getMessage()).doesNotContain("\n", "\r");
            }
        });
        assertThatThrownBy(() -> parse("jdbc:cassidy://a\nb/k"))
                .hasMessageContaining("a host must be a name or an address")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user=u;password=s3cret",
                "user=u,password=s3cret",
                "user=u password=s3cret",
                "fanOut=warn; pwd =s3cret",
                "localDatacenter=dc1;pass=s3cret&user=u",
                "databaseName=shop;user=u;password=s3cret"
            })
    void shouldNotQuoteWhatFollowsASemicolon(String options) {
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?" + options))
                .hasMessageContaining("options are separated by '&', and not by ';', ',' or a space as after option")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void shouldTakeAnyPassword() throws SQLException {
        assertThat(parse("jdbc:cassidy://a/k?user=u&password=a;b=c").password()).isEqualTo("a;b=c");
        assertThat(parse("jdbc:cassidy://a/k?user=a%3Bb=c&password=p").user()).contains("a;b=c");
        assertThat(parse("jdbc:cassidy://a/k?user=u&password=a%0ab").password()).isEqualTo("a\nb");
    }

    @ParameterizedTest
    @CsvSource({
        "localDataCenter, localDatacenter",
        "consistancy, consistency",
        "pasword, password",
        "users, user",
        "FANOUT, fanOut"
    })
    void shouldRefuseAnUnknownOptionAndSuggestTheNearest(String given, String near) {
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?" + given + "=secret"))
                .hasMessageContaining("unknown option '" + given + "'; perhaps " + near + " is meant")
                .hasMessageContaining("The options are user, password, localDatacenter,")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> ConnectionSettings.parse("jdbc:cassidy://a/k", properties(given, "secret")))
                .hasMessageContaining("unknown option '" + given + "'")
                .hasMessageNotContaining("secret");
    }

    /** Options that there were before. */
    @ParameterizedTest
    @CsvSource({
        "batchGroups=on",
        "confirmedRaises=shop.part",
        "fetchSize=100",
        "freshClaims=wait",
        "maxIndexes=5",
        "profile=slow",
        "scopeIdentityType=long",
        "scrollRows=100",
        "serialConsistency=LOCAL_SERIAL",
        "sslHostnameValidation=false",
        "versioned=orders:version"
    })
    void shouldRefuseAnOptionThatIsNoLongerThere(String option) {
        String name = option.substring(0, option.indexOf('='));
        String message = "unknown option '" + name + "'";

        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?" + option))
                .hasMessageContaining(message)
                .hasMessageContaining("The options are user, password, localDatacenter,")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
        assertThatThrownBy(() -> ConnectionSettings.parse("jdbc:cassidy://a/k", properties(name, "x")))
                .hasMessageContaining(message);
        assertThat(Arrays.stream(CassidyDataSource.class.getMethods()).map(method -> method.getName()))
                .noneMatch(method -> method.equalsIgnoreCase("set" + name));
    }

    /** Each has to be worth a line of the documentation: who must set it, and why no default serves everybody. */
    @Test
    void shouldHaveFewOptions() {
        assertThat(ConnectionOption.values()).hasSizeLessThanOrEqualTo(30);
    }

    @Test
    void shouldSuggestNothingForAnOptionThatResemblesNone() {
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?zone=true"))
                .hasMessageContaining("unknown option 'zone'")
                .hasMessageNotContaining("perhaps");
    }

    @ParameterizedTest
    @ValueSource(strings = {"autocommit", "handling_mode", "init_sql", "min_pool_size"})
    void shouldTakeWhatHibernateHandsToEveryDriver(String name) throws SQLException {
        ConnectionSettings.parse("jdbc:cassidy://a/k", properties(name, "false"));

        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?" + name + "=false"))
                .hasMessageContaining("unknown option '" + name + "'");
    }

    @Test
    void shouldRefuseTwoValuesOfOneOption() {
        assertThatThrownBy(() -> ConnectionSettings.parse(
                        "jdbc:cassidy://a/k?user=u&password=one", properties("password", "two")))
                .hasMessageContaining("option password has one value in the URL and another in the properties")
                .hasMessageNotContaining("two");
    }

    @Test
    void shouldRefuseAPropertyThatIsNotAString() {
        Properties properties = new Properties();
        properties.put("fanOut", 5);

        assertThatThrownBy(() -> ConnectionSettings.parse("jdbc:cassidy://a/k", properties))
                .hasMessageContaining("property fanOut must be a String");
    }

    @Test
    void shouldNeverShowAPassword() throws SQLException {
        ConnectionSettings settings = parse("jdbc:cassidy://a/k?user=u&password=s3cret&fanOut=warn");
        ThrowingCallable atSign = () -> parse("jdbc:cassidy://u:s3cret@a/k");
        ThrowingCallable semicolon = () -> parse("jdbc:cassidy://a;user=u;password=s3cret");
        ThrowingCallable badOption = () -> parse("jdbc:cassidy://a/k?user=u&password=s3cret&fanOut=x");

        assertThat(settings.toString()).doesNotContain("s3cret");
        assertThat(settings.url()).isEqualTo("jdbc:cassidy://a:9042/k?fanOut=warn");
        assertThatThrownBy(atSign).hasStackTraceContaining("user and password").hasMessageNotContaining("s3cret");
        assertThatThrownBy(semicolon).hasMessageNotContaining("s3cret");
        assertThatThrownBy(badOption).hasMessageNotContaining("s3cret");
    }

    @Test
    void shouldOpenASessionOfItsOwnForTheRoleOfTheSequences() throws SQLException {
        ConnectionSettings settings = parse("jdbc:cassidy://a/k?user=u&password=s3cret&sequencesUser=ids"
                + "&sequencesPassword=s3cret2&globalKeyspace=own&fanOut=warn");

        ConnectionSettings own = settings.ofSequences().orElseThrow();

        assertThat(own.user()).contains("ids");
        assertThat(own.password()).isEqualTo("s3cret2");
        assertThat(own.keyspace()).isEmpty();
        assertThat(own.ofSequences()).isEmpty();
        assertThat(own.url()).isEqualTo("jdbc:cassidy://a:9042/?globalKeyspace=own&fanOut=warn");
        assertThat(settings.url()).isEqualTo("jdbc:cassidy://a:9042/k?globalKeyspace=own&fanOut=warn");
        assertThat(settings.toString()).doesNotContain("s3cret", "ids");
        assertThat(parse("jdbc:cassidy://a/k?user=u&password=s3cret").ofSequences())
                .isEmpty();
        assertThat(settings)
                .isNotEqualTo(parse("jdbc:cassidy://a/k?user=u&password=s3cret&sequencesUser=ids&sequencesPassword=x"
                        + "&globalKeyspace=own&fanOut=warn"));
    }

    @Test
    void shouldTreatTheLoginOfTheSequencesAsTheOther() throws SQLException {
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?sequencesPassword=s3cret"))
                .hasMessageContaining("a sequencesPassword needs the option sequencesUser")
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?sequencesUser=ids"))
                .hasMessageContaining(
                        "sequencesUser 'ids' needs the option sequencesPassword, which must not be empty");
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?sequencesUser=ids&sequencesPassword=a&s3cret"))
                .hasMessageContaining("an option without '=' follows sequencesPassword")
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        assertThat(ConnectionSettings.parse(
                                "jdbc:cassidy://a/k", properties("sequencesUser", "", "sequencesPassword", ""))
                        .ofSequences())
                .isEmpty();
        for (var info :
                new CassidyDriver().getPropertyInfo("jdbc:cassidy://a/k", properties("sequencesPassword", "s3cret"))) {
            assertThat(info.value).as(info.name).isNotEqualTo("s3cret");
        }
    }

    @Test
    void shouldNeverShowThePasswordOfAStore() throws SQLException {
        String stores =
                "ssl=true&sslTruststore=t&sslTruststorePassword=s3cret&sslKeystore=k&sslKeystorePassword=s3cret";
        ConnectionSettings settings = parse("jdbc:cassidy://a/k?" + stores);

        assertThat(settings.url()).isEqualTo("jdbc:cassidy://a:9042/k?ssl=true&sslTruststore=t&sslKeystore=k");
        assertThat(parse(settings.url()).url()).isEqualTo(settings.url());
        assertThat(settings.toString()).doesNotContain("s3cret");
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?fanOut=x&" + stores))
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        assertThatThrownBy(() -> parse("jdbc:cassidy://a/k?ssl=true&sslKeystore=k&sslKeystorePassword=a&s3cret"))
                .hasMessageContaining("an option without '=' follows sslKeystorePassword")
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        for (var info : new CassidyDriver()
                .getPropertyInfo(
                        "jdbc:cassidy://a/k",
                        properties("sslKeystorePassword", "s3cret", "sslTruststorePassword", "s3cret"))) {
            assertThat(info.value).as(info.name).isNotEqualTo("s3cret");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:cassidy://h/ks&user=u&password=s3cret",
                "jdbc:cassidy://h&user=u&password=s3cret",
                "jdbc:cassidy://h:9042&user=u&password=s3cret?fanOut=warn",
                "jdbc:cassidy://h/ks,user=u,password=s3cret",
                "jdbc:cassidy://h/ks?user=u&password=a&s3cret",
                "jdbc:cassidy://h/ks?user=u&password=a&s3cret=b",
                "jdbc:cassidy://h/ks?user=u&password=a&&s3cret"
            })
    void shouldNotShowAPasswordIfASignIsMissing(String url) {
        assertThatThrownBy(() -> parse(url))
                .hasMessageContaining("jdbc:cassidy://h")
                .satisfies(thrown -> assertThat(thrown).hasStackTraceContaining("option"))
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        assertThat(ConnectionSettings.shown(url)).doesNotContain("s3cret");
    }

    /** In another database's form of a URL, or where a sign is missing or is one of the password's own. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "//h:s3cret/ks",
                "//h:9042:s3cret/ks",
                "//[::1]:s3cret/ks",
                "//[::1]s3cret/ks",
                "//[s3cret/ks",
                "//[h]:1[s3cret]/ks",
                "//:s3cret/ks",
                "//u:s3cret,h/ks",
                "//u/s3cret@h/ks",
                "//u/s3cret=@h/ks",
                "//u:s3cret==@h/ks",
                "//u:1/s3cret@h/ks",
                "//u:1?s3cret@h/ks",
                "//u:1;s3cret@h/ks",
                "//u:1&s3cret@h/ks",
                "//u:1#s3cret@h/ks",
                "//u:s3cret:9042@h/ks",
                "//u:s3cret/h/ks",
                "//u|s3cret/ks",
                "//$s3cret/ks",
                "//h,u:s3cret/ks",
                "//h/ks:s3cret",
                "//h/ks/s3cret",
                "//h/ks#s3cret",
                "//h/ks u/s3cret",
                "//h/u:s3cret@ks",
                "//h/ks?u:s3cret",
                "//h/ks?u/s3cret",
                "//h/ks?s3cret",
                "//h/ks?password:s3cret",
                "//h/ks?password%3Ds3cret",
                "//h/ks?passwords3cret",
                "//h/ks?user:u,password:s3cret=",
                "//h/ks?user=u&s3cret",
                "//h/ks?user=u:s3cret",
                "//h/ks?user=u/s3cret",
                "//h/ks?user=u%26password=s3cret",
                "//h/ks?user=u%3Bpassword=s3cret",
                "//h/ks?user=u|password=s3cret",
                "//h/ks?fanOut=warn,password=s3cret",
                "u:s3cret@h/ks",
                "u/s3cret@//h/ks",
                "s3cret",
                "//h:9042/ks?ssl=true%20password=s3cret&user=u"
            })
    void shouldNotQuoteAPasswordInTheWrongPlace(String rest) {
        String url = "jdbc:cassidy:" + rest;

        assertThatThrownBy(() -> parse(url))
                .hasMessageStartingWith("Cannot connect with jdbc:cassidy:")
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain("s3cret"));
        assertThat(ConnectionSettings.shown(url)).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:cassidy://a.example-1,b:9043,[::1]:9044,[fe80::1%eth0]/%22Shop%22?user=u | jdbc:cassidy://a.example-1,b:9043,[::1]:9044,[fe80::1%eth0]/%22Shop%22
            jdbc:cassidy://u:p@h/ks             | jdbc:cassidy://***@h/ks
            jdbc:cassidy://h:p/ks               | jdbc:cassidy://h:***/ks
            jdbc:cassidy://h                    | jdbc:cassidy://h
            jdbc:cassidy://h/k?fanOut=a@b       | jdbc:cassidy://h/k
            jdbc:other://h/p                    | ***
            """)
    void shouldShowTheHostsAndTheKeyspaceOfAUrl(String url, String shown) {
        assertThat(ConnectionSettings.shown(url)).isEqualTo(shown);
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void shouldSayHowToWriteAPasswordWithAnAmpersand() throws SQLException {
        assertThatThrownBy(() -> parse("jdbc:cassidy://h/ks?user=u&password=a&b"))
                .hasMessageContaining("an option without '=' follows password")
                .hasMessageContaining("%26");
        assertThat(parse("jdbc:cassidy://h/ks?user=u&password=a%26b&&fanOut=warn")
                        .password())
                .isEqualTo("a&b");
    }

    @Test
    void shouldShareASessionAmongEqualSettingsOnly() throws SQLException {
        assertThat(parse("jdbc:cassidy://a/k?user=u&password=p"))
                .isEqualTo(
                        ConnectionSettings.parse("jdbc:cassidy://a:9042/K", properties("user", "u", "password", "p")))
                .isNotEqualTo(parse("jdbc:cassidy://a/k?user=u&password=q"))
                .isNotEqualTo(parse("jdbc:cassidy://a/l?user=u&password=p"));
        assertThat(parse("jdbc:cassidy://a/k?ssl=true&sslKeystore=k&sslKeystorePassword=p"))
                .isNotEqualTo(parse("jdbc:cassidy://a/k?ssl=true&sslKeystore=k&sslKeystorePassword=q"));
    }

    @ParameterizedTest
    @EnumSource(ConnectionOption.class)
    void shouldHaveABeanPropertyAndAPropertyInfoForEveryOption(ConnectionOption option) {
        String name =
                Character.toUpperCase(option.key().charAt(0)) + option.key().substring(1);

        assertThat(Arrays.stream(CassidyDataSource.class.getMethods())
                        .map(method -> method.getName())
                        .collect(Collectors.toSet()))
                .contains("set" + name);
        assertThat(new CassidyDriver().getPropertyInfo("jdbc:cassidy://a/k", null))
                .filteredOn(info -> info.name.equals(option.key()))
                .singleElement()
                .satisfies(info -> {
                    assertThat(info.description).isEqualTo(option.description()).isNotBlank();
                    assertThat(info.value).isEqualTo(option.defaultValue().orElse(null));
                });
        option.defaultValue().ifPresent(option::parse);
    }

    @Test
    void shouldLeaveOtherUrlsToOtherDrivers() throws SQLException {
        assertThat(new CassidyDriver().acceptsURL("jdbc:sqlserver://a")).isFalse();
        assertThat(new CassidyDriver().connect("jdbc:sqlserver://a", null)).isNull();
        assertThat(new CassidyDriver().acceptsURL("jdbc:cassidy://a/k")).isTrue();
    }
}
