package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.value.Column;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CursorTest {

    private static Cursor listed(int from, int to) {
        return new Cursor.Listed(
                List.of(Column.of("n", DataTypes.INT)),
                IntStream.range(from, to).mapToObj(List::of).toList());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "2, 2", "3, 3", "4, 4", "5, 4"})
    void shouldEndAtTheLimitOrWithTheLastPart(long limit, int rows) throws SQLException {
        Cursor chained = new Cursor.Chained(
                Stream.of(listed(0, 2), listed(2, 2), listed(2, 4)).toList(), limit);
        List<Object> read = new ArrayList<>();
        while (chained.next()) {
            read.add(chained.value(0));
        }

        assertThat(read)
                .isEqualTo(
                        IntStream.range(0, rows).boxed().map(Object.class::cast).toList());
        assertThat(chained.next()).isFalse();
        assertThatThrownBy(() -> chained.value(0)).isInstanceOf(SQLException.class);
    }
}
