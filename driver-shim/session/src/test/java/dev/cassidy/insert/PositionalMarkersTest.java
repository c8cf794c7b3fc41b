package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PositionalMarkersTest {

    @Test
    void shouldPutQuestionMarksInPlaceOfNames() {
        PositionalMarkers found = PositionalMarkers.of(
                "UPDATE t SET a=:a, m['x:y'] = :\"B\", s = {'k': 1} WHERE id = ? IF a=:a /* :c */ AND d = ':e'");
        assertThat(found.text())
                .isEqualTo("UPDATE t SET a=?, m['x:y'] = ?, s = {'k': 1} WHERE id = ? IF a=? /* :c */ AND d = ':e'");
        assertThat(found.names()).containsExactly("a", "B", null, "a");
    }
}
