package dev.cassidy.jdbc;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Lets the tests of a class check an application on H2. */
final class CheckSwitch implements BeforeAllCallback, AfterAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        System.setProperty("cassidy.check", "true");
        System.setProperty("cassidy.check.databases", "jdbc:h2:");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.clearProperty("cassidy.check");
        System.clearProperty("cassidy.check.databases");
    }
}
