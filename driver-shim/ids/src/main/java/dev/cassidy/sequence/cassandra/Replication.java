package dev.cassidy.sequence.cassandra;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The number of replicas in each datacenter, written as {@code dc1:3,dc2:3}.
 *
 * @param factors the replication factor by datacenter name, case-sensitive, in the given order
 */
public record Replication(Map<String, Integer> factors) {

    public Replication {
        factors = Collections.unmodifiableMap(new LinkedHashMap<>(factors));
        if (factors.isEmpty()) {
            throw new IllegalArgumentException("must name at least one datacenter, for example dc1:3: replication=''");
        }
        factors.forEach((datacenter, factor) -> {
            if (datacenter.isBlank() || factor < 1) {
                throw new IllegalArgumentException("must be datacenter:factor with factor >= 1, for example dc1:3: '"
                        + datacenter + ":" + factor + "'");
            }
        });
    }

    /**
     * Parses {@code dc1:3,dc2:3}.
     *
     * @throws IllegalArgumentException if a part has another form; the message names it
     */
    public static Replication parse(String text) {
        Map<String, Integer> factors = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int colon = part.lastIndexOf(':');
            String datacenter = colon < 0 ? "" : part.substring(0, colon).trim();
            String factor = part.substring(colon + 1).trim();
            if (datacenter.isEmpty() || !factor.matches("[1-9][0-9]{0,2}")) {
                throw new IllegalArgumentException("must be datacenter:factor[,datacenter:factor...], for example"
                        + " dc1:3,dc2:3: '" + part.trim() + "' in replication='" + text + "'");
            }
            if (factors.put(datacenter, Integer.valueOf(factor)) != null) {
                throw new IllegalArgumentException(
                        "names datacenter " + datacenter + " twice: replication='" + text + "'");
            }
        }
        return new Replication(factors);
    }
}
