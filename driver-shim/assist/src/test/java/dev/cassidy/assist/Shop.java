package dev.cassidy.assist;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.ColumnModel.Place;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of a shop. */
public final class Shop {

    public static final TableModel ORDERS = table(
            "orders",
            1,
            0,
            column("id", "int", Place.PARTITION_KEY),
            indexed("status", "nvarchar(10)"),
            column("total", "decimal(10,2)", Place.REGULAR));

    public static final TableModel LINE = table(
            "line",
            1,
            1,
            column("order_id", "int", Place.PARTITION_KEY),
            column("no", "smallint", Place.CLUSTERING),
            column("sku", "varchar(20)", Place.REGULAR),
            column("qty", "int", Place.REGULAR));

    public static final TableModel ITEM = table(
            "item",
            1,
            0,
            column("sku", "varchar(20)", Place.PARTITION_KEY),
            column("name", "nvarchar(50)", Place.REGULAR));

    public static final TableModel VISIT =
            table("visit", 1, 0, column("id", "uniqueidentifier", Place.PARTITION_KEY), indexed("day", "date"));

    /** Its key ignores case. */
    public static final TableModel MEMBER = table(
            "member",
            1,
            0,
            new ColumnModel("email", type("nvarchar(50)"), Collation.standard(), Place.PARTITION_KEY, false),
            column("name", "nvarchar(50)", Place.REGULAR));

    private static final TableModel COUNTRY = new TableModel(
            "shop",
            "country",
            List.of(column("code", "char(2)", Place.PARTITION_KEY)),
            List.of("code"),
            List.of(),
            true);

    public static final TableModels TABLES =
            (qualifier, name) -> List.of(ORDERS, LINE, ITEM, VISIT, MEMBER, COUNTRY).stream()
                    .filter(table -> table.name().equals(name))
                    .findFirst();

    private Shop() {}

    private static TableModel table(String name, int partition, int clustering, ColumnModel... columns) {
        List<String> names = List.of(columns).stream().map(ColumnModel::name).toList();
        return new TableModel(
                "shop",
                name,
                List.of(columns),
                names.subList(0, partition),
                names.subList(partition, partition + clustering),
                false);
    }

    private static SqlType type(String text) {
        return SqlType.parse(text).orElseThrow();
    }

    private static ColumnModel column(String name, String type, Place place) {
        @Nullable Collation none = null;
        return new ColumnModel(name, type(type), none, place, false);
    }

    private static ColumnModel indexed(String name, String type) {
        return new ColumnModel(name, type(type), null, Place.REGULAR, true);
    }
}
