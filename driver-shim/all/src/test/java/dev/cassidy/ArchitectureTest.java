package dev.cassidy;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
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
import dev.cassidy.assist.plan.Planner;
import dev.cassidy.counter.Counters;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.flyway.CassidyDatabaseType;
import dev.cassidy.jdbc.CassidyDriver;
import dev.cassidy.sequence.cassandra.SequenceAdmin;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.toggle.Assistance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Date;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks what each package of the modules of driver-shim may use, and what no package may do. What the modules may use of each
 * other, Maven checks.
 */
class ArchitectureTest {

    private static final List<String> EVERYWHERE = List.of(
            "java..",
            "javax.sql..",
            "javax.net.ssl..",
            "org.jspecify.annotations..",
            "com.google.errorprone.annotations..");

    /**
     * A row of the table of packages: the package's name, its charter, and what it may use. The name is bold if
     * applications compile against the package.
     */
    private static final Pattern CHARTER =
            Pattern.compile("(?m)^\\| \\*{0,2}`([a-z.]+)`\\*{0,2} \\|.*\\| ?(.*?) ?\\|$");

    private static final String MICROMETER = "io.micrometer..";

    /** By name, because Micrometer is not on the class path here. */
    private static final String[] METERS = {
        "dev.cassidy.sequence.cassandra.SequenceMetrics",
        "dev.cassidy.counter.CounterMetrics",
        "dev.cassidy.jdbc.StatementMetrics",
        "dev.cassidy.jdbc.TransactionMetrics"
    };

    private static JavaClasses main;

    @BeforeAll
    static void read() {
        main = new ClassFileImporter()
                .withImportOption(location -> !location.contains("cassidy/relocated"))
                .importUrls(Stream.of(
                                Sequences.class,
                                Counters.class,
                                IdentitySession.class,
                                CassidyDriver.class,
                                CassidyDatabaseType.class,
                                Planner.class)
                        .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                        .toList());
    }

    /** Rows of the table of packages in ARCHITECTURE.md: the name, and what the package may use. */
    static Stream<Arguments> charters() throws IOException {
        return charterRows().map(row -> Arguments.of(row.group(1), row.group(2)));
    }

    private static Stream<MatchResult> charterRows() throws IOException {
        String page = Files.readString(Path.of("..", "..", "ARCHITECTURE.md"));
        int table = page.indexOf("| package | charter | may use |");
        return CHARTER.matcher(page.substring(table, page.indexOf("\n\n", table)))
                .results();
    }

