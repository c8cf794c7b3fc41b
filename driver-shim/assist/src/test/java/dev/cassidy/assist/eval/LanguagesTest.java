package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.SessionLanguage.Names;
import dev.cassidy.jdbc.assist.SessionLanguage.Order;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What SET DATEFORMAT, SET DATEFIRST and SET LANGUAGE decide. */
class LanguagesTest {

    private static final SessionLanguage UNSET = SessionLanguage.unset();

    @AutoClose
    private final Engine engine = Shop.engine();

    private String value(SessionLanguage language, String expression) {
        return Shop.shown(Shop.empty()
                .evaluate(engine, language, "SELECT " + expression)
                .rows()
                .get(0)[0]);
    }

    @ParameterizedTest
    @CsvSource({
        "MDY, '02/01/2024', 2024-02-01",
        "DMY, '02/01/2024', 2024-01-02",
        "YMD, '02/01/03', 2002-01-03",
        "DMY, '31.12.24 10:00', 2024-12-31",
        "DMY, '2024-02-01', 2024-02-01",
        "DMY, '20240201', 2024-02-01",
    })
    void shouldReadDatesInTheOrderOfTheSession(Order order, String text, String date) {
        SessionLanguage language = UNSET.withOrder(order);
        assertThat(value(language, "CAST('" + text + "' AS date)")).isEqualTo(date);
        assertThat(Shop.empty()
                        .evaluate(
                                engine, language, "SELECT CASE WHEN CAST('" + date + "' AS date) = ? THEN 1 END", text)
                        .rows()
                        .get(0)[0])
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CAST('02/01/2024' AS date)",
                "CAST('02/01/2024 10:00' AS datetime)",
                "CONVERT(date, '02/01/2024')",
                "CONVERT(date, '02/01/2024', 100)",
                "TRY_CAST('02/01/2024' AS date)",
                "TRY_CONVERT(datetime2, '2.1.24')",
                "ISDATE('02-01-2024')",
                "YEAR('02/01/2024')",
                "CASE WHEN CAST('2024-01-02' AS date) = '02/01/2024' THEN 1 END",
            })
    void shouldRefuseAnAmbiguousDateWithoutAnOrder(String expression) {
        assertThatThrownBy(() -> value(UNSET, expression))
                .isInstanceOfSatisfying(EvaluationException.class, failure -> assertThat(failure.number())
                        .isEqualTo(241))
                .hasMessageContaining("in SQL Server its order depends on the language of the session");
    }

    @Test
    void shouldReadDatesOfAStyleWithoutAnOrder() {
        assertThat(value(UNSET, "CONVERT(date, '02/01/2024', 103)")).isEqualTo("2024-01-02");
        assertThat(value(UNSET, "CONVERT(date, '02/01/2024', 101)")).isEqualTo("2024-02-01");
    }

    /** 2024-01-01 was a Monday, and 2007-10-30 a Tuesday. */
    @ParameterizedTest
    @CsvSource({
        "7, 2007-10-30, 3, 44",
        "1, 2007-10-30, 2, 44",
        "7, 2007-10-28, 1, 44",
        "1, 2007-10-28, 7, 43",
        "3, 2007-10-30, 7, 44",
        "1, 2024-01-07, 7, 1",
        "1, 2024-01-08, 1, 2",
        "7, 2024-01-07, 1, 2",
    })
    void shouldBeginWeeksOnTheFirstDay(int first, String date, String weekday, String week) {
        SessionLanguage language = UNSET.withFirstDay(first);
        assertThat(value(language, "DATEPART(dw, '" + date + "')")).isEqualTo(weekday);
        assertThat(value(language, "DATEPART(week, '" + date + "')")).isEqualTo(week);
        assertThat(value(language, "DATENAME(week, '" + date + "')")).isEqualTo(week);
        // Whatever DATEFIRST says.
        assertThat(value(language, "DATEDIFF(week, '2007-10-27', '2007-10-28')"))
                .isEqualTo("1");
        assertThat(value(language, "DATEPART(iso_week, '2007-10-30')")).isEqualTo("44");
    }

    @Test
    void shouldRefuseDaysOfWeeksThatBeginOnADayUnknown() {
        assertThatThrownBy(() -> value(UNSET.withFirstDay(0), "DATEPART(dw, '2007-10-30')"))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("SET DATEFIRST");
        assertThat(value(UNSET.withFirstDay(0), "DATEPART(day, '2007-10-30')")).isEqualTo("30");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DATENAME(month, '2007-10-30')",
                "DATENAME(dw, '2007-10-30')",
                "CAST('Jan 2 2006' AS datetime)",
                "CONVERT(varchar(30), CAST('2006-01-02' AS datetime))",
                "FORMAT(CAST('2006-01-02' AS date), 'MMM')",
                "FORMAT(1234.5, 'N2')",
            })
    void shouldRefuseNamesOfAnotherLanguage(String expression) {
        assertThatThrownBy(() -> value(UNSET.withNames(Names.OTHER), expression))
                .isInstanceOf(NotEvaluatedException.class);
    }

    @Test
    void shouldGiveEnglishNamesWhereTheyAreSo() {
        SessionLanguage british = UNSET.withNames(Names.BRITISH);
        assertThat(value(british, "DATENAME(month, '2007-10-30')")).isEqualTo("October");
        assertThat(value(UNSET.withNames(Names.OTHER), "DATENAME(year, '2007-10-30')"))
                .isEqualTo("2007");
        assertThat(value(UNSET.withNames(Names.OTHER), "FORMAT(1234.5, 'N2', 'en-US')"))
                .isEqualTo("1,234.50");
        assertThatThrownBy(() -> value(british, "FORMAT(CAST('2006-01-02' AS date), 'd')"))
                .isInstanceOf(NotEvaluatedException.class);
    }
}
