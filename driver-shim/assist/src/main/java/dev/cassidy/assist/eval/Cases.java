package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.util.List;

/** Writes CASE, and finds the type of what stands for one of several values. */
final class Cases {

    private Cases() {}

    /**
     * Writes a CASE.
     *
     * @param results one for each condition, and one for the rest
     */
    static Typed write(List<String> conditions, List<Typed> results) {
        SqlType type = common(results);
        StringBuilder sql = new StringBuilder("CASE");
        for (int i = 0; i < conditions.size(); i++) {
            sql.append(" WHEN ")
                    .append(conditions.get(i))
                    .append(" THEN ")
                    .append(Casts.implicit(results.get(i), type).sql());
        }
        sql.append(" ELSE ")
                .append(Casts.implicit(results.get(results.size() - 1), type).sql())
                .append(" END");
        return new Typed("(" + sql + ")", type, 0, results.stream().allMatch(Typed::unknown));
    }

    /** Returns the type that has the values of all. */
    static SqlType common(List<Typed> values) {
        Typed all = values.get(0);
        for (Typed each : values) {
            SqlType type = TypeRules.common(all, each);
            all = new Typed("", type, Math.max(all.digits(), each.digits()), all.unknown() && each.unknown());
        }
        return all.type();
    }
}