    /** A look-up that names a class which was renamed sends its reader astray. */
    @Test
    void shouldFindTheClassesThatLookUpsName() throws IOException {
        String page = Files.readString(Path.of("..", "..", "ARCHITECTURE.md"));
        int table = page.indexOf("## Where to find it");
        Set<String> named = Pattern.compile("`([A-Z]\\w+)[^`]*`")
                .matcher(page.substring(table, page.indexOf("\n\n", table)))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> missing = new TreeSet<>(named);
        for (String module : List.of("driver-shim", "migration-tool", "spring")) {
            try (Stream<Path> files = Files.walk(Path.of("..", "..", module))) {
                files.filter(file -> file.toString().contains("/src/main/"))
                        .forEach(file ->
                                missing.remove(file.getFileName().toString().replace(".java", "")));
            }
        }

        assertThat(named).hasSizeGreaterThan(30);
        assertThat(missing).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("charters")
    void shouldUseNothingBeyondItsCharter(String name, String mayUse) {
        String[] allowed = Stream.concat(
                        EVERYWHERE.stream(),
                        Stream.concat(
                                        Stream.of(name),
                                        Stream.of(mayUse.split(",")).map(String::strip))
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

    /** @param used an entry of the table: a package in backticks, or the name of a library */
    private static String packages(String used) {
        return switch (used) {
            case "the driver" -> "com.datastax..";
            case "the driver's API" -> "com.datastax.oss.driver.api..";
            case "Micrometer" -> MICROMETER;
            // In the jar it has packages of its own.
            case "JSqlParser" -> "..jsqlparser..";
            case "slf4j" -> "org.slf4j";
            case "CRaC" -> "org.crac";
            case "Netty's buffers" -> "io.netty.buffer";
            case "H2" -> "..h2..";
            case "Flyway" -> "org.flywaydb.core..";
            case "AutoService" -> "com.google.auto.service";
            case "Typesafe Config" -> "com.typesafe.config";
            default -> "dev.cassidy." + used.replace("`", "");
        };
    }

    @Test
    void shouldHaveACharterForEveryPackage() throws IOException {
        String[] chartered = charterRows().map(row -> packages(row.group(1))).toArray(String[]::new);

        assertThat(chartered).hasSizeGreaterThan(10);
        classes().should().resideInAnyPackage(chartered).check(main);
    }

    /** Applications compile against these types. Types of other packages may change without notice. */
    @Test
    void shouldExposeNoTypeOfOtherPackages() throws IOException {
        Set<String> users = charterRows()
                .filter(row -> row.group().startsWith("| **"))
                .map(row -> packages(row.group(1)))
                .collect(Collectors.toSet());
        assertThat(users).hasSize(8);
        Set<String> shown = main.stream()
                .filter(type -> users.contains(type.getPackageName()) && isShown(type))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> isShown(member.getModifiers()))
                .flatMap(member -> signature(member)
                        .filter(used -> used.getPackageName().startsWith("dev.cassidy.")
                                && !users.contains(used.getPackageName()))
                        .map(used -> member.getFullName() + " shows " + used.getName()))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(shown)
                .containsExactly(
                        // For those that change values before a write, and hold rows against their contracts.
                        "dev.cassidy.cql.ColumnRule.<init>(java.lang.String,"
                                + " dev.cassidy.definition.ColumnDefinition) shows"
                                + " dev.cassidy.definition.ColumnDefinition",
                        "dev.cassidy.cql.ColumnRule.column() shows dev.cassidy.definition.ColumnDefinition",
                        // The JDBC driver asks the session which column is the identity.
                        "dev.cassidy.cql.IdentitySession.catalog() shows dev.cassidy.insert.IdentityCatalog",
                        // For Cassidy's other packages, as its name says.
                        "dev.cassidy.sequence.cassandra.InternalAccess.assistance("
                                + "dev.cassidy.sequence.cassandra.Sequences) shows dev.cassidy.toggle.Assistance",
                        "dev.cassidy.sequence.cassandra.InternalAccess.tables("
                                + "dev.cassidy.sequence.cassandra.Sequences) shows dev.cassidy.table.TableRegistry");
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
    void shouldUseMicrometerOnlyForItsMeters() {
        for (String meters : METERS) {
            noClasses()
                    .that(areNotMeters())
                    .should()
                    .dependOnClassesThat()
                    .areAssignableTo(meters)
                    .check(main);
        }
        noClasses()
                .that(areNotMeters())
                .should()
                .dependOnClassesThat()
                .resideInAPackage(MICROMETER)
                .check(main);
    }

    private static DescribedPredicate<JavaClass> areNotMeters() {
        return DescribedPredicate.describe(
                "are no meters", type -> !Set.of(METERS).contains(type.getFullName()));
    }

    @Test
    void shouldHaveNoCycles() {
        slices().matching("dev.cassidy.(**)").should().beFreeOfCycles().check(main);
    }

    /** Checks for cycles between the classes of one package, which {@link #shouldHaveNoCycles} does not see. */
    @Test
    void shouldHaveNoCyclesBetweenClasses() {
        Map<JavaClass, Set<JavaClass>> uses = main.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .collect(Collectors.toMap(type -> type, type -> new HashSet<>()));
        for (JavaClass type : main) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass used = topLevel(dependency.getTargetClass().getBaseComponentType());
                if (used.getPackage().equals(type.getPackage()) && !used.equals(topLevel(type))) {
                    uses.get(topLevel(type)).add(used);
                }
            }
        }
        Set<String> circles = uses.keySet().stream()
                .map(type -> circle(type, uses))
                .filter(circle -> circle.size() > 1)
                .map(Object::toString)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(circles)
                .containsExactly(
                        // JDBC's objects, each of which returns the others.
                        "[CassidyConnection, CassidyDatabaseMetaData, CassidyPreparedStatement, CassidyResultSet,"
                                + " CassidyStatement, ParameterSetters, PlainDatabaseMetaData, TypesAndFunctions]",
                        "[CheckpointHook, ExitHook]",
                        "[ConditionalStatements, SentOnce]",
                        "[CqlInsert, CqlInsertScanner, CurrentTimes, TableName]",
                        "[ExactWriter, Filler, Filling, FillingSession, IdentitySession, IdentitySessionBuilder,"
                                + " Proxies]",
                        "[GeneratedKeys, KeyedAsyncResultSet, KeyedReactiveResultSet, KeyedResultSet]",
                        "[WrappingCloseStage, WrappingSession]");
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::topLevel).orElse(type);
    }

