package dev.cassidy.jdbc.session;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What tables' contracts say of them; nothing is said on a cluster without Cassidy. */
final class ContractDeclarations implements DeclaredTables {

    /** Each attempt opens the sequences, and may take a time-out. */
    private static final Duration FAILURE_REMEMBERED = Duration.ofMinutes(1);

    /** Of these nothing is ever declared, and reading them must not open the sequences. */
    private static final Set<String> SERVERS_KEYSPACES = Set.of(
            "system",
            "system_auth",
            "system_distributed",
            "system_schema",
            "system_traces",
            "system_views",
            "system_virtual_schema");

    private final LazyIdentitySession session;
    private final LongSupplier nanoTime;
    private volatile @Nullable Failure failure;

    /** @param passing whether the cluster may answer a moment later */
    private record Failure(SQLException error, boolean passing, long at) {}

    ContractDeclarations(LazyIdentitySession session, LongSupplier nanoTime) {
        this.session = session;
        this.nanoTime = nanoTime;
    }

    @Override
    public Optional<TableDefinition> definition(String keyspace, String table, UUID id) {
        return ask(tables -> tables.definitionAsync(keyspace, table, id));
    }

    @Override
    public Optional<TableDefinition> definitionForReads(String keyspace, String table, UUID id) {
        if (SERVERS_KEYSPACES.contains(keyspace) || remembered(false)) {
            return Optional.empty();
        }
        try {
            return definition(keyspace, table, id);
        } catch (UnreadDeclarations e) {
            if (remember(e).passing()) {
                throw e;
            }
            return Optional.empty();
        }
    }

    @Override
    public Optional<TableDefinition> knownDefinition(String keyspace, String table, UUID id) {
        if (SERVERS_KEYSPACES.contains(keyspace) || remembered(true)) {
            return Optional.empty();
        }
        try {
            return ask(tables -> tables.knownDefinitionAsync(keyspace, table, id));
        } catch (UnreadDeclarations e) {
            remember(e);
            return Optional.empty();
        }
    }

    @Override
    public List<ColumnDefault> defaults(String keyspace, String table) {
        return ask(tables -> tables.defaultsAsync(keyspace, table).thenApply(Optional::of))
                .orElse(List.of());
    }

    @Override
    public boolean areNoneUnique() {
        try {
            return !(session.writing() instanceof IdentitySession identities)
                    || InternalAccess.tables(identities.sequences()).areNoneUnique();
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public boolean areNoneTwinned() {
        try {
            return !(session.writing() instanceof IdentitySession identities)
                    || InternalAccess.tables(identities.sequences()).areNoneTwinned();
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public boolean areNoneCounted() {
        try {
            return !(session.writing() instanceof IdentitySession identities)
                    || InternalAccess.tables(identities.sequences()).areNoneCounted();
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public Optional<TableDefinition> cachedDefinition(String keyspace, String table) {
        return ask(tables -> CompletableFuture.completedFuture(tables.cachedDefinition(keyspace, table)));
    }

    @Override
    public boolean isSmall(String keyspace, String table, UUID id) {
        if (isOfServer(keyspace) || remembered(true)) {
            return false;
        }
        try {
            return ask(tables -> CompletableFuture.completedFuture(Optional.of(tables.isSmall(keyspace, table, id))))
                    .orElse(false);
        } catch (UnreadDeclarations e) {
            remember(e);
            return false;
        }
    }

    /** Returns whether a keyspace is one of Cassandra's own. */
    static boolean isOfServer(String keyspace) {
        return SERVERS_KEYSPACES.contains(keyspace);
    }

    @Override
    public Optional<String> identity(String keyspace, String table) {
        try {
            return session.writing() instanceof IdentitySession identities
                    ? identities
                            .catalog()
                            .find(keyspace, table)
                            .toCompletableFuture()
                            .join()
                            .map(Identity::column)
                    : Optional.empty();
        } catch (SQLException e) {
            throw new UnreadDeclarations(e);
        } catch (RuntimeException e) {
            throw new UnreadDeclarations(SqlErrors.of(e));
        }
    }

    @Override
    public void readAgain(String keyspace, String table) {
        Optional<Void> unused =
                ask(tables -> tables.readAnewAsync(keyspace, table).thenApply(read -> Optional.empty()));
    }

    private <T> Optional<T> ask(Function<TableRegistry, CompletionStage<Optional<T>>> question) {
        try {
            return session.writing() instanceof IdentitySession identities
                    ? question.apply(InternalAccess.tables(identities.sequences()))
                            .toCompletableFuture()
                            .join()
                    : Optional.empty();
        } catch (SQLException e) {
            throw new UnreadDeclarations(e);
        } catch (RuntimeException e) {
            throw new UnreadDeclarations(SqlErrors.of(e));
        }
    }

    private Failure remember(UnreadDeclarations unread) {
        String state = String.valueOf(unread.error().getSQLState());
        Failure now = new Failure(
                unread.error(),
                state.startsWith("08") || state.startsWith("53") || state.equals(SqlStates.TIMEOUT),
                nanoTime.getAsLong());
        failure = now;
        return now;
    }

    private boolean remembered(boolean passingToo) {
        Failure known = failure;
        return known != null
                && (passingToo || !known.passing())
                && nanoTime.getAsLong() - known.at() < FAILURE_REMEMBERED.toNanos();
    }
}
