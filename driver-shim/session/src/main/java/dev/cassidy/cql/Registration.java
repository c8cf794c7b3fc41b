package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a table's registration, or the lack of one, forbids. */
final class Registration {

    private static final CompletionStage<Optional<Identity>> NONE = CompletableFuture.completedFuture(Optional.empty());

    private final TableShapes tables;
    private final TableCatalog catalog;
    private final ForeignTables foreign;

    Registration(TableShapes tables, TableCatalog catalog, ForeignTables foreign) {
        this.tables = tables;
        this.catalog = catalog;
        this.foreign = foreign;
    }

    /**
     * Judges an insert into a table that seems to have no generated key. Refuses an insert that leaves out the table's one
     * integer key, unless the table was registered a moment ago. Also refuses one that gives this key, if the table may
     * be registered unknown to us, since the key could be one that the sequence issues.
     *
     * @return the generated key, if there is one after all
     */
    CompletionStage<Optional<Identity>> requireRegistered(CqlInsert insert, Optional<String> keyspace) {
        if (keyspace.isEmpty()) {
            return NONE;
        }
        if (insert.isJson()) {
            return requireKnown(insert, keyspace).thenCompose(known -> NONE);
        }
        return foreign.refuseInsert(keyspace.get(), insert.table()).thenCompose(own -> identity(insert, keyspace));
    }

    private CompletionStage<Optional<Identity>> identity(CqlInsert insert, Optional<String> keyspace) {
        return tables.find(keyspace.get(), insert.table()).thenCompose(shape -> {
            Optional<String> key = shape.flatMap(TableShape::soleIntegerKey);
            if (key.isEmpty()) {
                return NONE;
            }
            String table = keyspace.get() + '.' + insert.table();
            if (insert.columns().contains(key.get())) {
                requireKnown(table, key.get());
                return NONE;
            }
            return catalog.drawnNow(keyspace.get(), insert.table()).thenApply(found -> {
                if (found.isEmpty()) {
                    throw catalog.incomplete()
                            .map(cause -> unknown(
                                    table,
                                    "An insert that leaves out " + key.get() + " needs the table's sequence",
                                    cause))
                            .orElseGet(() -> notRegistered(keyspace.get(), insert.table(), key.get()));
                }
                return Optional.of(found.get(0));
            });
        });
    }

    /** Refuses what a statement writes to other installations' tables. */
    CompletionStage<Void> requireOwn(List<CqlChange> changes, @Nullable String keyspace) {
        return foreign.refuse(changes, keyspace);
    }

