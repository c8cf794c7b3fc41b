package dev.cassidy.reliability.transactions;

import dev.cassidy.reliability.program.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What tellers did and were told, and the rows that stand in the end. It knows nothing of the driver and of Cassandra: it holds what is
 * told against what transactions promise. {@link Teller} says what the operations are.
 */
final class BankHistory {

    /** A row of an account. */
    record Account(int balance, String note) {}

    /** A row of a journal. */
    record Entry(String id, String moves) {}

    /** A row of {@code orders}. */
    record Order(String tag, int size) {}

    /**
     * What was there before.
     *
     * @param accounts the names of all accounts
     * @param closable those that may be missing
     */
    record Start(Collection<String> accounts, Collection<String> closable, int balance, int goods, int stock) {}

    /**
     * What is there in the end.
     *
     * @param lines of each order, {@code GOOD:QUANTITY} in their order
     * @param duty who is present: of rows 2n and 2n + 1 one has to be
     * @param turns how often each turnstile was turned
     * @param held rows that somebody still holds
     */
    record End(
            Map<String, Account> accounts,
            List<Entry> journal,
            Map<Integer, Order> orders,
            Map<Integer, List<String>> lines,
            Map<Integer, Integer> stock,
            Map<Integer, Integer> duty,
            Map<Integer, Integer> turns,
            List<String> held) {}

    /** States that faults, and others that write the same rows, explain; HY000 is a replica that failed. */
    private static final Pattern EXPLAINED = Pattern.compile("HYT00|HY000|08...|40001|23000");

    private static final long NEVER = Long.MAX_VALUE;

    private final List<Operation> operations;
    private final Start start;
    private final End end;

    /** Transfers and the like, by their ids. */
    private final Map<String, Operation> transfers = new HashMap<>();

    private final Map<String, Operation> orders = new HashMap<>();
    private final Map<String, Operation> cancels = new HashMap<>();
    private final Map<String, Entry> journal = new HashMap<>();

    /** Committed operations that have written the note of an account, or removed it. */
    private final Map<String, List<Operation>> noted = new HashMap<>();

    private final List<String> violations = new ArrayList<>();

    BankHistory(Collection<Operation> operations, Start start, End end) {
        this.operations = List.copyOf(operations);
        this.start = start;
        this.end = end;
    }

    private void require(boolean holds, String what, Object... evidence) {
        if (!holds) {
            violations.add(what + ": " + Arrays.asList(evidence));
        }
    }

    /** Returns what contradicts that each transaction took effect as a whole or not at all, as it was told. */
    List<String> violations() {
        for (Operation one : operations) {
            switch (one.kind()) {
                case "transfer", "close" -> transfers.put(one.argument(0), one);
                case "order" -> orders.put(one.argument(0), one);
                case "cancel" -> cancels.put(one.argument(0), one);
                default -> {}
            }
        }
        transfers.values().stream().filter(BankHistory::isCommitted).forEach(one -> accounts(one)
                .forEach(account -> noted.computeIfAbsent(account, name -> new ArrayList<>())
                        .add(one)));
        end.held().forEach(row -> require(false, "a row is held in the end", row));
        operations.forEach(this::judgeError);
        judgeJournal();
        transfers.values().forEach(this::judgeTransfer);
        start.accounts().forEach(this::judgeAccount);
        end.accounts().keySet().forEach(name -> require(start.accounts().contains(name), "nobody made it", name));
        operations.stream().filter(one -> one.is("look")).forEach(this::judgeLook);
        operations.stream()
                .filter(one -> one.is("find"))
                .forEach(one -> require(!"missing".equals(one.outcome()), "an acknowledged commit is not seen", one));
        judgeOrders();
        judgeDuty();
        end.turns().forEach(this::judgeTurns);
        return List.copyOf(violations);
    }

    // ---- outcomes

    private static String word(Operation one, int index) {
        String[] words = one.outcome() == null ? new String[0] : one.outcome().split(" ", -1);
        return index < words.length ? words[index] : "";
    }

    private static boolean isCommitted(Operation one) {
        return word(one, 0).equals("committed");
    }

