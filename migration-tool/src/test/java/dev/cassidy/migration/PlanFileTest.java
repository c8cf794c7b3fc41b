package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of plans, and reports, as far as they need no Cassandra. */
class PlanFileTest {

    @TempDir
    private Path folder;

    private SourceDatabase source;
    private Path file;

    @BeforeEach
    void open() {
        source = SourceDatabase.h2("plan_file_test");
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        file = folder.resolve("plan.json");
    }

    @AfterEach
    void close() {
        source.close();
    }

    private ToolRun plan(String... rest) {
        return ToolRun.of(source.environment(), null, ToolRun.join("migrate plan", source.arguments(), rest));
    }

    private void planned() {
        ToolRun run = plan("--keyspace", "shop", "--plan", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("has the hash sha256:");
    }

    private void assertSeedRefuses(ExitCode code, String message, String... rest) {
        List<String> all = ToolRun.join("migrate seed", source.arguments(), rest);
        all.addAll(List.of(
                "--offline", "--plan", file.toString(), "--contact-points", "127.0.0.1:1", "--local-dc", "dc1"));
        ToolRun run = ToolRun.of(source.environment(), null, all);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(code.code());
        assertThat(run.err()).contains(message);
    }

    private void edit(String from, String to) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    @Test
    void shouldRefuseAPlanThatWasEdited() throws Exception {
        planned();
        assertSeedRefuses(ExitCode.CASSANDRA, "cannot connect");
        // Another layout is the same plan.
        edit(",\n", ",\n\n");
        assertSeedRefuses(ExitCode.CASSANDRA, "cannot connect");

        edit("\"next\" : 4", "\"next\" : 5");
        assertSeedRefuses(ExitCode.REFUSED, "was changed after it was written");
    }

    @Test
    void shouldRefuseWhatIsNoPlan() throws Exception {
        assertSeedRefuses(ExitCode.USAGE, "cannot read --plan");
        Files.writeString(file, "{}");
        assertSeedRefuses(ExitCode.USAGE, "is no plan");
        Files.writeString(file, "{\"version\":");
        assertSeedRefuses(ExitCode.USAGE, "is no plan");
        planned();
        edit("\"version\" : 1", "\"version\" : 2");
        assertSeedRefuses(ExitCode.USAGE, "has version 2, and this tool reads version 1");
    }

    @Test
    void shouldRefuseOptionsThatThePlanFixes() {
        planned();

        assertSeedRefuses(ExitCode.USAGE, "--plan fixes the tables", "--keyspace", "shop");
        assertSeedRefuses(ExitCode.USAGE, "--plan fixes the tables", "--floor", "dbo.Order=9");
        assertSeedRefuses(ExitCode.USAGE, "--plan fixes the tables", "--accept-empty");
    }

    @Test
    void shouldRefuseThePlanOfAnotherSource() {
        planned();
        List<String> all = List.of(
                "migrate seed",
                "--offline",
                "--plan",
                file.toString(),
                "--source-url",
                "jdbc:h2:mem:production",
                "--yes");

        ToolRun run = ToolRun.of(source.environment(), null, all);

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("the plan was made of jdbc:h2:mem:plan_file_test", "jdbc:h2:mem:production");
    }

    @Test
    void shouldNeedThePlanOfAHash() {
        ToolRun run =
                ToolRun.of("migrate seed", "--offline", "--source-url", "jdbc:h2:mem:x", "--plan-hash", "sha256:0");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("--plan-hash needs --plan");
    }

    @Test
    void shouldWriteAReportForADba() throws Exception {
        source.createTable("[dbo].[<b>&'Odd]", "SMALLINT", 1, 1);
        source.insertWithId("[dbo].[<b>&'Odd]", 32_000);
        source.createTable("[dbo].[Unused]", "INT", 1, 1);
        source.execute("CREATE VIEW [dbo].[Recent] AS SELECT [id] FROM [dbo].[Order]");
        Path html = folder.resolve("plan.html");
        Path json = folder.resolve("plan.JSON");

        ToolRun run = plan("--keyspace", "shop", "--report", html.toString(), "--report", json.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        String page = Files.readString(html);
        assertThat(page)
                .contains(
                        "Exit code 4: refused",
                        "jdbc:h2:mem:plan_file_test",
                        "dbo.Order.id",
                        "99.9 % of the ids are left")
                .contains("the last value that the source remembers, plus the increment")
                .contains("dbo.&lt;b&gt;&amp;&#39;Odd.id", "dbo.Unused has no rows and no last value")
                .contains("#c0392b", "signature")
                .contains("The database as a whole", "views do not move: dbo.Recent")
                .doesNotContain("Copied rows")
                .doesNotContain("<b>", "http://", "https://", "<script", "<link", "{{");
        assertThat(Files.readString(json)).contains("\"command\" : \"plan\"");
    }

    @Test
    void shouldRefuseAReportThatCannotBeWrittenBeforeAnythingElse() {
        ToolRun form = plan(
                "--keyspace", "shop", "--report", folder.resolve("plan.pdf").toString());
        ToolRun place = plan(
                "--keyspace", "shop", "--report", folder.resolve("no/plan.html").toString());

        assertThat(form.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(form.err()).contains("must end with .html or .json");
        assertThat(place.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(place.err())
                .contains("cannot write --report", "NoSuchFileException")
                .doesNotContain("reading");
    }
}
