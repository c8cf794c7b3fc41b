package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.LikePattern;
import dev.cassidy.jdbc.value.MetaRows;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code sp_columns} and {@code sp_help}, with the columns that SQL Server gives them. */
final class TableProcedures {

    private static final short NULLABLE = 1;

    private final SharedSession session;
    private final CatalogTables tables;

    TableProcedures(SharedSession session) {
        this.session = session;
        this.tables = new CatalogTables(session);
    }

    /** Returns the columns of what {@link #columns(TsqlStep.TableColumns)} returns. */
    static List<Column> columnsOfColumns() {
        return columns().columns();
    }

    private static MetaRows columns() {
        return new MetaRows(
                "TABLE_QUALIFIER",
                "TABLE_OWNER",
                "TABLE_NAME",
                "COLUMN_NAME",
                "DATA_TYPE smallint",
                "TYPE_NAME",
                "PRECISION int",
                "LENGTH int",
                "SCALE smallint",
                "RADIX smallint",
                "NULLABLE smallint",
                "REMARKS",
                "COLUMN_DEF",
                "SQL_DATA_TYPE smallint",
                "SQL_DATETIME_SUB smallint",
                "CHAR_OCTET_LENGTH int",
                "ORDINAL_POSITION int",
                "IS_NULLABLE",
                "SS_DATA_TYPE smallint");
    }

    Cursor columns(TsqlStep.TableColumns step) throws SQLException {
        MetaRows rows = columns();
        KeyspaceMetadata keyspace = tables.keyspace(step.owner()).orElse(null);
        if (keyspace != null) {
            String owner = step.owner() == null ? keyspace.getName().asInternal() : step.owner();
            for (CatalogTable table : tables.in(keyspace, step.table())) {
                for (CatalogTable.Shown column :
                        LikePattern.matching(table.columns(), step.column(), CatalogTable.Shown::label)) {
                    add(rows, keyspace.getName().asInternal(), owner, table, column);
                }
            }
        }
        return new Cursor.Listed(rows.columns(), rows.rows());
    }

    private static void add(
            MetaRows rows, String qualifier, String owner, CatalogTable table, CatalogTable.Shown column) {
        DeclaredType type = column.type();
        rows.add(
                qualifier,
                owner,
                table.name(),
                column.label(),
                type == null ? null : Short.valueOf((short) type.odbc()),
                column.identity() ? column.typeName() + " identity" : column.typeName(),
                type == null ? null : Integer.valueOf(type.size()),
                type == null ? null : transferred(type),
                type == null ? null : narrow(type.digits()),
                type == null ? null : narrow(type.radix()),
                column.required() ? (short) 0 : NULLABLE,
                null,
                column.defaultValue(),
                type == null ? null : Short.valueOf((short) type.odbc()),
                null,
                type == null ? null : type.octets(),
                column.position(),
                column.required() ? "NO" : "YES",
                null);
    }

    private static @Nullable Short narrow(@Nullable Integer value) {
        return value == null ? null : value.shortValue();
    }

    /** Returns how many bytes ODBC transfers. */
    private static Integer transferred(DeclaredType type) {
        Integer octets = type.octets();
        if (octets != null) {
            return octets;
        }
        return switch (type.type().name()) {
            // As texts.
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY -> type.size() + 2;
            case DATE, TIME, DATETIME2, DATETIMEOFFSET -> 2 * type.size();
            case SMALLDATETIME, DATETIME -> 16;
            default -> type.bytes();
        };
    }

    // ---- sp_help

    /** Returns the columns of what {@link #help} returns. */
    static List<Column> columnsOfHelp(TsqlStep.TableHelp.Part part) {
        return part(part).columns();
    }

    private static MetaRows part(TsqlStep.TableHelp.Part part) {
        return switch (part) {
            case TABLE -> new MetaRows("Name", "Owner", "Type", "Created_datetime");
            case COLUMNS ->
                new MetaRows(
                        "Column_name",
                        "Type",
                        "Computed",
                        "Length int",
                        "Prec",
                        "Scale",
                        "Nullable",
                        "TrimTrailingBlanks",
                        "FixedLenNullInSource",
                        "Collation");
            case IDENTITY -> new MetaRows("Identity", "Seed bigint", "Increment bigint", "Not For Replication int");
            case ROW_GUID -> new MetaRows("RowGuidCol");
            case FILE_GROUP -> new MetaRows("Data_located_on_filegroup");
            case INDEXES -> new MetaRows("index_name", "index_description", "index_keys");
            case CONSTRAINTS ->
                new MetaRows(
                        "constraint_type",
                        "constraint_name",
                        "delete_action",
                        "update_action",
                        "status_enabled",
                        "status_for_replication",
                        "constraint_keys");
        };
    }

