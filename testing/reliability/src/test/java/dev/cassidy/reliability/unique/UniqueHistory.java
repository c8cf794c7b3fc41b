package dev.cassidy.reliability.unique;

import dev.cassidy.reliability.program.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What registrars did and were told, and the rows and reservations that stand in the end. It knows nothing of the driver and of
 * Cassandra: it holds what is told against what UNIQUE promises. {@link Registrar} says what the operations are.
 */
final class UniqueHistory {

    /** Stand for blanks at the end of a value. */
    private static final Pattern BLANKS = Pattern.compile("_+$");

    static final List<String> COLUMNS = List.of("email", "code");

    /** A row in the end; values as they are recorded. */
    record Account(String email, String code, int n) {

        String value(String column) {
            return column.equals("email") ? email : code;
        }
    }

    /** A value that is reserved in the end for a row. */
    record Reservation(String column, String value, String id) {}

    /**
     * What is there in the end.
     *
     * @param accounts by id
     * @param held rows that somebody still holds
     */
    record End(Map<String, Account> accounts, List<Reservation> reservations, List<String> held) {}

    /** States that faults, and others that write the same rows, explain; HY000 is a replica that failed. */
    private static final Pattern EXPLAINED = Pattern.compile("HYT00|HY000|08...|40001");

    /**
     * What became of a change.
     *
     * @param over when it had taken effect if it ever did. The error of a write in doubt does not say that: a node that stood still
     *     may apply it later, if what it compares still holds; it has certainly taken effect when somebody has seen it
     * @param sure whether it took effect, and not perhaps
     */
    private record Effect(Operation write, Change change, String id, long over, boolean sure) {

        boolean isOf(String row) {
            return id.equals(row);
        }

        /** Returns whether it is an effect on a row that nobody knows, which may be any. */
        boolean isOfAny() {
            return id.equals(Change.NONE);
        }

        boolean isBefore(Effect other) {
            return isBefore(other.write);
        }

        boolean isBefore(Operation other) {
            return over < other.begin();
        }

        boolean gives(String column) {
            return !change.given(column).equals(Change.NONE);
        }

        /** Returns whether a row does not have its value of a column any more. */
        boolean takes(String column) {
            return change.removes() || gives(column);
        }
    }

    private final List<Operation> operations;
    private final End end;
    private final List<Effect> effects = new ArrayList<>();
    private final Map<Integer, Effect> byStamp = new HashMap<>();
    private final Map<Integer, Operation> withoutEffect = new HashMap<>();
    private final List<String> violations = new ArrayList<>();

    UniqueHistory(Collection<Operation> operations, End end) {
        this.operations = List.copyOf(operations);
        this.end = end;
    }

    private void require(boolean holds, String what, Object... evidence) {
        if (!holds) {
            violations.add(what + ": " + Arrays.asList(evidence));
        }
    }

    /** Returns a value as it is compared. */
    static String folded(String value) {
        return BLANKS.matcher(value.toLowerCase(Locale.ROOT)).replaceFirst("");
    }

    /** Returns what contradicts that no two rows have a value, that no value is lost, and that each write did as it was told. */
    List<String> violations() {
        end.held().forEach(row -> require(false, "a row is held in the end", row));
        judgeReservations();
        Map<Integer, Long> seen = seen();
        all("write").forEach(one -> effects(one, seen));
        effects.forEach(each -> byStamp.put(each.change().stamp(), each));
        operations.forEach(this::judgeError);
        end.accounts().forEach(this::judgeRow);
        effects.stream().filter(Effect::sure).forEach(this::judgeEffect);
        all("write").forEach(this::judgeCounts);
        all("write").filter(one -> state(one).equals("duplicate")).forEach(this::judgeDuplicate);
        all("look").forEach(this::judgeLook);
        return List.copyOf(violations);
    }

    /** Returns what contradicts that each row's values are reserved for it, and nothing else is. */
    List<String> reservationsAlone() {
        judgeReservations();
        return List.copyOf(violations);
    }

    private Stream<Operation> all(String kind) {
        return operations.stream().filter(one -> one.is(kind));
    }

    // ---- outcomes

    private static String word(Operation one, int index) {
        String[] words = one.outcome() == null ? new String[0] : one.outcome().split(" ", -1);
        return index < words.length ? words[index] : "";
    }

    private static String state(Operation one) {
        return word(one, 0).split(":", -1)[0];
    }

    private static String detail(Operation one) {
        String[] words = word(one, 0).split(":", -1);
        return words.length > 1 ? words[1] : "";
    }

    /** Returns whether it certainly did nothing. */
    private static boolean isNothing(Operation one) {
        return state(one).equals("failed") || state(one).equals("duplicate");
    }

    private static List<Change> changes(Operation write) {
        return Change.all(write.argument(1));
    }

    private static String each(Operation write, int word, int index) {
        String[] values = word(write, word).split(",", -1);
        return index < values.length && !values[index].isEmpty() ? values[index] : Change.NONE;
    }

