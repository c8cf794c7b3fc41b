package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.Statement;

/** The configuration under which a statement is sent. */
public final class StatementProfile {

    private StatementProfile() {}

    /**
     * Returns the execution profile of a statement: its own, that of its name, or the default one.
     *
     * @throws IllegalArgumentException if there is none of its name
     */
    public static DriverExecutionProfile of(CqlSession session, Statement<?> statement) {
        DriverExecutionProfile own = statement.getExecutionProfile();
        if (own != null) {
            return own;
        }
        String name = statement.getExecutionProfileName();
        DriverConfig config = session.getContext().getConfig();
        return name == null || name.isEmpty() ? config.getDefaultProfile() : config.getProfile(name);
    }
}
