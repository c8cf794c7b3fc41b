package dev.cassidy.recorder;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A few of the places in the application that do something. Safe for use by many threads. */
final class CallSites {

    private static final int MAX_SITES = 3;

    /** Later calls are looked at when their number is a power of two: a stack trace costs more than the rest of a record. */
    private static final int ALWAYS = 16;

    /** Packages that call JDBC for the application; the frame above them is the application. */
    private static final String[] NOT_THE_APPLICATION = {
        "dev.cassidy.recorder.",
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "com.microsoft.sqlserver.",
        "com.mchange.",
        "com.p6spy.",
        "com.zaxxer.",
        "io.agroal.",
        "io.ebean.",
        "net.sourceforge.jtds.",
        "net.ttddyy.",
        "oracle.ucp.",
        "org.apache.commons.dbcp",
        "org.apache.commons.dbutils.",
        "org.apache.ibatis.",
        "org.apache.tomcat.",
        "org.eclipse.persistence.",
        "org.hibernate.",
        "org.jdbi.",
        "org.jooq.",
        "org.mybatis.",
        "org.springframework.",
    };

    private final Set<String> sites = ConcurrentHashMap.newKeySet();

    /**
     * Returns the place of this call if it is a new one.
     *
     * @param number of this call, from 1 on
     */
    @Nullable
    String site(long number) {
        if (sites.size() >= MAX_SITES || (number > ALWAYS && Long.bitCount(number) != 1)) {
            return null;
        }
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (isApplication(frame.getClassName())) {
                String site = frame.getClassName() + '.' + frame.getMethodName() + ':' + frame.getLineNumber();
                return sites.add(site) ? site : null;
            }
        }
        return null;
    }

    private static boolean isApplication(String type) {
        // Proxies of a module have its name and a number.
        for (String other : NOT_THE_APPLICATION) {
            if (type.startsWith(other)) {
                return false;
            }
        }
        return !type.contains(".$Proxy") && !type.startsWith("$Proxy") && !type.contains("$$");
    }
}
