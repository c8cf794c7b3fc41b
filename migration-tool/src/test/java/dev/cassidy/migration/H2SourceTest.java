package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Test;

class H2SourceTest extends SourceContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.h2("source_contract");
    }

    @Override
    String oddName() {
        // H2 accepts brackets, but no closing bracket inside; SqlServerSourceTest and the test below cover that.
        return "Odd \"name; --";
    }

    /** Inserts a row when a table that refers to it is read, after MAX of its own. */
    public static final class InsertsInTheMiddle implements Trigger {

        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO [dbo].[Contract] ([x]) VALUES (9)");
            }
        }
    }

    @Test
    void shouldReadTheLastValueLast() {
        try (SourceDatabase database = connect();
                Source source = database.open()) {
            database.createTable("[dbo].[Contract]", "INT", 1, 1);
            database.insert("[dbo].[Contract]", 3);
            database.execute("CREATE TABLE [dbo].[Detail] ([of] INT REFERENCES [dbo].[Contract]([id]))");
            database.execute("CREATE TRIGGER [dbo].[middle] BEFORE SELECT ON [dbo].[Detail] CALL '"
                    + InsertsInTheMiddle.class.getName() + "'");

            Reading reading = source.read(columns -> columns).get(0);

            assertThat(reading.furthest()).isEqualTo(3);
            assertThat(reading.lastValue()).isEqualTo(4);
        }
    }

    @Test
    void shouldDoubleAClosingBracket() {
        try (SourceDatabase database = connect();
                Source source = database.open()) {
            assertThat(source.quote("a]b]]")).isEqualTo("[a]]b]]]]]");
        }
    }
}
