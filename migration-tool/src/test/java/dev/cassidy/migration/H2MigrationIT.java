package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Test;

class H2MigrationIT extends MigrationContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.h2("migration_it");
    }

    @Override
    String globalKeyspace() {
        return "migration_h2";
    }

    /** Inserts a row when the table is read for the third time. */
    public static final class InsertsOnTheThirdLook implements Trigger {

        private int looks;

        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) throws SQLException {
            looks++;
            if (looks == 3) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("INSERT INTO " + A + " ([x]) VALUES (3)");
                }
            }
        }
    }

    @Test
    void shouldReportThatTheSourceChangedWhileItWasSeeded() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        source.execute("CREATE TRIGGER [dbo].[late] BEFORE SELECT ON " + A + " CALL '"
                + InsertsOnTheThirdLook.class.getName() + "'");

        ToolRun run = seed();

        assertExit(
                run,
                ExitCode.RISK,
                "the source changed while it was seeded",
                "was dbo.Aardvark (furthest 3, last value 3), is dbo.Aardvark (furthest 4, last value 4)");
        assertThat(run.tables("result")).containsEntry("dbo.Aardvark", "seeded");
    }
}
