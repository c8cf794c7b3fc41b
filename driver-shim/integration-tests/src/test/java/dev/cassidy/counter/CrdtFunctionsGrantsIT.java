package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which permissions are enough, on a server that checks them, and that runs functions without threads of their own. */
class CrdtFunctionsGrantsIT {

    private static final String EXACT =
            "SELECT crdt_exact(type, actor, version, upto, increment) FROM shop.counter WHERE type = 'IBM'";

    private static final CqlSession ADMINISTRATOR = AuthorisedNode.ADMINISTRATOR;

    @BeforeAll
    static void start() {
        ADMINISTRATOR.execute(
                "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        ADMINISTRATOR.execute("CREATE TABLE shop.counter(type text, actor text, version bigint, increment bigint,"
                + " upto bigint, PRIMARY KEY(type, actor, version))");
        ADMINISTRATOR.execute(
                "INSERT INTO shop.counter(type, actor, version, increment) VALUES ('IBM', 'P1', 1, 2000)");
        CrdtFunctions.install(ADMINISTRATOR, "shop", List.of("crdt_exact", "crdt_sum"));
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    @Test
    void shouldLetAReaderCallWhatItWasGrantedAndNothingElse() {
        role("reader", List.of("GRANT SELECT ON shop.counter TO reader"));
        List<String> grants = CrdtFunctions.readerGrants("shop", "reader", "crdt_exact");
        assertThat(grants)
                .contains("GRANT EXECUTE ON FUNCTION shop.crdt_exact(text, text, bigint, bigint, varint) TO reader")
                // The aggregate, its state function, its final function, and the version.
                .hasSize(4);
        grants.forEach(ADMINISTRATOR::execute);
        try (CqlSession reader = AuthorisedNode.login("reader", "p")) {
            assertThat(reader.execute(EXACT).one().getBigInteger(0)).isEqualTo("2000");
            assertThatThrownBy(() -> reader.execute("SELECT crdt_sum(increment) FROM shop.counter"))
                    .isInstanceOf(UnauthorizedException.class);

            for (String grant : grants.stream()
                    .filter(grant -> grant.matches(".*(bigint, bigint, varint\\)|_result\\(.*) TO reader"))
                    .toList()) {
                ADMINISTRATOR.execute(grant.replace("GRANT", "REVOKE").replace(" TO ", " FROM "));
                assertThatThrownBy(() -> reader.execute(EXACT))
                        .as("without: %s", grant)
                        .isInstanceOf(UnauthorizedException.class);
                ADMINISTRATOR.execute(grant);
            }
        }
    }

    /** The statements of docs/counters.md: those for all functions, and those for one aggregate. */
    @Test
    void shouldBeEnoughToGrantWhatThePageGrants() throws IOException {
        Pattern statements = Pattern.compile("(?s)```sql\n(GRANT .*?)```");
        List<String> blocks = statements
                .matcher(Files.readString(Path.of("../../docs/counters.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(2);
        for (int i = 0; i < blocks.size(); i++) {
            String suffix = "_of_page" + i;
            role("reader" + suffix, List.of("GRANT SELECT ON shop.counter TO reader" + suffix));
            role("installer" + suffix, List.of());

            blocks.get(i)
                    .lines()
                    .map(line -> line.replaceAll(" TO (reader|installer);", " TO $1" + suffix))
                    .forEach(ADMINISTRATOR::execute);

            try (CqlSession reader = AuthorisedNode.login("reader" + suffix, "p")) {
                assertThat(reader.execute("SELECT crdt_sum(increment) FROM shop.counter WHERE type = 'IBM'")
                                .one()
                                .getBigInteger(0))
                        .isEqualTo("2000");
            }
        }
        try (CqlSession installer = AuthorisedNode.login("installer_of_page0", "p")) {
            CrdtFunctions.install(installer, "shop", List.of("crdt_pn"));
            assertThat(CrdtFunctions.installed(installer, "shop").present()).contains("crdt_pn(bigint, bigint)");
        }
    }

    @Test
    void shouldLetAnInstallerInstallReplaceAndRemove() {
        ADMINISTRATOR.execute(
                "CREATE KEYSPACE stock WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        ADMINISTRATOR.execute("CREATE FUNCTION stock.crdt_sum_add(state varint, value bigint) CALLED ON NULL INPUT"
                + " RETURNS varint LANGUAGE java AS 'return state;'");
        role("installer", CrdtFunctions.installerGrants("stock", "installer"));

        try (CqlSession installer = AuthorisedNode.login("installer", "p")) {
            CrdtFunctions.install(installer, "stock", List.of("crdt_sum"));
            assertThat(CrdtFunctions.installed(installer, "stock")).satisfies(installed -> {
                assertThat(installed.different()).isEmpty();
                assertThat(installed.present()).contains("crdt_sum(double)", "crdt_sum_add(varint, bigint)");
            });

            CrdtFunctions.uninstall(installer, "stock");
            assertThat(CrdtFunctions.installed(installer, "stock").present()).isEmpty();

            assertThatThrownBy(() -> CrdtFunctions.uninstall(installer, "shop"))
                    .isInstanceOf(CrdtFunctionsException.class)
                    .hasMessageContaining("GRANT CREATE, ALTER, DROP, EXECUTE ON ALL FUNCTIONS IN KEYSPACE shop TO it");
        }
    }

    @Test
    void shouldGrantAllAggregatesWhereNoneIsNamed() {
        assertThat(CrdtFunctions.readerGrants("\"Shop\"", "reader"))
                .doesNotHaveDuplicates()
                .contains("GRANT EXECUTE ON FUNCTION \"Shop\".crdt_sum_add(varint, counter) TO reader");
        assertThatThrownBy(() -> CrdtFunctions.readerGrants("shop", "reader", "sum"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("aggregates=[sum]")
                .hasMessageContaining("crdt_sum_long");
    }

    @Test
    void shouldFindFunctionsThatNothingCanStop() {
        assertThat(CrdtFunctions.check(ADMINISTRATOR))
                .extracting(CrdtFunctionsFinding::severity, CrdtFunctionsFinding::setting)
                .containsExactly(
                        tuple(Severity.DANGEROUS, "user_defined_functions_threads_enabled"),
                        tuple(Severity.DANGEROUS, "allow_extra_insecure_udfs"));
    }

    private static void role(String name, List<String> grants) {
        AuthorisedNode.role(name, List.of());
        grants.forEach(ADMINISTRATOR::execute);
    }
}
