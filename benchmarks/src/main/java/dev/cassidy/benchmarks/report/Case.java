package dev.cassidy.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One claim, and what was measured of it.
 *
 * @param name fixed: whoever follows a figure over time looks it up by this
 * @param contestants whom {@code ours} and {@code rival} belong to
 * @param ours our median
 * @param rival the rival's median in the same rounds, or the limit that the claim names
 * @param unit of both
 * @param ratio arranged so that larger is better
 * @param goal the least ratio that the project promises; null where the figure only informs
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
        // Nothing at all is as far below the limit as can be said with a number that JSON has.
        double ratio = ours == 0 ? Double.MAX_VALUE : limit / ours;
        return new Case(name, contestants, ours, limit, unit, ratio, 1.0, Map.of());
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
