package org.apache.cassandra.security;

import java.security.PermissionCollection;
import java.security.Permissions;

/**
 * In the place of Cassandra's class of this name on JDK 24 and later, which have no Security Manager: functions run without
 * a sandbox. Fit for a node of tests and demonstrations, which only local programs reach.
 */
public final class ThreadAwareSecurityManager {

    public static final PermissionCollection noPermissions = none();

    private ThreadAwareSecurityManager() {}

    public static void install() {
        // There is nothing to install.
    }

    public static boolean isSecuredThread() {
        return false;
    }

    private static PermissionCollection none() {
        Permissions none = new Permissions();
        none.setReadOnly();
        return none;
    }
}
