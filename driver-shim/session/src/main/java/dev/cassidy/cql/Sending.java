package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.cassandra.HomeNodes;
import java.util.Optional;

/** How a statement may be sent, by what is declared of the tables that it writes to. */
sealed interface Sending {

    /**
     * Returns an insert whose id is drawn for it, as it is to be sent.
     *
     * @throws WriteModeException if it must not be sent
     */
    BatchableStatement<?> drawn(BatchableStatement<?> insert, Identity identity);

    /**
     * Returns a statement for which no id is drawn, as it is to be sent.
     *
     * @throws WriteModeException if it must not be sent
     */
    BatchableStatement<?> given(BatchableStatement<?> statement);

    /** Returns whether {@link #known} may be asked for a column's drawn value. */
    default boolean goesWith(String column) {
        return true;
    }

    /** As {@link #drawn}, of an insert whose text was looked at before, and that {@link #goesWith} its column. */
    default BatchableStatement<?> known(BatchableStatement<?> insert) {
        return insert;
    }

    /** Returns a batch in which a write is sent so, as it is to be sent: at its own level, or a stronger one. */
    default BatchStatement ofBatch(BatchStatement batch) {
        return batch;
    }

    /** As its user gave it. */
    record AsItIs() implements Sending {
        static final Sending INSTANCE = new AsItIs();

        @Override
        public BatchableStatement<?> drawn(BatchableStatement<?> insert, Identity identity) {
            return insert;
        }

        @Override
        public BatchableStatement<?> given(BatchableStatement<?> statement) {
            return statement;
        }
    }

    /** Under the condition that it has, at the level and on the nodes that its table's contract names. */
    record InOrder(HomeNodes nodes, TableWrites writes) implements Sending {
        @Override
        public BatchableStatement<?> drawn(BatchableStatement<?> insert, Identity identity) {
            return given(insert);
        }

        @Override
        public BatchableStatement<?> given(BatchableStatement<?> statement) {
            return (BatchableStatement<?>) nodes.ordered(statement, writes);
        }

        @Override
        public BatchStatement ofBatch(BatchStatement batch) {
            return (BatchStatement) nodes.ordered(batch, writes);
        }
    }

    /** Without a condition, if it inserts a row whose id is drawn for it. */
    record IfFresh(HomeNodes nodes, FreshInserts fresh, TableWrites writes) implements Sending {
        @Override
        public BatchStatement ofBatch(BatchStatement batch) {
            return (BatchStatement) nodes.fresh(batch, writes);
        }

        @Override
        public boolean goesWith(String column) {
            return fresh.refusal(writes, column).isEmpty();
        }

        @Override
        public BatchableStatement<?> known(BatchableStatement<?> insert) {
            return (BatchableStatement<?>) nodes.fresh(insert, writes);
        }

        @Override
        public BatchableStatement<?> drawn(BatchableStatement<?> insert, Identity identity) {
            if (identity.byDefault()) {
                // Rows were perhaps inserted by numbers of the sequence before it was the column's default.
                throw refused("its sequence was not made with the table");
            }
            Optional<String> refusal = fresh.refusal(writes, identity.column());
            if (refusal.isPresent()) {
                throw refused(refusal.get());
            }
            if (isTimed(insert)) {
                throw refused("it has a time of its own");
            }
            if (isComputed(insert)) {
                throw refused("it calls functions of the server, whose values differ each time that it is sent");
            }
            return known(insert);
        }

        @Override
        public BatchableStatement<?> given(BatchableStatement<?> statement) {
            throw refused("its id was not drawn for it");
        }

        /** A marker that has no value yet is that of a commit. */
        private static boolean isTimed(BatchableStatement<?> insert) {
            if (insert instanceof BoundStatement bound) {
                int marker =
                        bound.getPreparedStatement().getVariableDefinitions().firstIndexOf("[timestamp]");
                return marker >= 0
                        ? bound.isSet(marker)
                        : isTimed(bound.getPreparedStatement().getQuery());
            }
            return isTimed(((SimpleStatement) insert).getQuery());
        }

        private static boolean isComputed(BatchableStatement<?> insert) {
            String cql = insert instanceof BoundStatement bound
                    ? bound.getPreparedStatement().getQuery()
                    : ((SimpleStatement) insert).getQuery();
            return CqlInsert.recognise(cql).filter(CqlInsert::callsFunctions).isPresent();
        }

        private static boolean isTimed(String cql) {
            return CqlWrite.recognise(cql).filter(CqlWrite::isTimestamped).isPresent();
        }

        private WriteModeException refused(String why) {
            return new WriteModeException(
                    "an insert into " + writes.name() + ", whose writes are exact, needs IF NOT EXISTS: " + why
                            + ". Nothing was sent",
                    false);
        }
    }
}
