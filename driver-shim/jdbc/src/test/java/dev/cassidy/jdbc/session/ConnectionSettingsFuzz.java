package dev.cassidy.jdbc.session;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Properties;

/**
 * A target for Jazzer. Any URL is accepted, or refused by an SQLException. Accepted settings can be written and read
 * again.
 */
public final class ConnectionSettingsFuzz {

    private ConnectionSettingsFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String url = ConnectionSettings.PREFIX + new String(data, StandardCharsets.UTF_8);
        ConnectionSettings settings;
        try {
            settings = ConnectionSettings.parse(url, new Properties());
        } catch (SQLException refused) {
            return;
        }
        try {
            ConnectionSettings again = ConnectionSettings.parse(settings.url(), new Properties());
            if (!again.endpoints().equals(settings.endpoints())
                    || !again.keyspace().equals(settings.keyspace())
                    || !again.url().equals(settings.url())) {
                throw new IllegalStateException(again + " for " + settings);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot be read again: " + settings, e);
        }
    }
}
