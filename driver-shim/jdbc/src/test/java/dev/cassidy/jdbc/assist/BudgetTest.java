package dev.cassidy.jdbc.assist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetTest {

    private static final TableModel ITEM = new TableModel("shop", "item", List.of(), List.of(), List.of(), false);

    private final Budget budget = new Budget(100, 20, 4_096, Duration.ofSeconds(1));

    @Test
    void shouldEndAtEachBound() {
        budget.rows(ITEM, 100);
        assertThatExceptionOfType(BoundExceededException.class)
                .isThrownBy(() -> budget.rows(ITEM, 1))
                .withMessage("more than 100 rows of shop.item and the tables read before it")
                .satisfies(e -> assertThat(e.bound()).isEqualTo(Bound.ROWS));
        budget.bytes(ITEM, 4_096);
        assertThatExceptionOfType(BoundExceededException.class)
                .isThrownBy(() -> budget.bytes(ITEM, 1))
                .withMessageStartingWith("more than 4096 bytes of values of shop.item")
                .satisfies(e -> assertThat(e.bound()).isEqualTo(Bound.BYTES));
        assertThatExceptionOfType(BoundExceededException.class)
                .isThrownBy(() -> new Budget(1, 1).bytes(ITEM, Budget.MAX_BYTES + 1))
                .withMessageStartingWith("more than 16 MiB of values of shop.item");
        assertThatExceptionOfType(BoundExceededException.class)
                .isThrownBy(() -> budget.requests(ITEM, Integer.MAX_VALUE))
                .satisfies(e -> assertThat(e.bound()).isEqualTo(Bound.REQUESTS));
    }

    @Test
    void shouldTellOfWhichBoundMostWasUsed() {
        budget.rows(ITEM, 40);
        budget.requests(ITEM, 1);
        assertThat(budget.mostUsed()).isEqualTo(new Budget.Use(Bound.ROWS, 40, 100, null));
        budget.bytes(ITEM, 2_049);
        assertThat(budget.mostUsed()).isEqualTo(new Budget.Use(Bound.BYTES, 2_049, 4_096, null));
        budget.scanned(ITEM, 9, 10);
        budget.scanned(ITEM, 3, 10);
        assertThat(budget.mostUsed()).isEqualTo(new Budget.Use(Bound.SCAN, 9, 10, ITEM));
        budget.requests(ITEM, 18);
        assertThat(budget.mostUsed()).isEqualTo(new Budget.Use(Bound.REQUESTS, 19, 20, null));
        assertThat(budget.mostUsed().percent()).isEqualTo(95);
        assertThat(budget.mostUsed().isOver(94)).isTrue();
        assertThat(budget.mostUsed().isOver(95)).isFalse();
    }
}
