package dev.cassidy.benchmarks.report;

import java.util.Collection;

/** The median of measurements, which one disturbed round does not move. */
public final class Median {

    private Median() {}

    /** Returns the median; the mean of the two in the middle of an even number. Refuses an empty collection. */
    public static double of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("must not be empty: values=[]");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * Returns the value below which a part of the others lie.
     *
     * @param part from 0, for the least, to 1, for the greatest
     */
    public static double quantile(Collection<Double> values, double part) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("must not be empty: values=[]");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[(int) Math.round(part * (sorted.length - 1))];
    }
}
