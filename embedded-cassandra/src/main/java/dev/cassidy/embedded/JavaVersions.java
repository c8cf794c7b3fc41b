package dev.cassidy.embedded;

/** Which JDKs can host Cassandra 5.0. */
final class JavaVersions {
    private static final int OLDEST = 17;
    private static final int FIRST_WITHOUT_SECURITY_MANAGER = 24;

    private JavaVersions() {}

    static void requireHost(int feature, String javaHome) {
        if (feature >= FIRST_WITHOUT_SECURITY_MANAGER) {
            throw new EmbeddedCassandraException("Cassandra 5.0 needs the Security Manager, which JDK "
                    + FIRST_WITHOUT_SECURITY_MANAGER + " removed: this is JDK " + feature + " at " + javaHome
                    + ". Install a JDK 17 and run again with JAVA_HOME set to it, e.g. export"
                    + " JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64");
        }
        if (feature < OLDEST) {
            throw new EmbeddedCassandraException("needs JDK " + OLDEST + " or later: this is JDK " + feature + " at "
                    + javaHome + ". Run again with JAVA_HOME set to a JDK 17");
        }
    }
}
