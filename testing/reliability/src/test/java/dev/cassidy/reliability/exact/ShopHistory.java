package dev.cassidy.reliability.exact;

import dev.cassidy.reliability.program.Operation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What processes did and were told, and the rows that stand in the end. It knows nothing of the driver and of Cassandra: it
 * holds what is told against what T-SQL says.
 */
final class ShopHistory {

    /** A row of {@code account} in the end. */
    record Account(int n, int v, String name, String mark) {}

    /** A row of {@code orders} in the end. */
    record Order(String tag, int n) {}

    private final List<Operation> operations;
    private final List<String> violations = new ArrayList<>();

    ShopHistory(Collection<Operation> operations) {
        this.operations = List.copyOf(operations);
    }

    private Stream<Operation> all(String kind) {
        return operations.stream().filter(one -> one.is(kind));
    }

    private void require(boolean holds, String what, Object... evidence) {
        if (!holds) {
            violations.add(what + ": " + List.of(evidence));
        }
    }

    /**
     * Returns what contradicts T-SQL.
     *
     * @param first n of each account in the beginning; v was 0
     */
    List<String> violations(
            int first, Map<Integer, Account> accounts, Map<String, String> codes, Map<Long, Order> orders) {
        judgeCodes(codes);
        accounts.forEach((id, account) -> judge(id, first, account));
        all("mark").forEach(one -> require(one.isInDoubt() || one.counted(2), "two of three rows are there", one));
        judgeMarks(accounts);
        judgeOrders(orders);
        return List.copyOf(violations);
    }

    // Keys of the program's own

    private void judgeCodes(Map<String, String> codes) {
        Map<String, List<Operation>> byCode = new TreeMap<>();
        operations.stream().filter(one -> one.is("claim") || one.is("free")).forEach(one -> byCode.computeIfAbsent(
                        one.argument(0), code -> new ArrayList<>())
                .add(one));
        byCode.forEach((code, all) -> judgeCode(all, codes.get(code)));
        codes.forEach((code, owner) -> require(byCode.containsKey(code), "nobody inserted it", code, owner));
    }

    private void judgeCode(List<Operation> all, String owner) {
        List<Operation> claims = all.stream().filter(one -> one.is("claim")).toList();
        Map<String, Operation> frees = new HashMap<>();
        all.stream().filter(one -> one.is("free")).forEach(one -> frees.put(one.argument(1), one));
        for (Operation claim : claims) {
            Operation free = frees.get(claim.argument(1));
            if (claim.counted(1)) {
                require(
                        free == null || free.isInDoubt() || free.counted(1),
                        "a row that is there is not deleted",
                        claim,
                        free == null ? "" : free);
                require(
                        claim.argument(1).equals(owner) || (free != null && free.mayHaveBeen()),
                        "an inserted row is lost",
                        claim,
                        String.valueOf(owner));
            }
            if (claim.isDuplicate()) {
                require(
                        claims.stream()
                                .anyMatch(other -> other != claim
                                        && other.mayHaveBeen()
                                        && other.begin() < claim.end()
                                        && !isFreedBefore(other, claim, frees)),
                        "no row is there, and a key is refused",
                        claim);
            }
        }
        claims.stream().filter(one -> one.counted(1)).forEach(earlier -> claims.stream()
                .filter(later -> later.counted(1) && earlier.isBefore(later))
                .forEach(later -> {
                    Operation free = frees.get(earlier.argument(1));
                    require(
                            free != null && free.mayHaveBeen() && free.begin() < later.end(),
                            "two were given one key",
                            earlier,
                            later);
                }));
        require(
                owner == null
                        || claims.stream()
                                .anyMatch(one -> one.argument(1).equals(owner)
                                        && one.mayHaveBeen()
                                        && (frees.get(owner) == null
                                                || !frees.get(owner).counted(1))),
                "nobody inserted it, or it was deleted",
                String.valueOf(owner));
    }

    private static boolean isFreedBefore(Operation claim, Operation at, Map<String, Operation> frees) {
        Operation free = frees.get(claim.argument(1));
        return free != null && free.counted(1) && free.isBefore(at);
    }

    // Rows that all write

    private List<Operation> of(String kind, Object first) {
        return all(kind).filter(one -> one.argument(0).equals(first.toString())).toList();
    }

    private static int count(List<Operation> of, Predicate<Operation> which) {
        return (int) of.stream().filter(which).count();
    }

    private void judge(int id, int first, Account account) {
        List<Operation> takes = of("take", id);
        List<Operation> gives = of("give", id);
        Stream.concat(takes.stream(), gives.stream())
                .forEach(one -> require(one.isInDoubt() || one.counted(1), "the row is there", one));
        int sure = first - count(takes, one -> one.counted(1)) + count(gives, one -> one.counted(1));
        int lowest = sure - count(takes, Operation::isInDoubt);
        int highest = sure + count(gives, Operation::isInDoubt);
        require(
                lowest <= account.n() && account.n() <= highest,
                "n is not what was counted",
                id,
                account.n(),
                lowest,
                highest);
        judgeVersions(id, account);
    }

