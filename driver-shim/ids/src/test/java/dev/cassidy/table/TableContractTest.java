package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
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

    private static TableWrites writes(TableWrites.Mode mode, boolean changing) {
        return new TableWrites("shop", "album", mode, "", changing);
    }

    @Test
    void shouldKeepWhatOthersDeclared() {
        TableContract contract = NONE.withIdentity(IDENTITY)
                .flatMap(one -> one.withDefault(constant("title", "'x'")))
                .flatMap(two -> two.beginning(writes(TableWrites.Mode.CONDITIONAL, false)))
                .flatMap(three -> three.withDefault(constant("at", "0")))
                .orElseThrow();

        assertThat(contract.identity()).isEqualTo(IDENTITY);
        assertThat(contract.defaults()).extracting(ColumnDefault::column).containsExactly("at", "title");
        assertThat(contract.writes()).isEqualTo(writes(TableWrites.Mode.CONDITIONAL, true));
        assertThat(contract.revision()).isEqualTo(4);
    }

    @Test
    void shouldNotChangeForWhatItHas() {
        TableContract contract = NONE.withIdentity(IDENTITY)
                .flatMap(one -> one.withDefault(constant("n", "1")))
                .orElseThrow();

        assertThat(contract.withIdentity(IDENTITY)).isEmpty();
        assertThat(contract.withDefault(constant("n", "1"))).isEmpty();
        assertThat(contract.withoutDefault("other")).isEmpty();
        assertThatThrownBy(() -> contract.withIdentity(new IdentityColumn("shop", "album", "no", "shop.album")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("shop.album has another identity");
        assertThatThrownBy(() -> contract.withDefault(constant("n", "2")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("ALTER TABLE album DROP CONSTRAINT df_n");
    }

    @Test
    void shouldRememberWhichColumnsDrewFromASequence() {
        TableContract contract = NONE.withIdentity(IDENTITY)
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
        TableWrites begun = writes(TableWrites.Mode.CONDITIONAL, true);
        TableContract contract = NONE.beginning(begun).orElseThrow();
        TableWrites versioned = new TableWrites("shop", "album", TableWrites.Mode.VERSIONED, "rev", true);

        assertThat(contract.beginning(begun)).as("the same again").isEmpty();
        assertThatThrownBy(() -> contract.beginning(versioned)).hasMessageContaining("complete that first");
        assertThat(contract.completed(versioned)).isEmpty();
        TableContract complete = contract.completed(begun).orElseThrow();
        assertThat(complete.writes()).isEqualTo(writes(TableWrites.Mode.CONDITIONAL, false));
        assertThat(complete.completed(begun)).isEmpty();
        assertThatThrownBy(() -> complete.beginning(writes(TableWrites.Mode.PLAIN, false)))
                .hasMessageContaining("stays so");
        assertThat(complete.beginning(versioned).orElseThrow().writes()).isEqualTo(versioned);
    }
}
