package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class KeyRequestTest {

    @Test
    void shouldRefuseNull() {
        assertThatThrownBy(() -> KeyRequest.indexes(null))
                .isInstanceOf(SQLException.class)
                .hasMessage("must not be null: columnIndexes");
        assertThatThrownBy(() -> KeyRequest.names(null))
                .isInstanceOf(SQLException.class)
                .hasMessage("must not be null: columnNames");
        assertThatThrownBy(() -> KeyRequest.names(new String[] {null}))
                .isInstanceOf(SQLException.class)
                .hasMessage("must not be null: columnNames=[null]");
    }
}
