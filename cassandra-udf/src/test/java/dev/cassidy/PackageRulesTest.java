package dev.cassidy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class PackageRulesTest {

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.cassidy.functions", "dev.cassidy.server");

    @Test
    void shouldKeepTheFunctionsFreeOfServerAndDriver() {
        classes()
                .that()
                .resideInAPackage("dev.cassidy.functions")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.cassidy.functions", "java..", "org.jspecify.annotations")
                .check(PRODUCT);
    }

    @Test
    void shouldUseOnlyClassesThatTheServerProvides() {
        classes()
                .that()
                .resideInAPackage("dev.cassidy.server")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.cassidy.functions",
                        "dev.cassidy.server",
                        "org.apache.cassandra..",
                        "java..",
                        "org.jspecify.annotations")
                .check(PRODUCT);
    }
}