    /** As {@link #requireRegistered}, for an explicit key alone. */
    CompletionStage<Void> requireKnown(CqlInsert insert, Optional<String> keyspace) {
        if (keyspace.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> own = foreign.refuseInsert(keyspace.get(), insert.table());
        return catalog.incomplete().isEmpty() ? own : own.thenCompose(done -> requireComplete(insert, keyspace));
    }

    private CompletionStage<Void> requireComplete(CqlInsert insert, Optional<String> keyspace) {
        return tables.find(keyspace.get(), insert.table()).thenAccept(shape -> shape.flatMap(TableShape::soleIntegerKey)
                .filter(key -> insert.isJson() || insert.columns().contains(key))
                .ifPresent(key -> requireKnown(keyspace.get() + '.' + insert.table(), key)));
    }

    private void requireKnown(String table, String key) {
        catalog.incomplete().ifPresent(cause -> {
            throw unknown(table, "An explicit " + key + " could be one that a sequence issues", cause);
        });
    }

    private static IdentityInsertException unknown(String table, String why, Throwable cause) {
        return new IdentityInsertException(
                Reason.REGISTRATION_UNKNOWN,
                "whether " + table + " has an identity column is not known, since Cassidy's global keyspace has not"
                        + " answered since this client began: " + cause.getMessage() + ". " + why
                        + ". Writes to tables whose registration this datacenter knows continue. Try again once the"
                        + " datacenters reach each other",
                cause);
    }

    private static IdentityInsertException notRegistered(String keyspace, String table, String column) {
        return new IdentityInsertException(
                Reason.NOT_REGISTERED,
                "the insert leaves out " + column + ", the key of " + keyspace + "." + table
                        + ", and no sequence is registered for it",
                new Remedy.RegisterIdentity(keyspace, table, column));
    }

    /** Tells whether an insert that does not name the identity wants an id. */
    CompletionStage<Boolean> wantsId(CqlInsert insert, Identity identity) {
        return tables.find(identity.keyspace(), identity.table())
                .thenApply(shape -> shape.filter(table -> table.writesNoRow(insert.columns(), identity.column()))
                        .isEmpty());
    }

    static IdentityInsertException preparedBefore(CqlInsert insert, Identity identity) {
        return new IdentityInsertException(
                Reason.PREPARED_BEFORE_REGISTRATION,
                "the statement was prepared before " + IdentitySource.column(identity) + " was registered for sequence "
                        + identity.sequence() + ", or not by this session, and has no place for an id: prepare it"
                        + " again: " + insert.text());
    }

    static void refuseJson(CqlInsert insert, Identity identity) {
        if (insert.isJson()) {
            throw new IdentityInsertException(
                    Reason.JSON,
                    "INSERT JSON into " + identity.keyspace() + '.' + identity.table()
                            + ", which has the identity column " + identity.column()
                            + ", is not supported: name the columns and give VALUES (...)");
        }
    }

    /** Refuses the BEGIN BATCH whose inserts are into these tables if one of them is registered. */
    CompletionStage<Void> refuseBatchText(List<CqlInsert.Table> tables, TableCatalog catalog) {
        List<CompletableFuture<?>> lookups = new ArrayList<>(tables.size());
        for (CqlInsert.Table table : tables) {
            lookups.add(catalog.find(table.keyspace(), table.name())
                    .thenCompose(identity -> {
                        identity.ifPresent(Registration::refuseBatchText);
                        return requireKnown(table);
                    })
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(lookups.toArray(CompletableFuture<?>[]::new));
    }

    /** The content of an insert in a BEGIN BATCH is not read. */
    private CompletionStage<Void> requireKnown(CqlInsert.Table table) {
        Optional<String> keyspace = catalog.keyspaceOr(table.keyspace());
        if (keyspace.isEmpty() || catalog.incomplete().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return tables.find(keyspace.get(), table.name()).thenAccept(shape -> shape.flatMap(TableShape::soleIntegerKey)
                .ifPresent(key -> requireKnown(keyspace.get() + '.' + table.name(), key)));
    }

    static void refuseBatchText(Identity identity) {
        throw new IdentityInsertException(
                Reason.BATCH_TEXT,
                "an insert into " + identity.keyspace() + '.' + identity.table()
                        + ", which has the identity column " + identity.column()
                        + ", within BEGIN BATCH is not supported: send the statements in a"
                        + " BatchStatement");
    }

    /** Looks up the type of an identity column; the stage fails if it is no integer of the table. */
    CompletionStage<IdentityType> type(Identity identity) {
        return tables.find(identity.keyspace(), identity.table())
                .thenApply(shape -> shape.flatMap(table -> table.integerType(identity.column()))
                        .orElseThrow(() ->
                                columnType(identity, shape.isPresent() ? "of another type, or missing" : "missing")));
    }

    static IdentityType type(Identity identity, DataType type) {
        return TableShape.typeOf(type).orElseThrow(() -> columnType(identity, type.asCql(false, false)));
    }

    private static IdentityInsertException columnType(Identity identity, String found) {
        return new IdentityInsertException(
                Reason.COLUMN_TYPE,
                "must be smallint, int or bigint: the identity column " + IdentitySource.column(identity)
                        + ", registered for sequence " + identity.sequence() + ", is " + found);
    }
}
