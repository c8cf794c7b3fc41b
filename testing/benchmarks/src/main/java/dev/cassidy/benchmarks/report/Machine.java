package dev.cassidy.benchmarks.report;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What the figures were measured on. */
public final class Machine {

    private Machine() {}

    public static String description() {
        return Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ", JDK " + Runtime.version() + ", load average at the start "
                + String.format(
                        Locale.ROOT,
                        "%.1f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