    /** Returns whether it certainly did nothing. */
    private static boolean isNothing(Operation one) {
        return word(one, 0).equals("rolledback") || word(one, 0).equals("failed");
    }

    private static List<String> list(String words) {
        return words.isEmpty() ? List.of() : List.of(words.split(",", -1));
    }

    private static String flags(Operation one) {
        return one.argument(2);
    }

    private void judgeError(Operation one) {
        String state = word(one, 1);
        if (word(one, 0).equals("failed") || word(one, 0).equals("error")) {
            require(EXPLAINED.matcher(state).matches(), "an error that the faults do not explain", one);
            require(
                    !state.equals("23000") || (one.is("transfer") && flags(one).contains("o")),
                    "a key is refused that nobody has inserted",
                    one);
        }
    }

    // ---- the journal

    private record Move(String account, int amount) {}

    private static List<Move> moves(String text) {
        return list(text).stream()
                .map(each -> each.split(":", -1))
                .map(each -> new Move(each[0], Integer.parseInt(each[1])))
                .toList();
    }

    private static List<String> accounts(Operation transfer) {
        return transfer.is("close")
                ? list(transfer.argument(1))
                : moves(transfer.argument(1)).stream().map(Move::account).toList();
    }

    private void judgeJournal() {
        for (Entry entry : end.journal()) {
            require(journal.put(entry.id(), entry) == null, "a row of the journal is there twice", entry);
            Operation transfer = transfers.get(entry.id());
            if (transfer == null) {
                require(false, "a row of the journal that nobody inserted, or a savepoint took back", entry);
                continue;
            }
            require(!isNothing(transfer), "a transaction that was rolled back is there", transfer, entry);
            if (transfer.is("transfer")) {
                require(entry.moves().equals(transfer.argument(1)), "the journal says something else", transfer, entry);
            } else {
                List<Move> moves = moves(entry.moves());
                require(
                        moves.stream().map(Move::account).toList().equals(accounts(transfer))
                                && moves.stream().mapToInt(Move::amount).sum() == 0,
                        "the journal says something else",
                        transfer,
                        entry);
            }
        }
    }

    private void judgeTransfer(Operation transfer) {
        boolean committed = isCommitted(transfer);
        require(!committed || journal.containsKey(transfer.argument(0)), "an acknowledged commit is lost", transfer);
        if (!transfer.is("transfer") || !(committed || word(transfer, 0).equals("rolledback"))) {
            return;
        }
        List<Move> moves = moves(transfer.argument(1));
        List<String> counts = list(word(transfer, 1));
        List<String> reads = list(word(transfer, 2));
        require(counts.size() == moves.size(), "a row is counted that is not there", transfer);
        for (int i = 0; i < Math.min(moves.size(), counts.size()); i++) {
            judgeCount(transfer, moves.get(i), counts.get(i), i < reads.size() ? reads.get(i) : "-");
        }
        require(!word(transfer, 3).equals("n"), "it does not see what it has written", transfer);
    }

    private void judgeCount(Operation transfer, Move move, String count, String read) {
        boolean conditional = move.amount() < 0 && !flags(transfer).contains("b");
        boolean zero = count.equals("0");
        require(zero || count.equals("1"), "the count is wrong", transfer);
        require(!zero || !isCommitted(transfer), "it should have been rolled back", transfer);
        if (read.equals("-")) {
            require(
                    !zero || conditional || start.closable().contains(move.account()),
                    "a row that is there is not counted",
                    transfer,
                    move);
        } else {
            boolean isReplaced =
                    flags(transfer).contains("d") && !move.account().startsWith("c");
            boolean enough = !conditional || isReplaced || Integer.parseInt(read) + move.amount() >= 0;
            require(zero != enough, "the count is not what was read under the lock", transfer, move);
        }
    }

    // ---- accounts

