package dev.cassidy.migration;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the packages of this module to their table in ARCHITECTURE.md. */
class ArchitectureTest {

    private static final String OWN = "dev.cassidy.migration";

    /** A row of the table: the package's name, its charter, and what it may use of this module. */
    private static final Pattern CHARTER = Pattern.compile("(?m)^\\| `(migration[a-z.]*)` \\|.*\\| ?(.*?) ?\\|$");

    private static final JavaClasses MAIN = new ClassFileImporter()
            .importUrl(MigrationTool.class.getProtectionDomain().getCodeSource().getLocation());

    static Stream<Arguments> charters() throws IOException {
        return rows().map(row -> Arguments.of(row.group(1), row.group(2)));
    }

    private static Stream<MatchResult> rows() throws IOException {
        return CHARTER.matcher(Files.readString(Path.of("..", "ARCHITECTURE.md")))
                .results();
    }

    @ParameterizedTest
    @MethodSource("charters")
    void shouldUseNothingBeyondItsCharter(String name, String mayUse) {
        String[] allowed = Stream.concat(Stream.of(name), Stream.of(mayUse.split(",")))
                .map(used -> used.replace("`", "").strip())
                .filter(used -> !used.isEmpty())
                .map(used -> "dev.cassidy." + used)
                .toArray(String[]::new);

        classes()
                .that()
                .resideInAPackage("dev.cassidy." + name)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed).or(DescribedPredicate.not(resideInAPackage(OWN + ".."))))
                .check(MAIN);
    }

    @Test
    void shouldHaveACharterForEveryPackage() throws IOException {
        String[] chartered = rows().map(row -> "dev.cassidy." + row.group(1)).toArray(String[]::new);

        assertThat(chartered).hasSizeGreaterThan(4);
        classes().should().resideInAnyPackage(chartered).check(MAIN);
    }

    @Test
    void shouldHaveNoCycles() {
        slices().matching(OWN + ".(*)..").should().beFreeOfCycles().check(MAIN);
    }
}
