package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of a password that is sent without TLS to another machine, once for each list of hosts. Safe for use by many threads. */
final class PlainPasswords {

    private static final Logger LOG = LoggerFactory.getLogger(PlainPasswords.class);

    /** The hosts come from URLs. */
    private static final int MAX_HOSTS = 1000;

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    void warn(ConnectionSettings settings, DriverExecutionProfile config, List<InetSocketAddress> addresses) {
        boolean password = settings.user().isPresent() || config.isDefined(DefaultDriverOption.AUTH_PROVIDER_PASSWORD);
        if (!password || Tls.isConfigured(config)) {
            return;
        }
        for (InetSocketAddress address : addresses) {
            boolean remote = address.isUnresolved() || !address.getAddress().isLoopbackAddress();
            if (remote && warned.size() < MAX_HOSTS && warned.add(settings.hosts())) {
                LOG.warn(
                        "A password goes to {} without TLS, and anyone who can read that traffic can read it: connect with"
                                + " ssl=true. With requireTls=true a connection without TLS is refused",
                        address);
                return;
            }
        }
    }
}
