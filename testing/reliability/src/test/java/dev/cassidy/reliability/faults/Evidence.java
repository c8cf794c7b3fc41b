package dev.cassidy.reliability.faults;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.reliability.checker.Account;
import dev.cassidy.reliability.checker.IssueHistory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The evidence by which a cell is judged: every issued id, and the current tables, which are read without the product.
 * The id of an ordinal is the ordinal plus 1, because the sequence begins at 1. Safe for use by many threads.
 */
final class Evidence {

    /** The process whose statements fail. */
    static final String FAULTY = "faulty";

    private final Tables tables;
    private final String sequence;
    private final Predicate<UUID> sentThroughFaults;
    private final IssueHistory history = new IssueHistory(1, 1, Long.MAX_VALUE);
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Held> lastClaim = new HashMap<>();
    private long leaked;
    private long stillHeld;

    /** The row of a claim. */
    private record Held(long lo, long end, UUID token) {
        boolean covers(long ordinal) {
            return lo <= ordinal && ordinal < end;
        }
    }

    /** The tables, read at the consistency level at which they are written. */
    static final class Tables {
        private final CqlSession session;
        private final PreparedStatement claims;
        private final PreparedStatement reserve;
        private final PreparedStatement grants;

        Tables(CqlSession session, String keyspace) {
            this.session = session;
            this.claims = session.prepare(
                    "SELECT kind, lo, end, claim FROM " + keyspace + "_dc1.reserve WHERE seq = ? AND stripe = 0");
            this.reserve = session.prepare("SELECT DISTINCT inc, next, hi, nlo, nhi, grant_no, free FROM " + keyspace
                    + "_dc1.reserve WHERE seq = ? AND stripe = 0");
            this.grants = session.prepare("SELECT i, dc, grant_no, lo, hi FROM " + keyspace + ".seq WHERE seq = ?");
        }

        private List<Row> read(PreparedStatement query, ConsistencyLevel serial, String sequence) {
            return session.execute(query.bind(sequence).setConsistencyLevel(serial))
                    .all();
        }

        private List<Held> claims(String sequence) {
            return read(claims, ConsistencyLevel.LOCAL_SERIAL, sequence).stream()
                    .filter(row -> "c".equals(row.getString("kind")))
                    .map(row -> new Held(
                            row.getLong("lo"), row.getLong("end"), Objects.requireNonNull(row.getUuid("claim"))))
                    .toList();
        }
    }

    /** @param sentThroughFaults whether a claim's token was sent by the process whose statements fail */
    Evidence(Tables tables, String sequence, Predicate<UUID> sentThroughFaults) {
        this.tables = tables;
        this.sequence = sequence;
        this.sentThroughFaults = sentThroughFaults;
    }

    /**
     * Records an id, and checks that its claim is in the store, with a token that the issuing process sent. The row of
     * a claim stays until a later claim follows its last id.
     */
    synchronized void issued(String client, String line, long id) {
        history.issued(line, id);
        long ordinal = id - 1;
        Held known = lastClaim.get(line);
        if (known != null && known.covers(ordinal)) {
            return;
        }
        List<Held> found = tables.claims(sequence).stream()
                .filter(claim -> claim.covers(ordinal))
                .toList();
        if (found.size() != 1) {
            violations.add("id " + id + " was issued by " + line + ", and is in these claims: " + found);
            return;
        }
        Held claim = found.get(0);
        if (!isOf(client, claim)) {
            violations.add("id " + id + " was issued by " + line + " of a claim that is not its own: " + claim);
        }
        lastClaim.put(line, claim);
    }

    private boolean isOf(String client, Held claim) {
        return sentThroughFaults.test(claim.token()) == client.equals(FAULTY);
    }

    synchronized void reseeded(long id) {
        history.reseeded(id);
    }

    /** Accounts for all ids, after everything has ended. */
    synchronized void account() {
        Account account = new Account(history);
        Row reserve = tables.read(tables.reserve, ConsistencyLevel.LOCAL_SERIAL, sequence)
                .get(0);
        for (Row grant : tables.read(tables.grants, ConsistencyLevel.SERIAL, sequence)) {
            if (!grant.isNull("dc")) {
                account.granted("grant " + grant.getInt("grant_no"), grant.getLong("lo"), grant.getLong("hi"));
                if (grant.getInt("i") == reserve.getInt("inc")
                        && grant.getInt("grant_no") > reserve.getInt("grant_no")) {
                    account.available("not absorbed yet", grant.getLong("lo"), grant.getLong("hi"));
                }
            }
        }
        account.available("reserve", reserve.getLong("next"), reserve.getLong("hi"));
        if (reserve.getLong("nlo") >= 0) {
            account.available("upcoming", reserve.getLong("nlo"), reserve.getLong("nhi"));
        }
        List<Long> tails = Objects.requireNonNull(reserve.getList("free", Long.class));
        for (int i = 0; i + 1 < tails.size(); i += 2) {
            account.available("tail", tails.get(i), tails.get(i + 1));
        }
        for (Held claim : tables.claims(sequence)) {
            account.held("claim " + claim.token(), claim.lo(), claim.end());
        }
        violations.addAll(account.violations());
        leaked = account.leaked();
        stillHeld = account.held();
    }

    /** Returns how many granted ids are nowhere. */
    synchronized long leaked() {
        return leaked;
    }

    /** Returns how many ids are held by claims although every process has ended. */
    synchronized long stillHeld() {
        return stillHeld;
    }

    synchronized List<String> violations() {
        List<String> all = new ArrayList<>(history.violations());
        all.addAll(violations);
        return all;
    }
}