    private void judgeAccount(String name) {
        Account account = end.accounts().get(name);
        require(account != null || start.closable().contains(name), "an account is missing", name);
        long sure = start.balance();
        for (Entry entry : end.journal()) {
            for (Move move : moves(entry.moves())) {
                sure += move.account().equals(name) ? move.amount() : 0;
            }
        }
        List<Integer> doubts = new ArrayList<>();
        for (Operation deposit : operations) {
            if (!deposit.is("deposit") || !deposit.argument(0).equals(name)) {
                continue;
            }
            int amount = Integer.parseInt(deposit.argument(1));
            if (deposit.counted(1)) {
                sure += amount;
            } else if (deposit.isInDoubt()) {
                doubts.add(amount);
            } else if (!isNothing(deposit)) {
                require(
                        deposit.counted(0) && (amount < 0 || start.closable().contains(name)),
                        "a row that is there is not counted",
                        deposit);
            }
        }
        long balance = account == null ? 0 : account.balance();
        require(
                sums(doubts).contains(balance - sure),
                "the balance is not that of the journal",
                name,
                balance,
                sure,
                doubts,
                noted.getOrDefault(name, List.of()));
        if (account != null) {
            judgeNote(name, account.note(), NEVER, "in the end");
        }
    }

    /** Returns what those that are in doubt may come to. */
    private static Set<Long> sums(List<Integer> doubts) {
        Set<Long> sums = new HashSet<>(Set.of(0L));
        for (int amount : doubts) {
            sums.addAll(sums.stream().map(sum -> sum + amount).toList());
        }
        return sums;
    }

    // ---- what is seen

    private void judgeLook(Operation look) {
        String account = look.argument(0);
        if ("none".equals(look.outcome())) {
            require(start.closable().contains(account), "an account is missing", look);
        } else if (word(look, 0).equals("seen")) {
            require(!word(look, 2).equals("missing"), "half of a transaction was seen", look);
            String note = word(look, 1);
            judgeNote(account, note.equals("-") ? "" : note, look.begin(), look);
            Operation writer = transfers.get(note);
            require(
                    writer == null || writer.begin() < look.end(),
                    "a transaction was seen before it began",
                    look,
                    String.valueOf(writer));
        }
    }

    /** @param since when it was looked for */
    private void judgeNote(String account, String note, long since, Object where) {
        Operation writer = transfers.get(note);
        if (!note.isEmpty()) {
            if (writer == null) {
                require(
                        false,
                        "a note was seen that nobody wrote, or that a savepoint took back",
                        where,
                        account,
                        note);
                return;
            }
            require(!isNothing(writer), "a row that was rolled back was seen", where, writer);
            require(journal.containsKey(note), "a row was seen that is not committed", where, writer);
            require(accounts(writer).contains(account), "a note is of another account", where, account, writer);
        }
        List<Operation> later = noted.getOrDefault(account, List.of()).stream()
                .filter(one -> one.end() < since && (writer == null || writer.isBefore(one)))
                .toList();
        require(later.isEmpty(), "a later commit is not seen", where, account, String.valueOf(writer), later);
    }

    // ---- orders

    private void judgeOrders() {
        Map<String, Integer> ids = new HashMap<>();
        end.orders().forEach((id, order) -> {
            require(ids.put(order.tag(), id) == null, "an order is there twice", order);
            Operation insert = orders.get(order.tag());
            require(insert != null, "nobody inserted it", id, order);
            List<String> lines = end.lines().getOrDefault(id, List.of());
            if (insert != null) {
                require(lines.equals(list(insert.argument(1))), "an order is not whole", insert, order, lines);
            }
        });
        end.lines()
                .forEach(
                        (id, lines) -> require(end.orders().containsKey(id), "lines of no order are there", id, lines));
        Map<Integer, Integer> taken = new TreeMap<>();
        end.lines().values().stream().flatMap(Collection::stream).forEach(line -> {
            String[] words = line.split(":", -1);
            taken.merge(Integer.valueOf(words[0]), Integer.parseInt(words[1]), Integer::sum);
        });
        for (int good = 0; good < start.goods(); good++) {
            int stock = start.stock() - taken.getOrDefault(good, 0);
            require(
                    Integer.valueOf(stock).equals(end.stock().get(good)),
                    "the stock is not that of the lines",
                    good,
                    String.valueOf(end.stock().get(good)),
                    stock);
        }
        Map<String, Operation> drawn = new HashMap<>();
        orders.forEach((tag, insert) -> judgeOrder(insert, ids.get(tag), drawn));
    }

