package dev.cassidy;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.GeneralCodingRules;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.cassandra.SequenceMetrics;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the packages of this module may use, and what none of them may do. */
class ArchitectureTest {

    private static final String[] EVERYWHERE = {"java..", "javax.sql..", "org.jspecify.annotations.."};
    private static final String DRIVER = "com.datastax..";
    private static final String DRIVER_API = "com.datastax.oss.driver.api..";

    private static final String MICROMETER = "io.micrometer..";

    private static JavaClasses main;

    @BeforeAll
    static void read() {
        main = new ClassFileImporter()
                .importUrl(IdentitySession.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lwt                | org.slf4j driver",
                "sequence           | ''",
                "sequence.store     | sequence",
                "sequence.protocol  | sequence sequence.store org.slf4j",
                "snowflake          | sequence",
                "snowflake.store    | snowflake sequence.store",
                "snowflake.protocol | snowflake snowflake.store sequence sequence.store sequence.protocol org.slf4j",
                "sequence.cassandra | sequence sequence.store sequence.protocol snowflake snowflake.store"
                        + " snowflake.protocol lwt org.slf4j driver micrometer org.crac",
                "counter            | lwt org.slf4j driver functions",
                "insert             | ''",
                "cql                | insert sequence sequence.cassandra org.slf4j driver io.netty.buffer",
                "check              | insert org.slf4j com.fasterxml.jackson",
                "jdbc               | check insert cql sequence sequence.cassandra lwt org.slf4j driver-api com.typesafe.config"
                        + " javax.net.ssl com.google.auto.service",
            })
    void shouldUseNothingBeyondItsCharter(String name, String mayUse) {
        String[] allowed = Stream.concat(
                        Stream.of(EVERYWHERE),
                        Stream.concat(Stream.of(name), Stream.of(mayUse.split(" ")))
                                .filter(used -> !used.isEmpty())
                                .map(ArchitectureTest::packages))
                .toArray(String[]::new);

        classes()
                .that()
                .resideInAPackage("dev.cassidy." + name)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed)
                        .or(describe("arrays of primitives", type -> type.getBaseComponentType()
                                .isPrimitive())))
                .allowEmptyShould(true)
                .check(main);
    }

    private static String packages(String used) {
        return switch (used) {
            case "driver" -> DRIVER;
            case "driver-api" -> DRIVER_API;
            case "micrometer" -> MICROMETER;
            case "org.slf4j",
                    "org.crac",
                    "io.netty.buffer",
                    "com.google.auto.service",
                    "com.typesafe.config",
                    "javax.net.ssl" -> used;
            case "com.fasterxml.jackson" -> "com.fasterxml.jackson..";
            default -> "dev.cassidy." + used;
        };
    }

    @Test
    void shouldHaveACharterForEveryPackage() {
        classes()
                .should()
                .resideInAnyPackage(Stream.of(
                                "lwt",
                                "sequence",
                                "sequence.store",
                                "sequence.protocol",
                                "snowflake",
                                "snowflake.store",
                                "snowflake.protocol",
                                "sequence.cassandra",
                                "counter",
                                "insert",
                                "cql",
                                "check",
                                "jdbc")
                        .map(ArchitectureTest::packages)
                        .toArray(String[]::new))
                .check(main);
    }

    /** What an application compiles against: other packages may change without it. */
    @Test
    void shouldShowUsersNoTypeOfOtherPackages() {
        Set<String> users = Stream.of("sequence", "sequence.cassandra", "snowflake", "cql", "counter", "jdbc")
                .map(ArchitectureTest::packages)
                .collect(Collectors.toSet());
        Set<String> shown = main.stream()
                .filter(type -> users.contains(type.getPackageName()) && isShown(type))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> isShown(member.getModifiers()))
                .flatMap(member -> signature(member)
                        .filter(used -> used.getPackageName().startsWith("dev.cassidy.")
                                && !users.contains(used.getPackageName()))
                        .map(used -> member.getFullName() + " shows " + used.getName()))
                .collect(Collectors.toCollection(TreeSet::new));

        // The JDBC driver asks the session which column is the identity.
        assertThat(shown)
                .containsExactly("dev.cassidy.cql.IdentitySession.catalog() shows dev.cassidy.insert.IdentityCatalog");
    }

    private static boolean isShown(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureTest::isShown).orElse(true);
    }

    private static boolean isShown(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static Stream<JavaClass> signature(JavaMember member) {
        Stream<JavaType> types = member instanceof JavaCodeUnit unit
                ? Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
                : Stream.of(((JavaField) member).getType());
        Stream<JavaClass> thrown = member instanceof JavaCodeUnit unit
                ? unit.getThrowsClause().getTypes().stream().map(JavaClass.class::cast)
                : Stream.of();
        return Stream.concat(types.flatMap(type -> type.getAllInvolvedRawTypes().stream()), thrown);
    }

    @Test
    void shouldNeedMicrometerForItsMetersAlone() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(SequenceMetrics.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage(MICROMETER)
                .check(main);
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(SequenceMetrics.class.getName())
                .should()
                .dependOnClassesThat()
                .areAssignableTo(SequenceMetrics.class)
                .check(main);
    }

    @Test
    void shouldHaveNoCycles() {
        slices().matching("dev.cassidy.(**)").should().beFreeOfCycles().check(main);
    }

    @Test
    void shouldReadNoStaticClock() {
        Set<Class<?>> clocks = Set.of(
                Instant.class,
                LocalDate.class,
                LocalDateTime.class,
                LocalTime.class,
                OffsetDateTime.class,
                ZonedDateTime.class,
                Clock.class);
        // A reference such as System::nanoTime is how a clock is injected; only a call reads it.
        noClasses()
                .should()
                .callMethodWhere(describe(
                        "reads the time",
                        call -> isCall(call, System.class, "currentTimeMillis")
                                || isCall(call, System.class, "nanoTime")
                                || isCall(call, Calendar.class, "getInstance")
                                || clocks.stream()
                                        .anyMatch(clock -> isCall(call, clock, "now")
                                                && call.getTarget()
                                                        .getRawParameterTypes()
                                                        .isEmpty())
                                || isCall(call, Clock.class, "systemUTC")
                                || isCall(call, Clock.class, "systemDefaultZone")))
                .orShould()
                .callConstructorWhere(describe(
                        "takes the time",
                        call -> call.getTargetOwner().isEquivalentTo(Date.class)
                                && call.getTarget().getRawParameterTypes().isEmpty()))
                .check(main);
    }

    private static boolean isCall(JavaCall<?> call, Class<?> owner, String method) {
        return call.getTargetOwner().isEquivalentTo(owner) && call.getName().equals(method);
    }

    @Test
    void shouldMakeNoRandomOfItsOwn() {
        noClasses()
                .should()
                .callConstructorWhere(describe(
                        "makes a Random",
                        call -> call.getTargetOwner().isAssignableTo(Random.class)
                                && !call.getTargetOwner().isAssignableTo(SecureRandom.class)))
                .orShould()
                .callMethod(Math.class, "random")
                .check(main);
    }

    @Test
    void shouldHaveNoMutableStatics() {
        fields().that()
                .areStatic()
                .and(isWritten())
                .should()
                .beFinal()
                .because("state that nobody owns cannot be tested, closed or replaced")
                .check(main);
    }

    // javac's own, such as a switch over an enum, are not written by hand.
    private static DescribedPredicate<JavaField> isWritten() {
        return describe("are written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC));
    }

    @Test
    void shouldLeaveTheStandardStreamsAlone() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(main);
    }

    @Test
    void shouldNotSleep() {
        noClasses()
                .should()
                .callMethodWhere(JavaCall.Predicates.target(describe(
                        "sleeps",
                        target -> target.getOwner().isEquivalentTo(Thread.class)
                                && target.getName().equals("sleep"))))
                .check(main);
    }

    @Test
    void shouldKeepTheDriversInternalsInThreePlaces() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.cassidy.cql.FillingSession")
                .and()
                .doNotHaveFullyQualifiedName("dev.cassidy.cql.KeyedReactiveResultSet")
                .and()
                .haveNameNotMatching("dev\\.cassidy\\.cql\\.CqlSessions(\\$.*)?")
                .should()
                .accessTargetWhere(JavaAccess.Predicates.targetOwner(
                        resideInAnyPackage("com.datastax.oss.driver.internal..", "com.datastax.dse.driver.internal..")))
                .check(main);
    }
}
