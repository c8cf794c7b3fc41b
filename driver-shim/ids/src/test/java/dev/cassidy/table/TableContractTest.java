package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableContractTest {

    private static final TableContract NONE = TableContract.none("shop", "album");
    private static final IdentityColumn IDENTITY = new IdentityColumn("shop", "album", "id", "shop.album");

    private static ColumnDefault constant(String column, String value) {
        return new ColumnDefault(
                "shop", "album", column, "df_" + column, ColumnDefault.Kind.CONSTANT, value, "(" + value + ")");
    }

    private static ColumnDefault nextValue(String column, String sequence) {
        return new ColumnDefault(
                "shop",
                "album",
                column,
                "df_" + column,
                ColumnDefault.Kind.NEXT_VALUE,
                sequence,
                "NEXT VALUE FOR " + sequence);
    }

    private static TableWrites exact(String home, boolean changing) {
        return new TableWrites("shop", "album", home, null, changing);
    }

    private static TableContract registered(IdentityColumn identity) {
        return completed(NONE.claiming(identity).orElseThrow());
    }

    private static TableContract completed(TableContract claimed) {
        return claimed.completing(claimed).orElseThrow();
    }

    @Test
    void shouldKeepWhatOthersDeclared() {
        TableContract contract = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(constant("title", "'x'")))
                .flatMap(two -> two.beginning(exact("dc1", false)))
                .flatMap(three -> three.withDefault(constant("at", "0")))
                .orElseThrow();

        assertThat(contract.identity()).isEqualTo(IDENTITY);
        assertThat(contract.defaults()).extracting(ColumnDefault::column).containsExactly("at", "title");
        assertThat(contract.writes()).isEqualTo(exact("dc1", true));
        assertThat(contract.revision()).isEqualTo(5);
    }

    @Test
    void shouldNotChangeForWhatItHas() {
        TableContract contract = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(constant("n", "1")))
                .orElseThrow();

        assertThat(contract.claiming(IDENTITY)).isEmpty();
        assertThat(contract.withDefault(constant("n", "1"))).isEmpty();
        assertThat(contract.withoutDefault("other")).isEmpty();
        assertThatThrownBy(() -> contract.claiming(new IdentityColumn("shop", "album", "no", "shop.album")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("shop.album has another identity");
        assertThatThrownBy(() -> contract.withDefault(constant("n", "2")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("ALTER TABLE album DROP CONSTRAINT df_n");
    }

    @Test
    void shouldRememberWhichColumnsDrewFromASequence() {
        TableContract contract = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(nextValue("n", "first")))
                .flatMap(two -> two.withoutDefault("n"))
                .flatMap(three -> three.withDefault(nextValue("n", "second")))
                .flatMap(four -> four.withoutDefault("n"))
                .flatMap(five -> five.withDefault(nextValue("n", "first")))
                .flatMap(six -> six.withoutDefault("n"))
                .flatMap(seven -> seven.withDefault(constant("n", "3")))
                .orElseThrow();

        assertThat(contract.columns())
                .containsExactlyInAnyOrder(
                        IDENTITY,
                        new IdentityColumn("shop", "album", "n", "first"),
                        new IdentityColumn("shop", "album", "n", "second"));
    }

    @Test
    void shouldCompleteOnlyTheChangeOfWritesThatIsUnderWay() {
        TableWrites begun = exact("dc1", true);
        TableContract contract = NONE.beginning(exact("dc1", false)).orElseThrow();
        TableWrites everywhere = exact("", true);

        assertThat(contract.writes()).isEqualTo(begun);
        assertThat(contract.beginning(begun)).as("the same again").isEmpty();
        assertThatThrownBy(() -> contract.beginning(everywhere))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("is about to be written exactly, at home in dc1, and stays so");
        assertThat(contract.completed(everywhere)).isEmpty();
        TableContract complete = contract.completed(begun).orElseThrow();
        assertThat(complete.writes()).isEqualTo(exact("dc1", false));
        assertThat(complete.completed(begun)).isEmpty();
        assertThat(complete.beginning(begun)).as("it is so already").isEmpty();
        for (String home : List.of("dc2", "")) {
            assertThatThrownBy(() -> complete.beginning(exact(home, false)))
                    .as(home)
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("is written exactly, at home in dc1, and stays so");
        }
    }

    /** With several datacenters, the word exact alone names none. */
    @Test
    void shouldNameTheCommandThatCompletesTheChange() {
        assertThat(exact("dc1", true).declaration().words()).endsWith("--writes", "exact:dc1");
        assertThat(exact("", true).declaration().words()).endsWith("--writes", "serial");
    }

    private static TableDeclaration declaration(UUID id, @Nullable IdentityColumn identity, String... columns) {
        return new TableDeclaration(
                "shop",
                "album",
                new TableDefinition(
                        id, Stream.of(columns).map(ColumnDefinition::named).toList(), List.of()),
                identity,
                List.of());
    }

    @Test
    void shouldBeOfOneTableOnly() {
        UUID first = UUID.randomUUID();
        TableContract contract =
                NONE.declared(declaration(first, IDENTITY, "id", "b")).orElseThrow();

        assertThat(contract.pending()).isTrue();
        assertThat(contract.definitionOf(first)).isPresent();
        assertThat(contract.definitionOf(UUID.randomUUID())).isEmpty();
        assertThat(contract.created(UUID.randomUUID())).isEmpty();
        assertThat(contract.created(first)).get().satisfies(created -> {
            assertThat(created.pending()).isFalse();
            assertThat(created.created(first)).isEmpty();
        });
    }

    /** Each declaration is a revision of its own, so that nobody takes back what somebody else relies on. */
    @Test
    void shouldTakeBackOnlyWhatNobodyElseHasDeclared() {
        UUID id = UUID.randomUUID();
        TableContract seen = NONE.declared(declaration(id, null, "id", "b")).orElseThrow();
        TableDefinition before = seen.definition();
        TableDefinition wanted = before.replacing(new ColumnDefinition("b", "b", null, true, ""));
        TableContract tight = seen.tightened(wanted, seen.revision()).orElseThrow();

        assertThat(tight.definition()).isEqualTo(wanted);
        assertThat(tight.revision()).isEqualTo(seen.revision() + 1);
        TableContract loose = tight.loosened(before, tight.revision()).orElseThrow();
        assertThat(loose.definition()).isEqualTo(before);
        assertThat(loose.loosened(before, tight.revision()))
                .as("a try whose answer was lost")
                .isEmpty();
        // Another process wants the same.
        TableContract other = tight.tightened(wanted, seen.revision()).orElseThrow();
        assertThat(other.revision()).isEqualTo(tight.revision() + 1);
        assertThatThrownBy(() -> other.loosened(before, tight.revision()))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("was changed meanwhile");
        assertThat(other.loosened(before, other.revision())).isPresent();
        // Or something else.
        TableContract changed = tight.withDefault(constant("b", "1")).orElseThrow();
        assertThatThrownBy(() -> changed.loosened(before, tight.revision()))
                .isInstanceOf(SequenceException.Conflict.class);
        TableContract elsewhere = seen.withDefault(constant("b", "1")).orElseThrow();
        assertThatThrownBy(() -> elsewhere.tightened(wanted, seen.revision()))
                .isInstanceOf(SequenceException.Conflict.class);
        assertThatThrownBy(() -> loose.tightened(wanted, seen.revision()))
                .as("it was taken back meanwhile")
                .isInstanceOf(SequenceException.Conflict.class);
    }

    @Test
    void shouldShareTheIdOfATableThatMayComeIntoBeing() {
        UUID first = Uuids.timeBased();
        UUID second = Uuids.timeBased();
        TableContract pending =
                NONE.declared(declaration(first, IDENTITY, "id", "b")).orElseThrow();

        assertThat(pending.declared(declaration(second, IDENTITY, "id", "b"))).isEmpty();
        assertThat(pending.declared(declaration(second, IDENTITY, "b", "id")))
                .get()
                .satisfies(other -> assertThat(other.definitionOf(second)).isPresent());
        UUID later =
                Uuids.endOf(Uuids.unixTimestamp(first) + Duration.ofSeconds(61).toMillis());
        assertThat(pending.declared(declaration(later, IDENTITY, "id", "b")))
                .as("it may have been created and dropped since")
                .get()
                .satisfies(next -> assertThat(next.definitionOf(later)).isPresent());
        // Another table had it: its rows might come back.
        assertThat(pending.created(first).orElseThrow().declared(declaration(second, IDENTITY, "id", "b")))
                .get()
                .satisfies(next -> assertThat(next.definitionOf(second)).isPresent());
    }

    /** One of two that share an id is refused, and drops the reservations that it has made: the other one has its own. */
    @Test
    void shouldResumeATableThatWasCreatedUnderAnIdThatWasWithdrawn() {
        TableDefinition first = unique("of_first");
        TableDefinition second = unique("of_second");
        TableContract pending = NONE.declared(declaration(first)).orElseThrow();
        assertThat(pending.declared(declaration(second))).isEmpty();
        TableDefinition created = new TableDefinition(first.id(), second.columns(), second.constraints());

        TableContract withdrawn = pending.withdrawn(first.id()).orElseThrow();
        assertThat(withdrawn.definition().uniqueKeys()).isEmpty();
        assertThat(withdrawn.created(first.id())).isEmpty();
        assertThat(withdrawn.withdrawn(first.id())).isEmpty();
        assertThat(withdrawn.declared(declaration(second)))
                .as("one that begins later has an id of its own")
                .get()
                .satisfies(next -> assertThat(next.definition()).isEqualTo(second))
                .satisfies(next -> assertThat(next.resumed(created)).isEmpty());
        TableContract resumed = withdrawn.resumed(created).orElseThrow();
        assertThat(resumed.definition()).isEqualTo(created);
        assertThat(resumed.pending()).isFalse();
        // What was created first is not withdrawn.
        TableContract known = pending.created(first.id()).orElseThrow();
        assertThat(known.withdrawn(first.id())).isEmpty();
        assertThat(known.resumed(created)).isEmpty();
        assertThat(pending.resumed(created)).isEmpty();
    }

    private static TableDefinition unique(String reservations) {
        return new TableDefinition(
                Uuids.timeBased(),
                List.of(ColumnDefinition.named("v")),
                List.of(new ConstraintDefinition(
                        ConstraintDefinition.Kind.UNIQUE,
                        "",
                        List.of("v"),
                        "UNIQUE (v)",
                        new Reservations(reservations, 1, List.of(""), true))));
    }

    private static TableDeclaration declaration(TableDefinition definition) {
        return new TableDeclaration("shop", "album", definition, null, List.of());
    }

    @Test
    void shouldReplaceTheIdentityOfATableThatWas() {
        IdentityColumn other = new IdentityColumn("shop", "album", "no", "shop.album");
        TableContract contract = NONE.declared(declaration(UUID.randomUUID(), IDENTITY, "id"))
                .map(TableContractTest::completed)
                .flatMap(one -> one.declared(declaration(UUID.randomUUID(), other, "no")))
                .map(TableContractTest::completed)
                .flatMap(two -> two.declared(declaration(UUID.randomUUID(), null, "id", "no")))
                .orElseThrow();

        assertThat(contract.identity()).isNull();
        assertThat(contract.columns()).containsExactlyInAnyOrder(IDENTITY, other);
    }

    /** By an operator, before the table is there. */
    @Test
    void shouldKeepTheIdentityThatWasRegisteredBefore() {
        TableContract registered = registered(IDENTITY);

        assertThat(registered
                        .declared(declaration(UUID.randomUUID(), null, "id"))
                        .orElseThrow()
                        .identity())
                .isEqualTo(IDENTITY);
        assertThatThrownBy(() -> registered.declared(
                        declaration(UUID.randomUUID(), new IdentityColumn("shop", "album", "no", "shop.album"), "no")))
                .isInstanceOf(SequenceException.Conflict.class);
    }

    @Test
    void shouldRestoreOnlyWhatTheLostTableReplaced() {
        UUID first = UUID.randomUUID();
        UUID lost = UUID.randomUUID();
        TableDeclaration before = declaration(first, IDENTITY, "id");
        TableContract contract = NONE.declared(before)
                .flatMap(one -> one.declared(declaration(lost, null, "x")))
                .orElseThrow();

        TableContract restored = contract.restored(lost, before).orElseThrow();

        assertThat(restored.definitionOf(first)).isPresent();
        assertThat(restored.identity())
                .as("another installation may have numbered the table")
                .isNull();
        assertThat(restored.claim()).isEqualTo(IDENTITY);
        assertThat(restored.restored(lost, before)).isEmpty();
    }

    /** Two processes create the table, with other columns, and the one that declared it first has created it. */
    @Test
    void shouldKeepTheIdentityThatBothDeclaredWhenOneIsRestored() {
        UUID lost = UUID.randomUUID();
        TableContract first = NONE.declared(declaration(UUID.randomUUID(), IDENTITY, "id", "a"))
                .orElseThrow();
        TableContract second =
                completed(first.declared(declaration(lost, IDENTITY, "id", "b")).orElseThrow());

        TableContract restored =
                second.restored(lost, first.declaration().orElseThrow()).orElseThrow();

        assertThat(restored.identity()).isEqualTo(IDENTITY);
        assertThat(restored.claim()).isNull();
    }

    @Test
    void shouldCompleteAClaimOnlyAsItWasSeen() {
        TableContract claimed = NONE.claiming(IDENTITY).orElseThrow();
        assertThat(claimed.claiming(IDENTITY)).isEmpty();
        assertThat(claimed.identity()).isNull();
        assertThat(claimed.drawing()).isEmpty();

        TableContract changed = claimed.withDefault(constant("n", "1")).orElseThrow();
        assertThat(changed.claim()).isEqualTo(IDENTITY);
        assertThat(changed.completing(claimed)).isEmpty();
        TableContract complete = changed.completing(changed).orElseThrow();
        assertThat(complete.identity()).isEqualTo(IDENTITY);
        assertThat(complete.claim()).isNull();
        assertThat(complete.withoutClaim()).isEmpty();

        TableContract left = changed.withoutClaim().orElseThrow();
        assertThat(left.claim()).isNull();
        assertThat(left.defaults()).as("of a table that exists").hasSize(1);
        IdentityColumn other = new IdentityColumn("shop", "album", "no", "shop.album");
        assertThat(claimed.claiming(other).orElseThrow().claim())
                .as("nobody was told of it")
                .isEqualTo(other);
        TableContract creating = claimed.declared(new TableDeclaration(
                        "shop",
                        "album",
                        declaration(UUID.randomUUID(), null, "id", "n").definition(),
                        IDENTITY,
                        List.of(constant("n", "1"))))
                .orElseThrow();
        assertThat(creating.withoutClaim().orElseThrow().defaults())
                .as("of a table that will not be created")
                .isEmpty();
    }

    @Test
    void shouldForgetAColumnWithItsDefaultAndAddItAtTheEnd() {
        UUID id = UUID.randomUUID();
        TableContract contract = NONE.declared(declaration(id, null, "a", "b", "c"))
                .flatMap(one -> one.withDefault(nextValue("b", "first")))
                .flatMap(two -> two.withoutColumns(List.of("b")))
                .orElseThrow();

        assertThat(contract.defaults()).isEmpty();
        assertThat(contract.columns()).extracting(IdentityColumn::column).containsExactly("b");
        assertThat(contract.withoutColumns(List.of("b"))).isEmpty();
        // Also if what was said of the dropped one was not forgotten.
        for (TableContract each : List.of(
                contract, NONE.declared(declaration(id, null, "a", "b", "c")).orElseThrow())) {
            TableDefinition added = each.withColumns(id, List.of(ColumnDefinition.named("b")), List.of(), List.of())
                    .flatMap(next -> next.definitionOf(id))
                    .orElseThrow();
            assertThat(added.inserted(List.of("a", "b", "c"), List.of("a"), null))
                    .containsExactly("a", "c", "b");
        }
        assertThat(contract.withColumns(UUID.randomUUID(), List.of(ColumnDefinition.named("d")), List.of(), List.of()))
                .isEmpty();
    }

    /** ALTER TABLE ADD is run again after a process has ended in the middle of it. */
    @Test
    void shouldDeclareAddedColumnsConstraintsAndDefaultsOnce() {
        UUID id = UUID.randomUUID();
        List<ColumnDefinition> columns = List.of(ColumnDefinition.named("title"));
        List<ConstraintDefinition> checks = List.of(
                new ConstraintDefinition(ConstraintDefinition.Kind.CHECK, "long", List.of(), "CHECK (title <> '')"));
        List<ColumnDefault> defaults = List.of(constant("title", "'x'"));

        TableContract added = NONE.declared(declaration(id, null, "a"))
                .flatMap(one -> one.withColumns(id, columns, checks, defaults))
                .orElseThrow();

        assertThat(added.defaults()).isEqualTo(defaults);
        assertThat(added.definitionOf(id).orElseThrow().constraints()).isEqualTo(checks);
        assertThat(added.withColumns(id, columns, checks, defaults).orElseThrow())
                .usingRecursiveComparison()
                .ignoringFields("revision")
                .isEqualTo(added);
        assertThat(added.withColumns(id, columns, checks, List.of())
                        .orElseThrow()
                        .defaults())
                .as("what was said of an earlier column of the name is forgotten")
                .isEmpty();
    }

    /** Two processes add the same column at once, and the server refuses one of them. */
    @Test
    void shouldTakeColumnsBackUnlessAnotherProcessHasDeclaredThemSince() {
        UUID id = UUID.randomUUID();
        List<ColumnDefinition> columns = List.of(ColumnDefinition.named("title"));
        List<ColumnDefault> defaults = List.of(constant("title", "'x'"));
        TableContract before = NONE.declared(declaration(id, IDENTITY, "a")).orElseThrow();

        TableContract refused =
                before.withColumns(id, columns, List.of(), defaults).orElseThrow();
        TableContract other =
                refused.withColumns(id, columns, List.of(), defaults).orElseThrow();

        assertThat(refused.takenBack(before, refused).orElseThrow())
                .usingRecursiveComparison()
                .ignoringFields("revision")
                .isEqualTo(before);
        assertThat(other.takenBack(before, refused)).isEmpty();
    }

    @Test
    void shouldGiveColumnsOfATableOfCqlTheirDefaultsAlone() {
        UUID id = UUID.randomUUID();
        List<ColumnDefault> defaults = List.of(constant("title", "'x'"));

        TableContract added = NONE.withColumns(id, List.of(ColumnDefinition.named("title")), List.of(), defaults)
                .orElseThrow();

        assertThat(added.defaults()).isEqualTo(defaults);
        assertThat(added.definition()).isNull();
        assertThat(added.takenBack(NONE, added).orElseThrow().defaults()).isEmpty();
    }

    @Test
    void shouldStaySmallWhateverElseIsDeclared() {
        UUID id = UUID.randomUUID();
        TableContract created = NONE.declared(declaration(id, null, "id", "title"))
                .flatMap(declared -> declared.created(id))
                .orElseThrow();
        assertThat(created.isSmall(id)).isFalse();
        assertThat(created.sized(id, false)).isEmpty();

        TableContract small = created.sized(id, true).orElseThrow();

        assertThat(small.isSmall(id)).isTrue();
        assertThat(small.isSmall(UUID.randomUUID()))
                .as("another table of the name")
                .isFalse();
        assertThat(small.sized(id, true)).isEmpty();
        assertThat(small.definition().columns()).isEqualTo(created.definition().columns());
        ColumnDefinition title = small.definition().column("title").orElseThrow();
        List<Optional<TableContract>> later = List.of(
                small.withColumns(id, List.of(ColumnDefinition.named("more")), List.of(), List.of()),
                small.withoutColumns(List.of("title")),
                small.withDefault(constant("title", "'x'")),
                small.tightened(small.definition().replacing(title.withTwin(null)), small.revision()),
                small.adopted(declaration(id, null, "title", "id").definition(), true, small.revision()),
                small.adopted(declaration(id, null, "title", "id").definition()));
        assertThat(later).allMatch(each -> each.orElseThrow().isSmall(id));
        assertThat(small.sized(id, false).orElseThrow().isSmall(id)).isFalse();
    }

    @Test
    void shouldBeSmallWithoutADefinitionAndNotByThatOfAnotherTable() {
        UUID id = UUID.randomUUID();
        TableContract ofCql = NONE.sized(id, true).orElseThrow();
        assertThat(ofCql.isSmall(id)).isTrue();
        assertThat(ofCql.definitionOf(id)).isEmpty();
        assertThat(ofCql.kind()).isEqualTo(new TableKind.Cql());

        TableContract other =
                NONE.declared(declaration(UUID.randomUUID(), null, "id")).orElseThrow();
        assertThatThrownBy(() -> other.sized(id, true))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("is of another one that had its name");
    }

    @Test
    void shouldBeAdoptedOnlyAsItWasSeen() {
        UUID first = UUID.randomUUID();
        TableContract seen = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(constant("title", "'x'")))
                .flatMap(two -> two.beginning(exact("dc1", false)))
                .orElseThrow();
        TableDefinition given = declaration(first, null, "id", "title").definition();

        TableContract adopted = seen.adopted(given, true, seen.revision()).orElseThrow();

        assertThat(adopted)
                .isEqualTo(new TableContract(
                        "shop",
                        "album",
                        IDENTITY,
                        null,
                        seen.defaults(),
                        seen.writes(),
                        List.of(),
                        given,
                        null,
                        false,
                        null,
                        seen.revision() + 1));
        assertThat(adopted.adopted(given, true, seen.revision()))
                .as("by this call, whose answer was lost")
                .isEmpty();
        assertThatThrownBy(() ->
                        adopted.adopted(declaration(first, null, "title", "id").definition(), true, seen.revision()))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("shop.album was changed meanwhile: it had revision 4, and has 5 now");
    }

    /** It was dropped, and created by CQL. */
    @Test
    void shouldNotStayExactWithoutTheMark() {
        UUID first = UUID.randomUUID();
        TableDefinition other = declaration(UUID.randomUUID(), null, "id").definition();
        TableWrites exact = new TableWrites("shop", "album", "dc1", first, false);
        TableContract seen = NONE.declared(new TableDeclaration(
                        "shop", "album", declaration(first, null, "id").definition(), null, List.of(), exact))
                .orElseThrow();

        assertThat(seen.adopted(other, true, seen.revision()).orElseThrow().writes())
                .isEqualTo(exact);
        TableContract unmarked = seen.adopted(other, false, seen.revision()).orElseThrow();
        assertThat(unmarked.writes()).isNull();
        assertThat(unmarked.adopted(other, false, unmarked.revision())).isEmpty();
        assertThat(seen.adopted(seen.definition(), false, seen.revision())).isPresent();
        TableContract closed = NONE.beginning(exact.withoutFresh()).orElseThrow();
        assertConflict(
                () -> closed.adopted(other, false, closed.revision()),
                "is about to be written exactly, and its rows have no mark yet: repeat the command that declares it first");
    }

    /** It cannot say anything of them. */
    @Test
    void shouldKeepIdentityAndDefaultsIfCqlCreatesTheTable() {
        TableContract before = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(constant("title", "'x'")))
                .orElseThrow();
        TableDeclaration ofCql = new TableDeclaration(
                "shop", "album", new TableDefinition(Uuids.timeBased(), List.of(), List.of()), null, List.of());

        TableContract first = before.declared(ofCql).orElseThrow();
        TableContract again = first.declared(new TableDeclaration(
                        "shop", "album", new TableDefinition(Uuids.timeBased(), List.of(), List.of()), null, List.of()))
                .orElseThrow();

        assertThat(List.of(first, again)).allSatisfy(each -> {
            assertThat(each.identity()).isEqualTo(before.identity());
            assertThat(each.defaults()).isEqualTo(before.defaults());
        });
        assertThat(again.definition()).as("two ids").isNotEqualTo(first.definition());
    }

    @Test
    void shouldRecordByAdoptionThatATableExists() {
        TableContract pending =
                NONE.declared(declaration(UUID.randomUUID(), null, "id")).orElseThrow();

        assertThat(pending.pending()).isTrue();
        assertThat(pending.adopted(pending.definition(), true, 1).orElseThrow().pending())
                .isFalse();
    }

    // ---- kinds

    private static final UUID COUNTERS = UUID.fromString("5f6e0a0e-cc4e-11f0-8de9-0242ac120002");

    private static TableContract counters(String kind) {
        TableContract claimed =
                NONE.claimingCounters(new CounterTable(COUNTERS, kind), 0).orElseThrow();
        return claimed.completingCounters(claimed).orElseThrow();
    }

    @Test
    void shouldBeOfTheKindThatItsDeclarationsSay() {
        TableContract registered = registered(IDENTITY);
        TableContract defined =
                NONE.declared(declaration(UUID.randomUUID(), null, "id")).orElseThrow();

        assertThat(registered.kind()).hasToString("CQL table");
        assertThat(defined.kind()).hasToString("T-SQL table");
        assertThat(registered
                        .adopted(defined.definition(), true, registered.revision())
                        .orElseThrow()
                        .kind())
                .hasToString("T-SQL table");
        assertThat(counters("FOLDED").kind()).isEqualTo(new TableKind.Counters("FOLDED"));
    }

    @Test
    void shouldRefuseToBecomeAnotherKind() {
        TableContract folded = counters("FOLDED");
        TableDeclaration declaration = declaration(UUID.randomUUID(), null, "id");

        for (ThrowingCallable change : List.<ThrowingCallable>of(
                () -> folded.declared(declaration),
                () -> folded.adopted(declaration.definition()),
                () -> folded.adopted(declaration.definition(), true, folded.revision()))) {
            assertConflict(change, "is a table of FOLDED counters, and cannot become a T-SQL table");
        }
        for (ThrowingCallable change : List.<ThrowingCallable>of(
                () -> folded.claiming(IDENTITY),
                () -> folded.withDefault(constant("n", "1")),
                () -> folded.beginning(exact("dc1", false)))) {
            assertConflict(change, "is a table of FOLDED counters, and cannot become a CQL table");
        }
        CounterTable versioned = new CounterTable(COUNTERS, "VERSIONED");
        assertConflict(
                () -> folded.claimingCounters(versioned, folded.revision()),
                "is a table of FOLDED counters, and cannot become a table of VERSIONED counters");
        assertConflict(
                () -> NONE.declared(declaration).orElseThrow().claimingCounters(versioned, 1),
                "is a T-SQL table, and cannot become a table of VERSIONED counters");
        for (TableContract registered : List.of(
                registered(IDENTITY),
                NONE.withDefault(constant("n", "1")).orElseThrow(),
                NONE.beginning(exact("dc1", false)).orElseThrow())) {
            assertConflict(
                    () -> registered.claimingCounters(versioned, registered.revision()),
                    "is a CQL table, and cannot become a table of VERSIONED counters");
        }
    }

    private static final Twin TWIN = new Twin("Latin1_General_CI_AS", 1);

    private static TableContract twinned(UUID id) {
        ColumnDefinition name = new ColumnDefinition("name", "Name", null, true, "", TWIN);
        return NONE.declared(new TableDeclaration(
                        "shop",
                        "album",
                        new TableDefinition(id, List.of(name), List.of()),
                        null,
                        List.of(constant("at", "0")),
                        exact("dc1", false)))
                .orElseThrow();
    }

    @Test
    void shouldAddTwinsToRows() {
        assertThat(twinned(UUID.randomUUID()).added())
                .extracting(ColumnDefault::column, ColumnDefault::kind, ColumnDefault::value)
                .containsExactly(
                        tuple("at", ColumnDefault.Kind.CONSTANT, "0"),
                        tuple("cassidy_tx", ColumnDefault.Kind.CONSTANT, "0xff"),
                        tuple("cassidy_eq_name", ColumnDefault.Kind.TWIN, "name"));
    }

    @Test
    void shouldGiveEachRowAnIdByWhichItCounts() {
        UUID id = UUID.randomUUID();
        TableContract contract = twinned(id);
        TableDefinition known = contract.definitionOf(id).orElseThrow();
        ColumnDefinition hits = new ColumnDefinition("hits", "Hits", null, true, "").asCounted();
        TableContract counted = contract.tightened(known.with(List.of(hits), List.of()), contract.revision())
                .orElseThrow();

        assertThat(counted.added())
                .extracting(ColumnDefault::column, ColumnDefault::kind, ColumnDefault::value)
                .contains(tuple("cassidy_counts", ColumnDefault.Kind.NEW_ID, "uuid"));
        TableDefinition now = counted.definitionOf(id).orElseThrow();
        assertThat(now.counted()).containsExactly("hits");
        assertThat(now.ordered(List.of("hits", "cassidy_counts")))
                .contains("hits")
                .doesNotContain("cassidy_counts");
        ColumnDefinition said =
                new ColumnDefinition("hits", "Hits", SqlType.parse("INT").orElseThrow(), true, "");
        assertThat(now.correctedBy(new TableDefinition(id, List.of(said), List.of()))
                        .counted())
                .as("nobody says that it counts, and it does")
                .containsExactly("hits");
        assertConflict(() -> counted.movingTo("other", "cassidy", counted.revision()), "has columns that count");
    }

    /** By whatever command, and whichever of the two is declared first. */
    @Test
    void shouldRefuseAConstraintOfAColumnThatCounts() {
        UUID id = UUID.randomUUID();
        TableContract contract = twinned(id);
        TableDefinition known = contract.definitionOf(id).orElseThrow();
        ColumnDefinition plain = new ColumnDefinition("hits", "Hits", null, true, "");
        List<ConstraintDefinition> constraints = List.of(
                new ConstraintDefinition(ConstraintDefinition.Kind.CHECK, "c", List.of(), "([Hits]>=(0))", null),
                new ConstraintDefinition(ConstraintDefinition.Kind.UNIQUE, "u", List.of("hits"), "", null));
        for (ConstraintDefinition each : constraints) {
            TableContract counted = contract.tightened(
                            known.with(List.of(plain.asCounted()), List.of()), contract.revision())
                    .orElseThrow();
            assertConflict(
                    () -> counted.tightened(counted.definition().with(List.of(), List.of(each)), counted.revision()),
                    "would have a constraint of column hits, which counts");
            TableContract kept = contract.tightened(known.with(List.of(plain), List.of(each)), contract.revision())
                    .orElseThrow();
            assertConflict(
                    () -> kept.tightened(kept.definition().replacing(plain.asCounted()), kept.revision()),
                    "would have a constraint of column hits, which counts");
            assertConflict(
                    () -> kept.adopted(kept.definition().replacing(plain.asCounted()), true, kept.revision()),
                    "would have a constraint of column hits, which counts");
            assertConflict(
                    () -> counted.adopted(counted.definition().with(List.of(), List.of(each))),
                    "would have a constraint of column hits, which counts");
        }
        ConstraintDefinition other =
                new ConstraintDefinition(ConstraintDefinition.Kind.CHECK, "c", List.of(), "([hits_of_b]>=(0))", null);
        assertThat(contract.tightened(known.with(List.of(plain.asCounted()), List.of(other)), contract.revision()))
                .isPresent();
    }

    @Test
    void shouldNotCompareAKeyOtherwise() {
        UUID id = UUID.randomUUID();
        TableContract contract = twinned(id);
        ColumnDefinition name =
                contract.definitionOf(id).orElseThrow().column("name").orElseThrow();

        assertConflict(() -> contract.altered(id, name, name.withTwin(null)), "is in the primary key");
        assertConflict(
                () -> contract.altered(
                        id, name, new ColumnDefinition("name", "Name", null, true, "Latin1_General_CS_AS", TWIN)),
                "is in the primary key");
        assertThat(contract.altered(
                        id, name, new ColumnDefinition("name", "Name", null, true, "latin1_general_CI_AS", TWIN)))
                .isPresent();
    }

    @Test
    void shouldCompleteATwinThatIsKeptBesideItsColumn() {
        UUID id = UUID.randomUUID();
        TableContract contract = twinned(id);
        TableDefinition known = contract.definitionOf(id).orElseThrow();
        ColumnDefinition mail = new ColumnDefinition("mail", "Mail", null, false, "", TWIN.in(Twin.Place.BUILDING));
        TableContract building = contract.tightened(known.with(List.of(mail), List.of()), contract.revision())
                .orElseThrow();

        assertThat(building.added()).extracting(ColumnDefault::column).contains("cassidy_eq_mail", "cassidy_eq_name");
        TableContract complete = building.completedTwin(id, "mail").orElseThrow();

        assertThat(complete.definitionOf(id).orElseThrow().twins())
                .containsEntry("mail", TWIN.in(Twin.Place.BESIDE))
                .containsEntry("name", TWIN);
        assertThat(complete.added()).isEqualTo(building.added());
        assertThat(complete.completedTwin(id, "mail")).isEmpty();
        assertConflict(
                () -> complete.altered(id, complete.definition().column("mail").orElseThrow(), mail.withTwin(null)),
                "has a form beside it");
        for (ThrowingCallable gone : List.<ThrowingCallable>of(
                () -> building.completedTwin(id, "name"),
                () -> building.completedTwin(id, "nothing"),
                () -> building.completedTwin(UUID.randomUUID(), "mail"),
                () -> contract.completedTwin(id, "mail"))) {
            assertConflict(gone, "was dropped meanwhile");
        }
    }

    private static void assertConflict(ThrowingCallable change, String message) {
        assertThatThrownBy(change)
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("table shop.album " + message);
    }

    @Test
    void shouldLetTwoProcessesCreateOneTableOfCounters() {
        CounterTable wanted = new CounterTable(COUNTERS, "FOLDED");
        CounterTable other = new CounterTable(UUID.randomUUID(), "FOLDED");
        TableContract pending = NONE.beginningCounters(wanted, 0).orElseThrow();

        assertThat(pending.pending()).isTrue();
        assertThat(pending.isBeginning(wanted)).isTrue();
        assertThat(pending.beginningCounters(other, 0))
                .as("the first is creating it since the other has looked for it")
                .isEmpty();
        assertThat(pending.isBeginning(other)).isFalse();
        assertThat(pending.beginningCounters(other, pending.revision())
                        .orElseThrow()
                        .counters())
                .as("the first has ended, and its id may have been used")
                .isEqualTo(other);
        assertThat(pending.claimingCounters(wanted, 0)).isEmpty();
        TableContract created = pending.completingCounters(pending).orElseThrow();
        assertThat(created.pending()).isFalse();
        assertThat(created.claimingCounters(wanted, created.revision())).isEmpty();
        assertThat(created.completingCounters(pending))
                .as("by the other process")
                .isEmpty();
        assertThat(created.claimingCounters(other, created.revision())
                        .orElseThrow()
                        .counters())
                .as("that one was dropped")
                .isEqualTo(other);
        assertThat(created.claimingCounters(other, pending.revision()))
                .as("this one was dropped, and that one created since the look")
                .isEmpty();
        assertThat(created.beginningCounters(other, pending.revision()))
                .as("it was created since the other has looked for it")
                .isEmpty();
        assertThat(created.beginningCounters(other, created.revision())
                        .orElseThrow()
                        .counters())
                .isEqualTo(other);
    }

    /** The kind is of one table, by its id. */
    @Test
    void shouldBeOfAnotherKindAfterDropAndCreate() {
        CounterTable versioned = new CounterTable(UUID.randomUUID(), "VERSIONED");
        for (TableContract folded : List.of(
                counters("FOLDED"),
                NONE.beginningCounters(new CounterTable(COUNTERS, "FOLDED"), 0).orElseThrow())) {
            assertThat(folded.beginningCounters(versioned, folded.revision())
                            .orElseThrow()
                            .counters())
                    .isEqualTo(versioned);
            TableContract claimed =
                    folded.claimingCounters(versioned, folded.revision()).orElseThrow();
            assertThat(claimed.counters()).isEqualTo(versioned);
            assertThat(claimed.pending()).isTrue();
        }
    }

    @Test
    void shouldTakeBackWhatWasBegunUnderAnIdAlone() {
        CounterTable wanted = new CounterTable(COUNTERS, "FOLDED");
        TableContract begun = NONE.beginningCounters(wanted, 0).orElseThrow();

        assertThat(begun.withoutBegun(UUID.randomUUID())).isEmpty();
        assertThat(begun.withoutBegun(COUNTERS).orElseThrow().counters()).isNull();
        assertThat(begun.completingCounters(begun).orElseThrow().withoutBegun(COUNTERS))
                .as("the table was created after all")
                .isEmpty();
    }

    @Test
    void shouldTakeBackAClaimAloneThatNobodyHasCompleted() {
        CounterTable wanted = new CounterTable(COUNTERS, "FOLDED");
        TableContract claimed = NONE.claimingCounters(wanted, 0).orElseThrow();
        TableContract none = claimed.withoutCounters(claimed).orElseThrow();
        assertThat(none.counters()).isNull();
        assertThat(none.revision()).isEqualTo(claimed.revision() + 1);
        TableContract completed = claimed.completingCounters(claimed).orElseThrow();

        assertThat(completed.withoutCounters(claimed)).isEmpty();
        assertThat(completed.withoutCounters(completed)).isEmpty();
        assertThat(none.withoutCounters(claimed)).isEmpty();
    }

    /** Another installation may have seen none in between, and counts. */
    @Test
    void shouldNotCompleteAClaimThatWasTakenBackAndBegunAgain() {
        CounterTable wanted = new CounterTable(COUNTERS, "FOLDED");
        TableContract claimed = NONE.claimingCounters(wanted, 0).orElseThrow();
        TableContract none = claimed.withoutCounters(claimed).orElseThrow();
        TableContract again = none.claimingCounters(wanted, none.revision()).orElseThrow();

        for (TableContract changed : List.of(none, again)) {
            assertThatThrownBy(() -> changed.completingCounters(claimed))
                    .isInstanceOf(SequenceException.Unavailable.class)
                    .hasMessageContaining("was changed at the same time");
        }
        assertThat(again.withoutCounters(claimed)).isEmpty();
        assertThat(again.completingCounters(again)).isPresent();
    }

    @Test
    void shouldNotGiveCountersToAnotherInstallation() {
        TableContract folded = counters("FOLDED");

        assertThatThrownBy(() -> folded.movingTo("two", "one", folded.revision()))
                .hasMessageContaining("whose counts are kept by the installation of keyspace one");
    }

    // ---- moves

    private static TableContract moving(TableContract contract, String to, String own) {
        return contract.movingTo(to, own, contract.revision()).orElseThrow();
    }

    @Test
    void shouldBeMovedWithAllThatIsDeclared() {
        TableContract full = Optional.of(registered(IDENTITY))
                .flatMap(one -> one.withDefault(constant("title", "'x'")))
                .flatMap(two -> two.beginning(exact("dc1", false)))
                .flatMap(three -> three.completed(three.writes()))
                .flatMap(four -> four.adopted(
                        declaration(UUID.randomUUID(), null, "id", "title").definition()))
                .orElseThrow();
        TableContract begun = moving(full, "two", "one");

        assertThat(begun.elsewhere("one")).hasValueSatisfying(refusal -> assertThat(refusal)
                .hasMessageContaining("is being moved to the installation of keyspace two")
                .hasMessageContaining("tables move for table shop.album with --to two"));
        assertThat(begun.movingTo("two", "one", 1)).as("begun before").isEmpty();
        assertThatThrownBy(() -> begun.movingTo("three", "one", begun.revision()))
                .hasMessageContaining("is being moved to the installation of keyspace two");
        assertThatThrownBy(() -> full.movingTo("two", "one", full.revision() - 1))
                .hasMessageContaining("was changed meanwhile");

        TableContract taken = NONE.takenOver(begun, 0).orElseThrow();
        assertThat(taken.elsewhere("two")).isEmpty();
        assertThat(List.of(taken.identity(), taken.defaults(), taken.writes(), taken.definition()))
                .isEqualTo(List.of(full.identity(), full.defaults(), full.writes(), full.definition()));
        assertThat(taken.takenOver(begun, 0)).as("taken before").isEmpty();
        TableContract changed = taken.withoutDefault("title").orElseThrow();
        assertThat(changed.takenOver(begun, changed.revision()))
                .as("what was dropped since is not taken again")
                .isEmpty();

        TableContract left = begun.moved(begun.move()).orElseThrow();
        assertThat(left.moved(begun.move())).isEmpty();
        assertThat(left.drawing()).isEmpty();
        assertThat(left.columns()).as("rows keep their ids").containsExactly(IDENTITY);
        assertThat(left.writes()).isNull();
        assertThat(left.elsewhere("one")).hasValueSatisfying(refusal -> assertThat(refusal)
                .hasMessageContaining("was moved to the installation of keyspace two")
                .hasMessageContaining("globalKeyspace=two"));
    }

    @Test
    void shouldBeMovedBack() {
        TableContract one = moving(registered(IDENTITY), "two", "one");
        TableContract two = NONE.takenOver(one, 0).orElseThrow();
        TableContract left = one.moved(one.move()).orElseThrow();
        TableContract back = moving(two, "one", "two");

        TableContract again = left.takenOver(back, left.revision()).orElseThrow();

        assertThat(again.elsewhere("one")).isEmpty();
        assertThat(again.identity()).isEqualTo(IDENTITY);
        assertThat(again.revision()).isEqualTo(left.revision() + 1);
        TableContract away = back.moved(back.move()).orElseThrow();
        assertThatThrownBy(() -> away.takenOver(one, away.revision() - 1))
                .as("by a run that stood still since")
                .hasMessageContaining("was changed meanwhile");
        assertThatThrownBy(() -> moving(again, "two", "one").moved(one.move())).hasMessageContaining("any more");
    }

    @Test
    void shouldKeepItsOwnIdentityIfTwoInstallationsNumberTheTable() {
        IdentityColumn own = new IdentityColumn("shop", "album", "id", "other");
        TableContract begun = moving(
                Optional.of(registered(IDENTITY))
                        .flatMap(one -> one.withDefault(constant("title", "'x'")))
                        .orElseThrow(),
                "two",
                "one");
        TableContract here = registered(own);

        TableContract taken = here.takenOver(begun, here.revision()).orElseThrow();

        assertThat(taken.identity()).isEqualTo(own);
        assertThat(taken.defaults()).hasSize(1);
        TableContract another = registered(new IdentityColumn("shop", "album", "no", "other"));
        assertThatThrownBy(() -> another.takenOver(begun, another.revision()))
                .hasMessageContaining("has another identity");
        TableContract byDefault = NONE.withDefault(nextValue("id", "other")).orElseThrow();
        assertThatThrownBy(() -> byDefault.takenOver(begun, 1)).hasMessageContaining("has a default in the other");
        assertConflict(
                () -> counters("FOLDED").takenOver(begun, 1),
                "is a table of FOLDED counters, and cannot become a CQL table");
    }
}
