package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdentityType;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** What has to happen to one statement, alone or in a batch, before it is sent. */
sealed interface Filling {

    /** Returns the same, as it is to be sent. @throws WriteModeException if it must not be */
    Filling sent(Sending as);

    /**
     * Nothing.
     *
     * @param key the identity that the statement carries; null if it has none
     */
    record Complete(BatchableStatement<?> statement, GeneratedKeys.@Nullable Key key) implements Filling {

        @Override
        public Filling sent(Sending as) {
            return new Complete(as.given(statement), key);
        }

        IdentitySession.Filled filled() {
            return new IdentitySession.Filled(statement, keys());
        }

        IdentitySession.Held held() {
            return new IdentitySession.Held(statement, keys());
        }

        GeneratedKeys keys() {
            return key == null ? GeneratedKeys.NONE : new GeneratedKeys(List.of(key));
        }
    }

    /**
     * It wants an id.
     *
     * @param with makes the statement that carries an id, which fits the type
     * @param drawn the id, if another column of the row has it already; null if it is to be drawn
     */
    record Wanting(
            Identity identity,
            IdentityType type,
            LongFunction<BatchableStatement<?>> with,
            @Nullable Long drawn) implements Filling {

        Wanting(Identity identity, IdentityType type, LongFunction<BatchableStatement<?>> with) {
            this(identity, type, with, null);
        }

        @Override
        public Filling sent(Sending as) {
            return new Wanting(identity, type, id -> as.drawn(with.apply(id), identity), drawn);
        }

        /** Returns the same, of this id. */
        Wanting with(long id) {
            return new Wanting(identity, type, with, id);
        }

        /** Gives the statement its id. @throws IdentityInsertException if the id does not fit the column */
        Complete complete(long id) {
            return new Complete(
                    with.apply(IdentitySource.requireFit(id, type, identity)), key(identity, type, id, true));
        }
    }

    static GeneratedKeys.Key key(Identity identity, IdentityType type, long id, boolean generated) {
        return new GeneratedKeys.Key(
                identity.keyspace(), identity.table(), identity.column(), type, identity.sequence(), id, generated);
    }
}