    private void judgeVersions(int id, Account account) {
        List<Operation> all = of("version", id);
        Map<Integer, List<Operation>> bySeen = new TreeMap<>();
        all.forEach(one -> bySeen.computeIfAbsent(Integer.valueOf(one.argument(1)), seen -> new ArrayList<>())
                .add(one));
        bySeen.forEach((seen, those) -> {
            require(count(those, one -> one.counted(1)) <= 1, "two wrote one version", those);
            require(seen <= account.v(), "a version was seen that is not there", id, seen, account.v());
            those.stream()
                    .filter(one -> one.counted(0))
                    .forEach(one -> require(
                            those.stream()
                                    .anyMatch(
                                            other -> other != one && other.mayHaveBeen() && other.begin() < one.end()),
                            "nobody was faster, and 0 is counted",
                            one));
            if (seen == account.v()) {
                require(count(those, one -> one.counted(1)) == 0, "a version is lost", those);
            }
        });
        for (int seen = 0; seen < account.v(); seen++) {
            require(
                    bySeen.getOrDefault(seen, List.of()).stream().anyMatch(Operation::mayHaveBeen),
                    "nobody wrote this version",
                    id,
                    seen + 1);
        }
        List<Operation> last = bySeen.getOrDefault(account.v() - 1, List.of());
        require(
                account.v() == 0
                        || last.stream()
                                .anyMatch(one ->
                                        one.mayHaveBeen() && one.argument(2).equals(account.name())),
                "the name is not of the version",
                id,
                account,
                last);
    }

    private void judgeMarks(Map<Integer, Account> accounts) {
        Set<String> possible = new HashSet<>(Set.of(""));
        all("mark").forEach(one -> possible.add(one.argument(0)));
        accounts.forEach(
                (id, account) -> require(possible.contains(account.mark()), "nobody wrote the mark", id, account));
    }

    // Rows whose ids are drawn

    private void judgeOrders(Map<Long, Order> orders) {
        Map<Long, Operation> inserted = new HashMap<>();
        Set<String> doubtful = new HashSet<>();
        all("order").forEach(one -> {
            String outcome = one.outcome();
            if (outcome != null && outcome.startsWith("key ")) {
                Operation twice = inserted.put(Long.valueOf(outcome.substring(4)), one);
                require(twice == null, "an id was issued twice", one, String.valueOf(twice));
            } else {
                require(one.isInDoubt(), "an insert gives a key or an error", one);
                doubtful.add(one.argument(0));
            }
        });
        Map<Long, List<Operation>> others = new TreeMap<>();
        operations.stream()
                .filter(one -> one.is("bump") || one.is("drop") || one.is("read"))
                .forEach(one -> others.computeIfAbsent(Long.valueOf(one.argument(0)), id -> new ArrayList<>())
                        .add(one));
        Set<Long> unexplained = new HashSet<>();
        others.forEach((id, those) -> {
            if (!inserted.containsKey(id) && those.stream().anyMatch(one -> one.counted(1))) {
                unexplained.add(id);
            }
        });
        orders.forEach((id, order) -> {
            if (!inserted.containsKey(id)) {
                unexplained.add(id);
                require(doubtful.contains(order.tag()), "a row that nobody inserted", id, order);
            }
        });
        require(unexplained.size() <= doubtful.size(), "rows that nobody inserted", unexplained, doubtful);
        inserted.forEach((id, insert) -> judge(insert, others.getOrDefault(id, List.of()), orders.get(id)));
    }

    private void judge(Operation insert, List<Operation> all, Order order) {
        List<Operation> drops = all.stream().filter(one -> one.is("drop")).toList();
        List<Operation> bumps = all.stream().filter(one -> one.is("bump")).toList();
        require(count(drops, one -> one.counted(1)) <= 1, "a row was deleted twice", insert, drops);
        for (Operation one : all) {
            if (one.counted(1)) {
                require(!one.isBefore(insert), "a row is there before its insert", insert, one);
                drops.stream()
                        .filter(drop -> drop != one && drop.counted(1))
                        .forEach(drop -> require(!drop.isBefore(one), "a deleted row is there", drop, one));
            }
            if (one.counted(0) && insert.isBefore(one)) {
                require(
                        drops.stream().anyMatch(drop -> drop != one && drop.mayHaveBeen() && drop.begin() < one.end()),
                        "an inserted row is not there",
                        insert,
                        one);
            }
        }
        boolean deleted = drops.stream().anyMatch(one -> one.counted(1));
        boolean perhaps = drops.stream().anyMatch(Operation::isInDoubt);
        if (order == null) {
            require(deleted || perhaps, "a row is lost", insert, all);
            return;
        }
        require(!deleted, "a deleted row is there in the end", insert, all);
        require(Objects.equals(order.tag(), insert.argument(0)), "another row has the id", insert, order);
        int sure = count(bumps, one -> one.counted(1));
        require(
                sure <= order.n() && order.n() <= sure + count(bumps, Operation::isInDoubt),
                "n is not what was counted",
                insert,
                order,
                bumps);
    }
}
