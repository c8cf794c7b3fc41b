package dev.cassidy.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One claim, and its measurements.
 *
 * @param name fixed, because figures are followed over time by this name
 * @param contestants the owners of {@code ours} and {@code rival}
 * @param ours our median
 * @param rival the rival's median in the same rounds, or the limit that the claim names
 * @param unit of both
 * @param ratio arranged so that larger is better
 * @param goal the lowest ratio that the project promises; null if the figure only informs
 * @param details more figures of the same rounds, by name
 */
public record Case(
        String name,
        String contestants,
        double ours,
        double rival,
        String unit,
        double ratio,
        @Nullable Double goal,
        Map<String, Double> details) {

    /** A case in which less is better, as in nanoseconds an id. */
    public static Case lessIsBetter(String name, String contestants, double ours, double rival, String unit) {
        return new Case(name, contestants, ours, rival, unit, rival / ours, null, Map.of());
    }

    /** A case in which more is better, as in ids a second. */
    public static Case moreIsBetter(String name, String contestants, double ours, double rival, String unit) {
        return new Case(name, contestants, ours, rival, unit, ours / rival, null, Map.of());
    }

    /** A case that holds {@code ours} against a limit which it must not exceed; the goal is a ratio of 1. */
    public static Case atMost(String name, String contestants, double ours, double limit, String unit) {
        // Farther below the limit than a number can express, and so reported without one.
        double ratio = ours == 0 ? Double.MAX_VALUE : limit / ours;
        return new Case(name, contestants, ours, limit, unit, ratio, 1.0, Map.of());
    }

    /** A case that says that something never happened; without a ratio that would say more. */
    public static Case none(String name, String contestants, long times, String unit) {
        return new Case(name, contestants, times, 0, unit, times == 0 ? 1 : 0, 1.0, Map.of());
    }

    public Case withGoal(double least) {
        return new Case(name, contestants, ours, rival, unit, ratio, least, details);
    }

    public Case with(String detail, double value) {
        Map<String, Double> more = new LinkedHashMap<>(details);
        more.put(detail, value);
        return new Case(name, contestants, ours, rival, unit, ratio, goal, more);
    }

    /** Whether the goal is met; empty where there is none. */
    public Optional<Boolean> met() {
        return goal == null ? Optional.empty() : Optional.of(ratio >= goal);
    }
}
