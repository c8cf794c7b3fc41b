package dev.cassidy.migration.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.SourceTable;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversionTest {

    private static MovedColumn column(String engine, String type, int length, @Nullable String collation) {
        SourceTable.Column from =
                new SourceTable.Column("code", type, length, 0, 0, false, null, collation, false, false);
        return new MovedColumn(
                "shop.c",
                from,
                TsqlType.of(engine, from),
                CqlIdentifier.fromInternal("code"),
                DataTypes.TEXT,
                true,
                null);
    }

    private static ResultSet giving(@Nullable String value) {
        return (ResultSet) Proxy.newProxyInstance(
                ResultSet.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                (proxy, method, arguments) -> value);
    }

    /** MySQL cuts the blanks off, and the JDBC driver binds a CHAR with them. */
    @ParameterizedTest
    @CsvSource({
        "char, 4, AB, 'AB  '",
        "char, 4, 'AB  ', 'AB  '",
        "char, 4, ABCD, ABCD",
        "varchar, 4, AB, AB",
        "char, 4, , "
    })
    void shouldFillUpStringsOfAFixedLength(String type, int length, @Nullable String given, @Nullable String stored)
            throws SQLException {
        Conversion conversion = new Conversion(column("MySQL", type, length, null), Optional.empty());

        assertThat(conversion.value(giving(given), 1, (column, kind, was, becomes) -> {}))
                .isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({
        "SQL Server, nvarchar, Latin1_General_CI_AS, true",
        "SQL Server, nvarchar, Latin1_General_CS_AI, true",
        "SQL Server, nvarchar, Latin1_General_CS_AS, false",
        "MySQL, varchar, utf8mb4_0900_ai_ci, true",
        "MariaDB, varchar, utf8mb4_uca1400_ai_cs, true",
        "MySQL, varchar, utf8mb4_bin, false",
        "PostgreSQL, citext, default, true",
        "PostgreSQL, character varying, nocase, true"
    })
    void shouldCountSpellingsThatTheSourceTakesForEqual(String engine, String type, String collation, boolean mayLose) {
        MovedColumn column = column(engine, type, 20, collation);

        assertThat(LossMeasure.mayLoseCase(column, List.of(column))).isEqualTo(mayLose);
    }

    @Test
    void shouldCountThemOnceBesideAKeyThatTellsThemApart() {
        MovedColumn column = column("SQL Server", "nvarchar", 20, "Latin1_General_CI_AS");
        MovedColumn finer = column.twinned(new Twin("Latin1_General_CS_AS", 1));
        MovedColumn same = column.twinned(new Twin("Latin1_General_CI_AS", 1));

        assertThat(LossMeasure.mayLoseCase(column, List.of(column, finer))).isTrue();
        assertThat(LossMeasure.mayLoseCase(finer, List.of(column, finer))).isFalse();
        assertThat(LossMeasure.mayLoseCase(column, List.of(column, same))).isFalse();
    }
}
