package dev.cassidy.transaction.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LastUsedTest {

    @Test
    void shouldForgetWhatWasNotUsedForLongest() {
        LastUsed<Integer> numbers = new LastUsed<>(2);
        numbers.put("one", 1);
        numbers.put("two", 2);
        numbers.put("two", 22);
        assertThat(numbers.get("one")).isEqualTo(1);

        numbers.put("three", 3);

        assertThat(numbers.get("two")).isNull();
        assertThat(numbers.get("one")).isEqualTo(1);
        assertThat(numbers.get("three")).isEqualTo(3);
    }
}
