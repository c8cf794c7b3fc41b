package dev.cassidy.reliability;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ReliabilityRulesTest {

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.cassidy.reliability");

    @Test
    void shouldKeepTheCheckerIndependentOfTheProduct() {
        classes()
                .that()
                .resideInAPackage("dev.cassidy.reliability.checker")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "dev.cassidy.reliability.checker")
                .check(OURS);
    }
}
