package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What single nodes say about themselves: their settings, and whether they have the jar of native functions. */
final class CrdtFunctionsCheck {

    private static final String SETTINGS = "system_views.settings";
    private static final String ENABLED = "user_defined_functions_enabled";
    private static final String POLICY = "user_function_timeout_policy";
    private static final String THREADS = "user_defined_functions_threads_enabled";
    private static final String EXTRA_INSECURE = "allow_extra_insecure_udfs";
    private static final String CALL_TIMEOUT = "user_defined_functions_fail_timeout";
    private static final String READ_TIMEOUT = "read_request_timeout";
    private static final List<String> NAMES =
            List.of(ENABLED, POLICY, THREADS, EXTRA_INSECURE, CALL_TIMEOUT, READ_TIMEOUT);

    /** Cassandra's defaults. */
    private static final long CALL_TIMEOUT_MILLIS = 1500;

    private static final long READ_TIMEOUT_MILLIS = 5000;

    /** As settings are printed: 500ms, 12s; a number alone is of milliseconds. */
    private static final Pattern MILLIS = Pattern.compile("(\\d+)(ms|s|m)?");

    private CrdtFunctionsCheck() {}

    static List<CrdtFunctionsFinding> of(CqlSession session) {
        List<CrdtFunctionsFinding> findings = new ArrayList<>();
        askAll(session, settings(), CrdtFunctionsCheck::findings).forEach(findings::addAll);
        findings.sort(Comparator.comparing(CrdtFunctionsFinding::severity)
                .thenComparing(finding -> finding.node().getEndPoint().toString()));
        return List.copyOf(findings);
    }

    static List<CrdtFunctionsFinding> of(CqlSession session, Node node) {
        return ask(session, node, settings(), CrdtFunctionsCheck::findings).join();
    }

    static List<CrdtFunctionsOnNode> nativeFunctions(CqlSession session) {
        // Of the keyspace system, so that no function of a user is found.
        return askAll(session, "SELECT crdt_pack_version() AS version FROM system.local", (node, answer) -> {
            if (answer.rows() != null) {
                return new CrdtFunctionsOnNode(
                        node, OptionalInt.of(answer.rows().get(0).getInt("version")), "");
            }
            boolean isAbsent = answer.failure() instanceof InvalidQueryException
                    && String.valueOf(answer.failure().getMessage()).contains("Unknown function");
            return new CrdtFunctionsOnNode(node, OptionalInt.empty(), isAbsent ? "" : answer.problem());
        });
    }

    /** What a node answered: rows or a failure. */
    private record Answer(
            @Nullable List<Row> rows, @Nullable Throwable failure) {
        String problem() {
            return failure == null ? "" : "did not answer: " + failure;
        }
    }

    private static <T> List<T> askAll(CqlSession session, String cql, BiFunction<Node, Answer, T> read) {
        List<CompletableFuture<T>> asked = session.getMetadata().getNodes().values().stream()
                .map(node -> ask(session, node, cql, read))
                .toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static <T> CompletableFuture<T> ask(
            CqlSession session, Node node, String cql, BiFunction<Node, Answer, T> read) {
        return session.executeAsync(
                        SimpleStatement.newInstance(cql).setNode(node).setIdempotent(true))
                .toCompletableFuture()
                .handle((rows, failure) ->
                        read.apply(node, failure == null ? new Answer(listed(rows), null) : new Answer(null, failure)));
    }

    private static List<Row> listed(AsyncResultSet rows) {
        List<Row> listed = new ArrayList<>();
        rows.currentPage().forEach(listed::add);
        return listed;
    }

    private static String settings() {
        return "SELECT name, value FROM " + SETTINGS + " WHERE name IN ('" + String.join("', '", NAMES) + "')";
    }

    private static List<CrdtFunctionsFinding> findings(Node node, Answer answer) {
        if (answer.rows() == null) {
            boolean isRefused = answer.failure() instanceof UnauthorizedException;
            return List.of(new CrdtFunctionsFinding(
                    Severity.UNKNOWN,
                    node,
                    SETTINGS,
                    "?",
                    isRefused
                            ? "the session's role may not read it: GRANT SELECT ON " + SETTINGS + " TO it"
                            : answer.problem() + "; ask through a session of the node's datacenter, when it is up"));
        }
        Map<String, String> values = new HashMap<>();
        answer.rows()
                .forEach(row -> values.put(
                        Objects.requireNonNullElse(row.getString("name"), ""),
                        Objects.requireNonNullElse(row.getString("value"), "")));
        List<CrdtFunctionsFinding> findings = new ArrayList<>();
        Judge judge = new Judge(node, values, findings);
        judge.ifIs(
                ENABLED,
                "false",
                Severity.IMPOSSIBLE,
                "the script can be neither installed nor used: set it to true in every node's cassandra.yaml and restart,"
                        + " or use the jar of native functions");
        boolean threads = !"false".equals(values.get(THREADS));
        if (threads) {
            String stops = "Cassandra stops itself when one call of a user-defined function stalls, because of a long"
                    + " pause for instance: set user_function_timeout_policy: ignore in every node's cassandra.yaml";
            judge.ifIs(POLICY, "die", Severity.DANGEROUS, stops);
            judge.ifIs(POLICY, "die_immediate", Severity.DANGEROUS, stops);
        }
        judge.ifIs(
                THREADS,
                "false",
                Severity.DANGEROUS,
                "functions run in the threads of requests, where nothing ends a call that does not end: leave it only if"
                        + " everyone who may create functions is trusted with the cluster");
        judge.ifIs(
                EXTRA_INSECURE,
                "true",
                Severity.DANGEROUS,
                "functions may call java.lang.System, so that a user who may create one can stop the node: these do not"
                        + " need it, set it to false");
        if (threads) {
            judge.ifIs(
                    THREADS,
                    "true",
                    Severity.SLOW,
                    "each row costs two changes of thread: use the jar of native functions, or sum(CAST(c AS varint))"
                            + " instead of crdt_sum, where many rows are read");
            judge.ifShorter(
                    CALL_TIMEOUT,
                    CALL_TIMEOUT_MILLIS,
                    "a read fails when one call takes longer, as in a long pause: set it to 1500ms, the default");
        }
        judge.ifShorter(
                READ_TIMEOUT,
                READ_TIMEOUT_MILLIS,
                "an aggregation must end within it: set it to 5000ms, the default, or read fewer rows in one query");
        return findings;
    }

    private record Judge(Node node, Map<String, String> values, List<CrdtFunctionsFinding> findings) {

        void ifIs(String setting, String bad, Severity severity, String advice) {
            if (bad.equals(values.get(setting))) {
                findings.add(new CrdtFunctionsFinding(severity, node, setting, bad, advice));
            }
        }

        void ifShorter(String setting, long millis, String advice) {
            String value = values.getOrDefault(setting, "");
            Matcher parsed = MILLIS.matcher(value);
            if (parsed.matches() && Long.parseLong(parsed.group(1)) * unit(parsed.group(2)) < millis) {
                findings.add(new CrdtFunctionsFinding(Severity.SLOW, node, setting, value, advice));
            }
        }

        private static long unit(@Nullable String name) {
            return "m".equals(name) ? 60_000 : "s".equals(name) ? 1000 : 1;
        }
    }
}