    /**
     * Returns the names of all types that {@code type} uses, directly or indirectly, and that also use it; includes
     * {@code type} itself.
     */
    private static Set<String> circle(JavaClass type, Map<JavaClass, Set<JavaClass>> uses) {
        return reached(type, uses).stream()
                .filter(used -> used.equals(type) || reached(used, uses).contains(type))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<JavaClass> reached(JavaClass type, Map<JavaClass, Set<JavaClass>> uses) {
        Set<JavaClass> reached = new HashSet<>(Set.of(type));
        Deque<JavaClass> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            for (JavaClass used : uses.get(open.remove())) {
                if (reached.add(used)) {
                    open.add(used);
                }
            }
        }
        return reached;
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
        // A clock is injected as a reference such as System::nanoTime, which is allowed; only a call reads the clock.
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
    void shouldCreateNoRandom() {
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

    // Fields that javac generates, for example for a switch over an enum, are not written by hand.
    private static DescribedPredicate<JavaField> isWritten() {
        return describe("are written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC));
    }

    @Test
    void shouldNotUseTheStandardStreams() {
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

    /** What JDBC's statements change in Cassidy's tables, one class changes, and each change there needs a proof. */
    @Test
    void shouldChangeSequencesAndRegistrationsOnlyWithAProof() {
        Set<String> reads = Set.of("find", "list", "status");
        noClasses()
                .that()
                .resideInAPackage("dev.cassidy.jdbc..")
                .and()
                .doNotHaveFullyQualifiedName("dev.cassidy.jdbc.run.ProvenChanges")
                .should()
                // Also as a reference to the method.
                .accessTargetWhere(describe("changes a sequence or a registration", access -> {
                    JavaClass owner = access.getTargetOwner();
                    return owner.isEquivalentTo(Sequences.class)
                                    && access.getName().matches("create|register.*")
                            || owner.isEquivalentTo(SequenceAdmin.class) && !reads.contains(access.getName())
                            || owner.isEquivalentTo(TableRegistry.class)
                                    && access.getName().matches("(register|drop|declare).*")
                            || owner.isEquivalentTo(Assistance.class)
                                    && access.getName().startsWith("turn");
                }))
                .check(main);
    }

    @Test
    void shouldUseTheDriversInternalsOnlyInFourPlaces() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.cassidy.cluster.DriverThreads")
                .and()
                .doNotHaveFullyQualifiedName("dev.cassidy.cql.KeyedReactiveResultSet")
                .and()
                .haveNameNotMatching("dev\\.cassidy\\.cql\\.(CqlSessions|ConditionalResults)(\\$.*)?")
                .should()
                .accessTargetWhere(JavaAccess.Predicates.targetOwner(
                        resideInAnyPackage("com.datastax.oss.driver.internal..", "com.datastax.dse.driver.internal..")))
                .check(main);
    }
}