    Cursor help(TsqlStep.TableHelp step) throws SQLException {
        CatalogTable table = find(step.table());
        MetaRows rows = part(step.part());
        switch (step.part()) {
            case TABLE -> rows.add(table.name(), "dbo", table.isView() ? "view" : "user table", null);
            case COLUMNS -> table.columns().forEach(column -> describe(rows, column));
            case IDENTITY -> identity(rows, table);
            case ROW_GUID -> rows.add("No rowguidcol column defined.");
            case FILE_GROUP -> rows.add("PRIMARY");
            case INDEXES -> indexes(rows, table);
            case CONSTRAINTS -> constraints(rows, table);
        }
        return new Cursor.Listed(rows.columns(), rows.rows());
    }

    private List<CatalogTable> named(CqlInsert.Table named) throws SQLException {
        KeyspaceMetadata keyspace = tables.keyspace(named.keyspace()).orElse(null);
        return keyspace == null ? List.of() : tables.in(keyspace, LikePattern.escaped(named.name()));
    }

    private CatalogTable find(CqlInsert.Table named) throws SQLException {
        List<CatalogTable> found = named(named);
        if (found.isEmpty()) {
            session.tables().readAgain(named);
            found = named(named);
        }
        if (found.size() != 1) {
            throw SqlServerErrors.rule(
                    15009,
                    "The object '" + named.name() + "' does not exist in database '"
                            + tables.keyspace(named.keyspace())
                                    .map(in -> in.getName().asInternal())
                                    .orElse(named.keyspace())
                            + "' or is invalid for this operation. sp_help describes tables and views");
        }
        return found.get(0);
    }

    private static void describe(MetaRows rows, CatalogTable.Shown column) {
        DeclaredType type = column.type();
        boolean number = type != null && (type.isNumber() || type.isTime());
        boolean octets = type != null && type.octets() != null;
        rows.add(
                column.label(),
                column.typeName(),
                "no",
                type == null ? null : Integer.valueOf(type.bytes()),
                padded(type == null || !number ? null : Integer.valueOf(type.bitsOrDigits())),
                padded(type == null || !number ? null : type.digits()),
                column.required() ? "no" : "yes",
                octets ? "no" : "(n/a)",
                octets ? (column.required() ? "no" : "yes") : "(n/a)",
                column.collation());
    }

    /** A text of five characters, as SQL Server gives it. */
    private static String padded(@Nullable Integer number) {
        return number == null ? "     " : String.format(Locale.ROOT, "%-5d", number);
    }

    private void identity(MetaRows rows, CatalogTable table) throws SQLException {
        CatalogTable.Shown identity = table.columns().stream()
                .filter(CatalogTable.Shown::identity)
                .findFirst()
                .orElse(null);
        SequenceSpec spec = identity == null || !(session.writing() instanceof IdentitySession identities)
                ? null
                : InternalAccess.tables(identities.sequences())
                        .identityAsync(table.keyspace(), table.name())
                        .toCompletableFuture()
                        .join()
                        .map(IdentityColumn::sequence)
                        .flatMap(sequence -> identities.sequences().admin().find(sequence))
                        .map(state -> state.spec())
                        .orElse(null);
        rows.add(
                identity == null ? "No identity column defined." : identity.label(),
                spec == null ? null : spec.start(),
                spec == null ? null : spec.increment(),
                identity == null ? null : 0);
    }

    private static void indexes(MetaRows rows, CatalogTable table) {
        CatalogTable.Constraint key = table.constraints().get(0);
        rows.add(key.name(), "clustered, unique, primary key located on PRIMARY", String.join(", ", key.columns()));
        for (UniqueKey unique : table.uniqueKeys()) {
            rows.add(
                    unique.shown(table.name()),
                    "nonclustered, unique, " + (unique.isIndex() ? "" : "unique key ") + "located on PRIMARY",
                    String.join(", ", unique.columns()));
        }
        if (table.relation() instanceof TableMetadata indexed) {
            for (IndexMetadata index : indexed.getIndexes().values()) {
                rows.add(
                        index.getName().asInternal(), "nonclustered located on PRIMARY", Twin.shown(index.getTarget()));
            }
        }
    }

    private static void constraints(MetaRows rows, CatalogTable table) {
        for (CatalogTable.Constraint each : table.constraints()) {
            boolean key = each.kind().equals("PRIMARY KEY");
            boolean reference = each.kind().equals("FOREIGN KEY");
            String columns = String.join(", ", each.columns());
            rows.add(
                    (key ? "PRIMARY KEY (clustered)" : each.kind())
                            + (each.kind().equals("CHECK") && each.columns().size() == 1
                                    ? " on column " + columns
                                    : ""),
                    each.name(),
                    reference ? "No Action" : "(n/a)",
                    reference ? "No Action" : "(n/a)",
                    key ? "(n/a)" : each.enforced() ? "Enabled" : "Disabled",
                    key ? "(n/a)" : each.enforced() ? "Is_For_Replication" : "Not_For_Replication",
                    key ? columns : each.text());
        }
        for (CatalogTable.Shown column : table.columns()) {
            ColumnDefault given = column.columnDefault();
            if (given != null) {
                rows.add(
                        "DEFAULT on column " + column.label(),
                        given.name(),
                        "(n/a)",
                        "(n/a)",
                        "(n/a)",
                        "(n/a)",
                        given.expression());
            }
        }
    }
}
