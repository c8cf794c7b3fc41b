package dev.cassidy.migration;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Opt-in: {@code -Dmssql.url=jdbc:sqlserver://...;databaseName=scratch}, with the password in SOURCE_PASSWORD. */
@EnabledIfSystemProperty(named = "mssql.url", matches = ".+", disabledReason = "no genuine SQL Server was named")
class SqlServerSourceTest extends SourceContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.sqlServer();
    }

    @Override
    String oddName() {
        return "Odd ]name]] \"; --";
    }
}