    private void judgeOrder(Operation insert, @Nullable Integer id, Map<String, Operation> drawn) {
        Operation cancel = cancels.get(insert.argument(0));
        boolean there = id != null;
        if (isCommitted(insert) || word(insert, 0).equals("rolledback")) {
            Operation other = drawn.put(word(insert, 1), insert);
            require(other == null, "an id was issued twice", insert, String.valueOf(other));
            require(list(word(insert, 2)).stream().allMatch("1"::equals), "a row that is there is not counted", insert);
            require(!word(insert, 3).equals("n"), "it does not see what it has written", insert);
        }
        if (isNothing(insert)) {
            require(!there, "a transaction that was rolled back is there", insert);
        }
        if (!isCommitted(insert)) {
            return;
        }
        require(!there || word(insert, 1).equals("" + id), "an order has another id", insert, String.valueOf(id));
        if (cancel == null || isNothing(cancel)) {
            require(there, "an acknowledged commit is lost", insert, String.valueOf(cancel));
        } else if (isCommitted(cancel)) {
            require(!there, "an acknowledged commit is lost", insert, cancel);
            require(
                    word(cancel, 1).equals(list(insert.argument(1)).size() + ",1"),
                    "a row that is there is not counted",
                    insert,
                    cancel);
        }
    }

    // ---- what is read and not written

    private void judgeDuty() {
        operations.stream()
                .filter(one -> one.is("duty") && isCommitted(one))
                .forEach(one -> require(list(word(one, 1)).contains("1"), "nobody is on duty", one));
        end.duty()
                .forEach((id, present) -> require(
                        present + end.duty().getOrDefault(id ^ 1, 0) > 0,
                        "nobody is on duty",
                        "in the end",
                        id,
                        end.duty()));
    }

    /** Each turn is one more than the one before it, because its transaction alone held the gate. */
    private void judgeTurns(int gate, int turns) {
        Map<Integer, Operation> taken = new TreeMap<>();
        int doubts = 0;
        for (Operation one : operations) {
            if (!one.is("turn") || !one.argument(0).equals("" + gate)) {
                continue;
            }
            if (isCommitted(one)) {
                Operation other = taken.put(Integer.valueOf(word(one, 1)), one);
                require(other == null, "two held one gate", one, String.valueOf(other));
            } else if (!isNothing(one)) {
                doubts++;
            }
        }
        // Of two turns that did not overlap the earlier one has the smaller number.
        Operation latest = null;
        for (Operation one : taken.values()) {
            require(latest == null || !one.isBefore(latest), "a later commit is not seen", one, String.valueOf(latest));
            latest = latest == null || one.begin() > latest.begin() ? one : latest;
        }
        require(
                taken.keySet().stream().allMatch(turn -> turn < turns),
                "an acknowledged commit is lost",
                gate,
                turns,
                taken.values());
        require(
                taken.size() <= turns && turns <= taken.size() + doubts,
                "the turns are not those of the transactions",
                gate,
                turns,
                taken.size(),
                doubts);
    }

    /** Returns how many operations there were of each kind and outcome. */
    static String figures(Collection<Operation> operations) {
        Predicate<Operation> isDoubtful = one -> one.isInDoubt() && !one.is("look") && !one.is("find");
        Map<String, Long> counts = operations.stream()
                .collect(Collectors.groupingBy(
                        one -> one.kind() + ", "
                                + (one.outcome() == null
                                        ? "killed"
                                        : word(one, 0)
                                                + (Set.of("failed", "error", "count")
                                                                .contains(word(one, 0))
                                                        ? " " + word(one, 1)
                                                        : "")),
                        TreeMap::new,
                        Collectors.counting()));
        return operations.size() + " operations, "
                + operations.stream().filter(isDoubtful).count() + " in doubt: " + counts;
    }
}
