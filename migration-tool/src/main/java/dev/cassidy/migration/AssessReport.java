package dev.cassidy.migration;

import dev.cassidy.migration.assess.Assessment;
import dev.cassidy.migration.assess.AssessmentPrinter;

/** Of {@code assess}. */
record AssessReport(Assessment assessment, int exitCode) implements Report {

    @Override
    public String text() {
        return new AssessmentPrinter(assessment).summary();
    }

    @Override
    public String json() {
        return new AssessmentPrinter(assessment).json(exitCode);
    }
}
