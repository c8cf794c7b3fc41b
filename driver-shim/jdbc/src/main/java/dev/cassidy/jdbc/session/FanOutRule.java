package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What is done with statements that ask nodes all over the cluster, as it was decided when a connection opened. Immutable.
 *
 * @param refuses whether those on tables that the option does not name are refused
 * @param refusedFrom the day from which on they will be refused, if it is set
 */
public record FanOutRule(
        FanOut option, NodeCounts nodes, ConsistencyLevel level, boolean refuses, Optional<LocalDate> refusedFrom) {

    /** Up to so many nodes of the datacenter such statements are served with a warning. */
    public static final int MAX_NODES = 12;

    /** How long they still are when a datacenter has grown past that. */
    static final Duration GRACE = Duration.ofDays(30);

    private static final Pattern NO_WAY = Pattern.compile(
            ".*(might involve data filtering|IN (?:predicates|restrictions) on|Partition key parts: .* must be"
                    + " restricted|Only EQ and IN relation are supported on the partition key|Predicates on non-primary-key"
                    + " columns .* are not yet supported|cannot be restricted as preceding column).*");

    /**
     * Decides.
     *
     * @param grownAt when the datacenter got more than {@link #MAX_NODES} nodes; empty if that is not known. Asked for
     *     only if it has more
     */
    static FanOutRule decide(
            FanOut option, NodeCounts nodes, ConsistencyLevel level, Supplier<Optional<Instant>> grownAt, Instant now) {
        FanOut.Mode mode = option.mode();
        if (mode != null || nodes.local() <= MAX_NODES) {
            return new FanOutRule(option, nodes, level, mode == FanOut.Mode.REFUSE, Optional.empty());
        }
        Optional<Instant> end = grownAt.get().map(GRACE::addTo).map(Instant::from);
        boolean over = end.filter(now::isAfter).isPresent();
        return new FanOutRule(
                option,
                nodes,
                level,
                over,
                over
                        ? Optional.empty()
                        : end.map(instant ->
                                LocalDate.ofInstant(instant, ZoneOffset.UTC).plusDays(1)));
    }

    /** Returns the same rule for another size of the session's datacenter, past any grace. */
    public FanOutRule withNodes(int count) {
        return new FanOutRule(
                option,
                nodes.withLocal(count),
                level,
                option.mode() == FanOut.Mode.REFUSE || (option.mode() == null && count > MAX_NODES),
                Optional.empty());
    }

    /** Returns whether the statement is refused. */
    public boolean refuses(ReadPath path) {
        return refuses && path.isFanOut() && !option.allows(path.table());
    }

    /** Warns of a statement that asks many nodes, or refuses it. */
    public void apply(ReadPath path, Consumer<SQLWarning> warnings) throws SQLException {
        if (!path.isFanOut() || option.allows(path.table())) {
            return;
        }
        if (refuses) {
            String why = option.mode() == null
                    ? "the datacenter has more than " + MAX_NODES + " nodes"
                    : "the connection has fanOut=refuse";
            throw Unserved.feature(describe(path) + ". It is refused, because " + why + ". " + cures(path));
        }
        String until = refusedFrom
                .map(day -> ". From " + day + " on it is refused, because the datacenter has grown past " + MAX_NODES
                        + " nodes")
                .orElse("");
        warnings.accept(Warnings.general(describe(path) + until + ". " + cures(path)));
    }

    /** Returns how many nodes are asked. */
    public int asked(ReadPath path) {
        return nodes.asked(path.replicas(), level);
    }

    /** Returns what the statement costs on this cluster. */
    public String describe(ReadPath path) {
        return "Reading " + path.shownTable()
                + (path.kind() == ReadPath.Kind.INDEX ? " by an index" : " as a whole")
                + " without its partition key asks about " + share(path);
    }

    private String share(ReadPath path) {
        int asked = asked(path);
        return asked + (asked == 1 ? " node" : " nodes") + " at " + level + " (datacenter " + nodes.datacenter()
                + " has " + nodes.local() + ")";
    }

    /** Returns what makes the statement cheaper, or accepts what it costs. */
    public String cures(ReadPath path) {
        StringBuilder text = new StringBuilder();
        path.cures().ifPresent(cures -> {
            text.append("Give its key, ").append(cures.key());
            cures.table().ifPresent(table -> text.append("; or read a table by that key: ")
                    .append(table));
            if (!cures.indexes().isEmpty()) {
                text.append(cures.indexes().size() == 1 ? "; or make an index" : "; or make indexes")
                        .append(", by which each read asks about ")
                        .append(share(path))
                        .append(": ")
                        .append(String.join("; ", cures.indexes()));
            }
        });
        if (path.isFanOut()) {
            text.append("; or accept the cost: fanOut=allow:").append(FanOut.entry(path.table()));
        }
        return text.toString();
    }

    /** Returns the error of a statement that the server refused; in our words, if the plan is why. */
    public Optional<SQLException> refusal(ReadPath path, Throwable refusal) {
        Throwable cause = refusal.getCause();
        Throwable server = refusal instanceof SQLException && cause != null ? cause : refusal;
        if (!isRefused(path)
                || !NO_WAY.matcher(String.valueOf(server.getMessage())).matches()) {
            return Optional.empty();
        }
        return Optional.of(new SQLSyntaxErrorException(refusal(path), SqlStates.SYNTAX_OR_RULE, server));
    }

    /** Returns whether the server refuses the statement, because a condition has neither the key nor an index. */
    public boolean isRefused(ReadPath path) {
        return path.kind() == ReadPath.Kind.REFUSED
                || (path.kind() == ReadPath.Kind.INDEX
                        && path.cures()
                                .filter(cures -> !cures.indexes().isEmpty())
                                .isPresent());
    }

    /** Returns why such a statement is refused. */
    public String refusal(ReadPath path) {
        return path.shownTable() + " is read by " + String.join(", ", path.columns())
                + ", which neither gives its partition key ("
                + path.partitionKey().stream().map(Twin::original).collect(Collectors.joining(", "))
                + ") by = or IN nor is "
                + (path.kind() == ReadPath.Kind.INDEX ? "on indexes throughout" : "on an index")
                + ": every node would read its part of the table. " + cures(path);
    }
}
