package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnListTest {

    private static final ColumnDefinition KNOWN =
            new ColumnDefinition("a", "A", SqlType.parse("nvarchar(5)").orElseThrow(), true, "Latin1_General_BIN");

    private static ColumnDefinition column(String name, String label, String type, boolean required, String collation) {
        return new ColumnDefinition(name, label, SqlType.parse(type).orElseThrow(), required, collation);
    }

    @Test
    void shouldReadWhatCreateTableWrites() {
        List<ColumnList.Written> written = new ColumnList(
                        "Id int NOT NULL, \"Unit Price\" decimal(10, 2),[b c] [nvarchar] ( max ) COLLATE Latin1_General_CI_AS"
                                + " null , d double precision, e character varying(7) not null collate x")
                .read();

        assertThat(written)
                .extracting(each -> each.over(ColumnDefinition.named(each.name())))
                .containsExactly(
                        column("id", "Id", "int", true, ""),
                        column("Unit Price", "Unit Price", "decimal(10,2)", false, ""),
                        column("b c", "b c", "nvarchar(max)", false, "Latin1_General_CI_AS"),
                        column("d", "d", "float", false, ""),
                        column("e", "e", "varchar(7)", true, "x"));
    }

    /** A column of which the type is written is as CREATE TABLE makes it; otherwise all that is not written stays. */
    @Test
    void shouldLeaveWhatIsNotWritten() {
        assertThat(over("a")).isEqualTo(KNOWN);
        assertThat(over("\"a\" null")).isEqualTo(column("a", "A", "nvarchar(5)", false, "Latin1_General_BIN"));
        assertThat(over("a collate x")).isEqualTo(column("a", "A", "nvarchar(5)", true, "x"));
        assertThat(over("a varchar(9)")).isEqualTo(column("a", "A", "varchar(9)", false, ""));
        assertThat(over("[A]").label()).isEqualTo("A");
    }

    private static ColumnDefinition over(String text) {
        return new ColumnList(text).read().get(0).over(KNOWN);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''               | an incomplete list of columns
                    a,               | an incomplete list of columns
                    a int, , b       | ',' in a list of columns
                    a int primary key| 'primary' in a list of columns
                    a list<int>      | type list is not supported: give a type of T-SQL
                    a rowversion     | type rowversion is not supported
                    a decimal(1,2,3) | type decimal(1,2,3) is not supported
                    a varchar(5      | an incomplete statement
                    a not            | 'not' in a list of columns
                    a int) b         | ')' in a list of columns
                    1 int            | '1' in a list of columns
                    a 'int'          | ''int'' in a list of columns
                    """, quoteCharacter = '~')
    void shouldNameWhatIsNoColumn(String text, String message) {
        assertThatThrownBy(() -> new ColumnList(text.equals("''") ? "" : text).read())
                .isInstanceOf(UnsupportedSqlException.class)
                .hasMessageContaining(message);
    }
}
