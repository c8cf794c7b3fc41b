package dev.cassidy.jdbc;

/** The version that the driver and its metadata report. */
final class DriverVersion {

    static final int MAJOR = 0;
    static final int MINOR = 1;

    private DriverVersion() {}
}
