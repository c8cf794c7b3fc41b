package dev.cassidy.migration;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Opt-in: {@code -Dmssql.url=jdbc:sqlserver://...;databaseName=scratch}, with the password in SOURCE_PASSWORD. */
@EnabledIfSystemProperty(named = "mssql.url", matches = ".+", disabledReason = "no genuine SQL Server was named")
class SqlServerMigrationIT extends MigrationContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.sqlServer();
    }

    @Override
    String globalKeyspace() {
        return "migration_mssql";
    }
}
