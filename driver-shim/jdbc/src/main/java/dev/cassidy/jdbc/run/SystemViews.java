package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Queries of SQL Server's system views that Hibernate's dialect sends, word for word. The driver answers them itself. */
record SystemViews(SharedSession session) {

    /** Without an answer Hibernate uses DatabaseMetaData. */
    private static final String COMPATIBILITY_LEVEL =
            "SELECT compatibility_level FROM sys.databases WHERE name = db_name()";

    /** Of the check of a schema. */
    private static final String SEQUENCES = "SELECT * FROM INFORMATION_SCHEMA.SEQUENCES";

    private static final List<Column> SEQUENCE_COLUMNS = List.of(
            Column.of("SEQUENCE_CATALOG", DataTypes.TEXT),
            Column.of("SEQUENCE_SCHEMA", DataTypes.TEXT),
            Column.of("SEQUENCE_NAME", DataTypes.TEXT),
            Column.of("DATA_TYPE", DataTypes.TEXT),
            Column.of("START_VALUE", DataTypes.BIGINT),
            Column.of("MINIMUM_VALUE", DataTypes.BIGINT),
            Column.of("MAXIMUM_VALUE", DataTypes.BIGINT),
            Column.of("INCREMENT", DataTypes.BIGINT));

    /** Returns whether the driver answers the query. */
    boolean isOf(String text) {
        String query = text.strip();
        return query.equalsIgnoreCase(COMPATIBILITY_LEVEL) || query.equalsIgnoreCase(SEQUENCES);
    }

    /** Returns the answer to such a query. */
    Cursor rows(String text) throws SQLException {
        return text.strip().equalsIgnoreCase(SEQUENCES)
                ? new Cursor.Listed(SEQUENCE_COLUMNS, sequences())
                : new Cursor.Listed(List.of(Column.of("compatibility_level", DataTypes.INT)), List.of());
    }

    /** Returns the sequences of the keyspace in use. */
    private List<List<@Nullable Object>> sequences() throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        String keyspace =
                session.plain().getKeyspace().map(CqlIdentifier::asInternal).orElse("");
        if (session.writing() instanceof IdentitySession identities) {
            for (SequenceState state : identities.sequences().admin().list()) {
                SequenceSpec spec = state.spec();
                if (!state.dropped() && spec.name().startsWith(keyspace + ".")) {
                    List<@Nullable Object> row = new ArrayList<>();
                    row.add(null);
                    row.add(keyspace);
                    row.add(spec.name().substring(keyspace.length() + 1));
                    row.add(spec.type().name().toLowerCase(Locale.ROOT));
                    row.add(spec.start());
                    row.add(spec.minimum());
                    row.add(spec.maximum());
                    row.add(spec.increment());
                    rows.add(row);
                }
            }
        }
        return rows;
    }
}