    /** Returns the stamps that somebody has seen, with the time, or that are there in the end: what wrote them is committed. */
    private Map<Integer, Long> seen() {
        Map<Integer, Long> seen = new HashMap<>();
        end.accounts().values().forEach(account -> seen.put(account.n(), Long.MAX_VALUE));
        all("look")
                .filter(one -> word(one, 0).equals("seen"))
                .forEach(one -> seen.merge(Integer.valueOf(word(one, 3)), one.end(), Math::min));
        return seen;
    }

    private void effects(Operation write, Map<Integer, Long> seen) {
        List<Change> changes = changes(write);
        if (isNothing(write)) {
            changes.forEach(change -> withoutEffect.put(change.stamp(), write));
            return;
        }
        boolean committed = state(write).equals("committed")
                || changes.stream().anyMatch(change -> seen.containsKey(change.stamp()));
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            String count = each(write, 1, i);
            if (count.equals("0")) {
                withoutEffect.put(change.stamp(), write);
                continue;
            }
            boolean counted = count.equals("1") || seen.containsKey(change.stamp());
            long over = write.isInDoubt() ? seen.getOrDefault(change.stamp(), Long.MAX_VALUE) : write.end();
            effects.add(new Effect(write, change, id(write, change, i), over, committed && counted));
        }
    }

    private String id(Operation write, Change change, int index) {
        if (change.kind() != Change.Kind.INSERT) {
            return change.id();
        }
        String told = each(write, 2, index);
        if (!told.equals(Change.NONE)) {
            return told;
        }
        return end.accounts().entrySet().stream()
                .filter(row -> row.getValue().n() == change.stamp())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(Change.NONE);
    }

    private void judgeError(Operation one) {
        if (state(one).equals("failed") || state(one).equals("error")) {
            require(EXPLAINED.matcher(detail(one)).matches(), "an error that the faults do not explain", one);
        }
    }

    // ---- reservations

    private void judgeReservations() {
        for (String column : COLUMNS) {
            Map<String, List<String>> rows = new TreeMap<>();
            end.accounts()
                    .forEach((id, row) -> rows.computeIfAbsent(folded(row.value(column)), value -> new ArrayList<>())
                            .add(id));
            rows.forEach((value, ids) -> require(ids.size() == 1, "two rows have one " + column, value, ids));
            Map<String, String> reserved = new TreeMap<>();
            for (Reservation each : end.reservations()) {
                if (each.column().equals(column)) {
                    String value = folded(each.value());
                    require(reserved.put(value, each.id()) == null, "a value is reserved twice", each);
                    require(
                            rows.getOrDefault(value, List.of()).contains(each.id()),
                            "a reservation has no row",
                            each,
                            rows);
                }
            }
            rows.forEach((value, ids) -> require(
                    ids.contains(reserved.getOrDefault(value, "")),
                    "a row's " + column + " is not reserved",
                    value,
                    ids));
        }
    }

    // ---- rows

    private void judgeRow(String id, Account row) {
        Effect last = byStamp.get(row.n());
        if (last == null) {
            require(false, "nobody wrote it, or it was refused", id, row, withoutEffect.getOrDefault(row.n(), null));
            return;
        }
        require(last.isOf(id) || last.isOfAny(), "it was written to another row", id, row, last);
        for (String column : COLUMNS) {
            String value = row.value(column);
            if (last.gives(column)) {
                require(last.change().given(column).equals(value), "a value is not what was written", id, row, last);
            } else {
                require(
                        effects.stream()
                                .anyMatch(each -> (each.isOf(id) || each.isOfAny())
                                        && each.change().given(column).equals(value)
                                        && !isOvertaken(each, id, column)),
                        "a value is not the last that was written",
                        id,
                        row,
                        column);
            }
        }
        if (last.change().kind() == Change.Kind.TOUCH) {
            require(
                    folded(row.email()).equals(folded(last.change().email())),
                    "another row was touched",
                    id,
                    row,
                    last);
        }
    }

    /** Returns whether a later change of the row has certainly given another value. */
    private boolean isOvertaken(Effect effect, String id, String column) {
        return effects.stream()
                .anyMatch(other -> other.sure() && other.isOf(id) && other.takes(column) && effect.isBefore(other));
    }

    private void judgeEffect(Effect effect) {
        if (effect.isOfAny()) {
            return;
        }
        String id = effect.id();
        Account row = end.accounts().get(id);
        if (effect.change().removes()) {
            require(row == null, "a deleted row is there", effect, row);
            return;
        }
        if (row == null) {
            require(
                    effects.stream()
                            .anyMatch(other -> other.change().removes()
                                    && (other.isOf(id) || other.isOfAny())
                                    && !other.isBefore(effect)),
                    "a row is lost",
                    effect);
        } else {
            Effect last = byStamp.get(row.n());
            require(last == null || !last.isBefore(effect), "an acknowledged write is lost", effect, row, last);
        }
        for (String column : COLUMNS) {
            String value = effect.change().given(column);
            if (!value.equals(Change.NONE)) {
                Effect other = holder(column, value, effect.write(), one -> !one.isOf(id));
                require(
                        other == null || isFreedBy(effect.write(), other, column),
                        "a value was given to two rows",
                        effect,
                        other);
            }
        }
    }

    /** Returns whether the same transaction takes the value from the row that had it. */
    private static boolean isFreedBy(Operation write, Effect holder, String column) {
        return changes(write).stream()
                .anyMatch(change -> holder.isOf(change.id())
                        && (change.removes() || !change.given(column).equals(Change.NONE)));
    }

    /** Returns what has certainly given a value to a row that keeps it from the beginning of an operation to its end; null if none. */
    private @Nullable Effect holder(String column, String value, Operation during, Predicate<Effect> which) {
        return effects.stream()
                .filter(one -> one.sure()
                        && !one.isOfAny()
                        && which.test(one)
                        && !one.change().given(column).equals(Change.NONE)
                        && folded(one.change().given(column)).equals(folded(value))
                        && one.isBefore(during))
                .filter(one -> effects.stream()
                        .noneMatch(other -> other != one
                                && other.write() != during
                                && (other.isOf(one.id())
                                        || (other.isOfAny() && other.change().removes()))
                                && other.takes(column)
                                && other.write().begin() < during.end()
                                && !other.isBefore(one)))
                .findFirst()
                .orElse(null);
    }

    // ---- what is told

    private void judgeCounts(Operation write) {
        if (!state(write).equals("committed")) {
            return;
        }
        List<Change> changes = changes(write);
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            String count = each(write, 1, i);
            require(count.equals("1") || count.equals("0"), "the count is wrong", write);
            if (!count.equals("0")) {
                continue;
            }
            require(change.kind() != Change.Kind.INSERT, "an insert is not counted", write);
            if (change.kind() == Change.Kind.TOUCH || change.kind() == Change.Kind.ERASE) {
                Effect there =
                        change.email().equals(Change.NULL) ? null : holder("email", change.email(), write, one -> true);
                require(there == null, "a row is not found by its value", write, there);
            } else {
                require(
                        effects.stream()
                                .anyMatch(other -> other.change().removes()
                                        && (other.isOf(change.id()) || other.isOfAny())
                                        && other.write().begin() < write.end()),
                        "a row that is there is not counted",
                        write);
            }
        }
    }

    private void judgeDuplicate(Operation write) {
        String column = detail(write);
        require(COLUMNS.contains(column), "a duplicate of no value", write);
        List<String> given = changes(write).stream()
                .map(change -> change.given(column))
                .filter(value -> !value.equals(Change.NONE))
                .map(UniqueHistory::folded)
                .toList();
        boolean isItsOwn = new HashSet<>(given).size() < given.size();
        require(
                isItsOwn
                        || effects.stream()
                                .anyMatch(one ->
                                        given.contains(folded(one.change().given(column)))
                                                && one.write().begin() < write.end()
                                                && !isOver(one, column, write)),
                "a value is refused that no row has",
                write);
    }

    /** Returns whether a row had certainly lost a value when an operation began. */
    private boolean isOver(Effect effect, String column, Operation at) {
        return !effect.isOfAny()
                && effects.stream()
                        .anyMatch(other -> other.sure()
                                && other.isOf(effect.id())
                                && other.takes(column)
                                && effect.isBefore(other)
                                && other.isBefore(at));
    }

    private void judgeLook(Operation look) {
        String email = look.argument(0);
        if ("none".equals(look.outcome())) {
            Effect there = holder("email", email, look, one -> true);
            require(there == null, "a row is not found by its value", look, there);
        } else if (word(look, 0).equals("seen")) {
            String id = word(look, 1);
            int stamp = Integer.parseInt(word(look, 3));
            require(folded(word(look, 2)).equals(folded(email)), "another row was found", look);
            Effect last = byStamp.get(stamp);
            if (last == null) {
                require(false, "a row was seen that was refused", look, withoutEffect.getOrDefault(stamp, null));
                return;
            }
            require(last.isOf(id) || last.isOfAny(), "it was written to another row", look, last);
            require(last.write().begin() < look.end(), "a write was seen before it began", look, last);
            Effect later = effects.stream()
                    .filter(other -> other.sure() && other.isOf(id) && last.isBefore(other) && other.isBefore(look))
                    .findFirst()
                    .orElse(null);
            require(later == null, "a later write is not seen", look, last, later);
        }
    }

    /** Returns how often each outcome was told. */
    static String figures(Collection<Operation> operations) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Operation one : operations) {
            String kind = one.is("write") ? one.argument(0) + " " + kinds(one) : one.kind();
            String outcome = one.outcome() == null ? "killed" : word(one, 0);
            counts.merge(kind + ", " + outcome, 1, Integer::sum);
        }
        return operations.size() + " operations: " + counts;
    }

    private static String kinds(Operation write) {
        return String.join(
                "+", changes(write).stream().map(each -> each.kind().name()).toList());
    }
}
