package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.table.TableWrites;
import java.util.Objects;
import java.util.Optional;

/** How a statement may be sent, by what is declared of the tables that it writes to. */
sealed interface Sending {

    /** Returns what has to happen to the statement. @throws WriteModeException if it must not be sent */
    Filling of(Filling filling);

    /** Returns whether an insert without a condition may be sent once a column has a drawn value. */
    default boolean goesWith(String column) {
        return true;
    }

    /** Returns an insert that has its drawn value, and {@link #goesWith} it, as it is to be sent. */
    default BatchableStatement<?> drawn(BatchableStatement<?> insert) {
        return insert;
    }

    /** As its user gave it. */
    record AsItIs() implements Sending {
        static final Sending INSTANCE = new AsItIs();

        @Override
        public Filling of(Filling filling) {
            return filling;
        }
    }

    /** Under the condition that it has, at the level and on the nodes that its table's contract names. */
    record InOrder(HomeNodes nodes, TableWrites writes) implements Sending {
        @Override
        public Filling of(Filling filling) {
            return filling.sent(statement -> (BatchableStatement<?>) nodes.ordered(statement, writes));
        }
    }

    /** Without a condition, if it inserts a row whose id is drawn for it. */
    record IfFresh(HomeNodes nodes, FreshInserts fresh, TableWrites writes) implements Sending {
        @Override
        public boolean goesWith(String column) {
            return fresh.refusal(writes, column).isEmpty();
        }

        @Override
        public BatchableStatement<?> drawn(BatchableStatement<?> insert) {
            if (isTimed(insert)) {
                throw refused("it has a time of its own");
            }
            return (BatchableStatement<?>) nodes.fresh(insert, Objects.requireNonNull(writes.exact()));
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

        private static boolean isTimed(String cql) {
            return CqlWrite.recognise(cql).filter(CqlWrite::isTimestamped).isPresent();
        }

        @Override
        public Filling of(Filling filling) {
            if (!(filling instanceof Filling.Wanting wanting)) {
                throw refused("its id was not drawn for it");
            }
            Optional<String> refusal = fresh.refusal(writes, wanting.identity().column());
            if (refusal.isPresent()) {
                throw refused(refusal.get());
            }
            return filling.sent(this::drawn);
        }

        private WriteModeException refused(String why) {
            return new WriteModeException(
                    "an insert into " + writes.keyspace() + "." + writes.table()
                            + ", whose writes are exact, needs IF NOT EXISTS: " + why + ". Nothing was sent",
                    false);
        }
    }
}
