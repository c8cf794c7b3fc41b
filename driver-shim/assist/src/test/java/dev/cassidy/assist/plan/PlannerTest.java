package dev.cassidy.assist.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.assist.Shop;
import dev.cassidy.assist.Trees;
import dev.cassidy.jdbc.assist.ColumnModel;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {

    /** Shows a plan: {@code orders KEY(id=?0), line PARTITION(order_id=0.id), item SCAN}. */
    private static String plan(String sql, @Nullable Object... parameters) {
        ReadPlan plan = Planner.plan(Trees.select(sql), Shop.TABLES, Arrays.asList(parameters));
        return plan.reads().stream().map(PlannerTest::shown).collect(Collectors.joining(", "));
    }

    private static String shown(TableRead read) {
        if (!(read.access() instanceof Access.Keyed keyed)) {
            return read.table().name() + " SCAN";
        }
        return read.table().name() + " " + keyed.reach()
                + keyed.parts().stream()
                        .map(part -> part.column().name() + "=" + shown(part.source()))
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static String shown(Source source) {
        if (source instanceof Source.OtherColumn other) {
            return other.read() + "." + other.column().name();
        }
        return ((Source.Terms) source)
                .terms().stream()
                        .map(term -> term instanceof Term.Parameter parameter
                                ? "?" + parameter.index()
                                : "" + ((Term.Literal) term).value())
                        .collect(Collectors.joining("|"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
            SELECT * FROM orders WHERE id = 7                                       ; orders KEY(id=7)
            SELECT * FROM [dbo].[Orders] o WHERE o.ID = -7                          ; orders KEY(id=-7)
            SELECT * FROM orders WHERE 7 = id AND status = N'it''s'                 ; orders KEY(id=7)
            SELECT * FROM orders WHERE status = 'open'                              ; orders INDEX(status=open)
            SELECT * FROM orders WHERE id IN (1, 2) OR (id = 3)                     ; orders KEY(id=1|2|3)
            SELECT * FROM orders WHERE id = 1 OR status = 'open'                    ; orders SCAN
            SELECT * FROM orders WHERE id = 1.0                                     ; orders KEY(id=1)
            SELECT * FROM orders WHERE id = 1.5                                     ; orders SCAN
            SELECT * FROM orders WHERE id = 1e0                                     ; orders KEY(id=1)
            SELECT * FROM orders WHERE id = 9007199254740992e0                      ; orders SCAN
            SELECT * FROM orders WHERE id IN (1e0, 9007199254740993)                ; orders SCAN
            SELECT * FROM orders WHERE id IN (-1.00, 2)                             ; orders KEY(id=-1|2)
            SELECT * FROM orders WHERE id = '1'                                     ; orders KEY(id=1)
            SELECT * FROM orders WHERE N'-1' = id                                   ; orders KEY(id=-1)
            SELECT * FROM orders WHERE id = '1.0'                                   ; orders SCAN
            SELECT * FROM orders WHERE id IN ('1', 'x')                             ; orders SCAN
            SELECT * FROM orders WHERE id = '3000000000'                            ; orders SCAN
            SELECT * FROM orders WHERE id = CAST(5 AS INT)                          ; orders KEY(id=5)
            SELECT * FROM orders WHERE id = CAST('5' AS BIGINT)                     ; orders KEY(id=5)
            SELECT * FROM orders WHERE id = CAST(300 AS TINYINT)                    ; orders SCAN
            SELECT * FROM orders WHERE id = CAST(5.5 AS INT)                        ; orders SCAN
            SELECT * FROM orders WHERE id = TRY_CAST(5 AS INT)                      ; orders SCAN
            SELECT * FROM orders WHERE id = CAST(5 AS VARCHAR(5))                   ; orders SCAN
            SELECT * FROM orders WHERE status = 5                                   ; orders SCAN
            SELECT * FROM visit WHERE id = '6F9619FF-8B86-D011-B42D-00C04FC964FF'   ; visit KEY(id=6f9619ff-8b86-d011-b42d-00c04fc964ff)
            SELECT * FROM visit WHERE id = '{6F9619FF-8B86-D011-B42D-00C04FC964FF}' ; visit SCAN
            SELECT * FROM visit WHERE id = CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS UNIQUEIDENTIFIER) ; visit KEY(id=6f9619ff-8b86-d011-b42d-00c04fc964ff)
            SELECT * FROM visit WHERE day = '2024-02-29' OR day = '20240301'        ; visit INDEX(day=2024-02-29|2024-03-01)
            SELECT * FROM visit WHERE day = '2023-02-29'                            ; visit SCAN
            SELECT * FROM visit WHERE day = '02/01/2024'                            ; visit SCAN
            SELECT * FROM visit WHERE day = '2024-02-29 10:00'                      ; visit SCAN
            SELECT * FROM visit WHERE day IN ('2024-02-29', CAST('2024-02-29' AS DATE)) ; visit INDEX(day=2024-02-29|2024-02-29)
            SELECT * FROM orders WHERE id > 1 AND NOT (id = 4)                      ; orders SCAN
            SELECT * FROM orders WHERE id + 1 = 2                                   ; orders SCAN
            SELECT * FROM orders WHERE total = 5                                    ; orders SCAN
            SELECT * FROM line WHERE order_id = 1                                   ; line PARTITION(order_id=1)
            SELECT * FROM line WHERE order_id = 1 AND no IN (2, 3)                  ; line KEY(order_id=1, no=2|3)
            SELECT * FROM line WHERE no = 2                                         ; line SCAN
            SELECT o.status, l.qty FROM orders o JOIN line l ON l.order_id = o.id WHERE o.id = 7       ; orders KEY(id=7), line PARTITION(order_id=0.id)
            SELECT o.status, l.qty FROM line l, orders o WHERE l.order_id = o.id AND o.id = 7          ; orders KEY(id=7), line PARTITION(order_id=0.id)
            SELECT 1 FROM orders o JOIN line l ON l.order_id = o.id JOIN item i ON i.sku = l.sku WHERE o.id = 7 ; orders KEY(id=7), line PARTITION(order_id=0.id), item KEY(sku=1.sku)
            SELECT 1 FROM orders o LEFT JOIN line l ON l.order_id = o.id WHERE o.id = 7                ; orders KEY(id=7), line PARTITION(order_id=0.id)
            SELECT 1 FROM orders o LEFT JOIN line l ON l.order_id = o.id AND o.id = 7                  ; orders SCAN, line PARTITION(order_id=0.id)
            SELECT 1 FROM orders o RIGHT JOIN line l ON l.order_id = o.id AND l.order_id = 7           ; line SCAN, orders KEY(id=0.order_id)
            SELECT 1 FROM orders o FULL JOIN line l ON l.order_id = o.id                               ; orders SCAN, line SCAN
            SELECT 1 FROM line a JOIN line b ON a.order_id = b.order_id AND a.no = b.no WHERE b.order_id = 1 AND b.no = 1 ; line KEY(order_id=1, no=1), line KEY(order_id=0.order_id, no=0.no)
            SELECT * FROM orders WHERE id IN (SELECT order_id FROM line WHERE order_id = 3)            ; line PARTITION(order_id=3), orders KEY(id=0.order_id)
            SELECT * FROM orders WHERE id NOT IN (SELECT order_id FROM line WHERE order_id = 3)        ; line PARTITION(order_id=3), orders SCAN
            SELECT * FROM orders o WHERE o.id = 1 AND EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id)  ; orders KEY(id=1), line PARTITION(order_id=0.id)
            SELECT * FROM orders o WHERE EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id AND l.order_id = 4)  ; line PARTITION(order_id=4), orders KEY(id=0.order_id)
            SELECT * FROM orders o WHERE EXISTS (SELECT COUNT(*) FROM line l WHERE l.order_id = o.id AND l.order_id = 4)  ; line PARTITION(order_id=4), orders SCAN
            SELECT * FROM orders o WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id AND l.order_id = 4)  ; line PARTITION(order_id=4), orders SCAN
            SELECT * FROM orders o WHERE EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id AND l.order_id = 4 HAVING COUNT(*) = 0) ; line PARTITION(order_id=4), orders SCAN
            SELECT 1 FROM orders, line WHERE id = 1 AND order_id = 2 AND no = 3                        ; orders KEY(id=1), line KEY(order_id=2, no=3)
            SELECT 1 FROM line, item WHERE sku = 'x'                                                   ; line SCAN, item SCAN
            SELECT * FROM orders WHERE id IN (SELECT order_id FROM line WHERE order_id = 3 UNION SELECT order_id FROM line WHERE order_id = 4) ; line PARTITION(order_id=3), line PARTITION(order_id=4), orders SCAN
            SELECT (SELECT COUNT(*) FROM line l WHERE l.order_id = o.id) FROM orders o WHERE o.id = 2  ; orders KEY(id=2), line PARTITION(order_id=0.id)
            SELECT d.id FROM (SELECT id, status FROM orders) d WHERE d.id = 2                          ; orders KEY(id=2)
            SELECT d.id FROM (SELECT TOP 1 id, status FROM orders ORDER BY total) d WHERE d.id = 2     ; orders SCAN
            SELECT d.n FROM (SELECT id AS n, COUNT(*) c FROM orders GROUP BY id) d WHERE d.n = 2       ; orders KEY(id=2)
            SELECT d.n FROM (SELECT id AS n, ROW_NUMBER() OVER (ORDER BY id) r FROM orders) d WHERE d.n = 2 ; orders SCAN
            SELECT d.n FROM (SELECT id AS n, COUNT(*) c FROM orders GROUP BY ROLLUP(id)) d WHERE d.n = 2    ; orders SCAN
            WITH w AS (SELECT id FROM orders WHERE status = 'open') SELECT l.qty FROM w JOIN line l ON l.order_id = w.id ; orders INDEX(status=open), line PARTITION(order_id=0.id)
            WITH w AS (SELECT id FROM orders) SELECT * FROM w WHERE w.id = 1 UNION SELECT id FROM w    ; orders SCAN
            SELECT id FROM orders WHERE id = 1 UNION ALL SELECT order_id FROM line WHERE order_id = 2  ; orders KEY(id=1), line PARTITION(order_id=2)
            SELECT 1 FROM member m WHERE m.email = 'Ann@x'                                             ; member KEY(email=Ann@x)
            SELECT 1 FROM member m JOIN item i ON m.email = i.sku                                      ; member SCAN, item SCAN
            SELECT 1 FROM item i, country c                                                            ; country SCAN, item SCAN
            SELECT 1 FROM item i JOIN country c ON c.code = i.sku WHERE i.sku = 'de'                   ; item KEY(sku=de), country KEY(code=0.sku)
            SELECT 1 FROM item i JOIN country c ON c.code = i.sku WHERE c.code = 'de'                  ; country KEY(code=de), item SCAN
            SELECT 1 FROM country c JOIN country d ON d.code = c.code WHERE c.code = 'de'              ; country KEY(code=de), country KEY(code=0.code)
            """)
    void shouldFindRowsByKeys(String sql, String wanted) {
        assertThat(plan(sql)).isEqualTo(wanted);
    }

    @Test
    void shouldFindRowsByParametersOfTheColumnsType() {
        assertThat(plan("SELECT * FROM orders WHERE id = ?", 7L)).isEqualTo("orders KEY(id=?0)");
        assertThat(plan("SELECT ? FROM orders WHERE status = ? AND id = ?", "x", "open", 7))
                .isEqualTo("orders KEY(id=?2)");
        UUID key = UUID.randomUUID();
        assertThat(plan("SELECT * FROM visit WHERE id = ?", key)).isEqualTo("visit KEY(id=?0)");
        assertThat(plan("SELECT * FROM orders WHERE id = ?", (Object) null)).isEqualTo("orders KEY(id=?0)");
        for (Object other : List.of("7.5", 7.5, new BigDecimal("7.5"), Instant.EPOCH, Float.NaN, 1e300)) {
            assertThat(plan("SELECT * FROM orders WHERE id = ?", other)).isEqualTo("orders SCAN");
        }
    }

    @Test
    void shouldConvertParametersToTheTypeOfTheColumn() {
        for (Object other : List.of("7", 7.0, 7f, new BigDecimal("7.00"))) {
            assertThat(plan("SELECT * FROM orders WHERE id = ?", other)).isEqualTo("orders KEY(id=7)");
        }
        assertThat(plan("SELECT * FROM orders WHERE id = CAST(? AS INT)", 7)).isEqualTo("orders KEY(id=7)");
        UUID key = UUID.randomUUID();
        assertThat(plan("SELECT * FROM visit WHERE id = ?", key.toString())).isEqualTo("visit KEY(id=" + key + ")");
        assertThat(plan("SELECT * FROM visit WHERE day = ?", "2024-02-29")).isEqualTo("visit INDEX(day=2024-02-29)");
        // As float two numbers are one from here on, as real much earlier.
        assertThat(plan("SELECT * FROM orders WHERE id = ?", (double) (1L << 53)))
                .isEqualTo("orders SCAN");
        assertThat(plan("SELECT * FROM orders WHERE id = ?", (float) (1 << 24))).isEqualTo("orders SCAN");
    }

    @Test
    void shouldDecideWhetherAParameterIsNull() {
        String search = "SELECT * FROM orders WHERE (? IS NULL OR id = ?) AND (? IS NULL OR status = ?)";
        assertThat(plan(search, 7, 7, null, null)).isEqualTo("orders KEY(id=?1)");
        assertThat(plan(search, null, null, "open", "open")).isEqualTo("orders INDEX(status=?3)");
        assertThat(plan(search, null, null, null, null)).isEqualTo("orders SCAN");
        assertThat(plan("SELECT * FROM orders WHERE id = ? OR ? IS NULL", 7, 7)).isEqualTo("orders KEY(id=?0)");
        assertThat(plan("SELECT * FROM orders WHERE id = ? OR NOT (? IS NOT NULL)", 7, 7))
                .isEqualTo("orders KEY(id=?0)");
        assertThat(plan("SELECT * FROM orders WHERE ? IS NOT NULL OR id = ?", null, 7))
                .isEqualTo("orders KEY(id=?1)");
        assertThat(plan("SELECT * FROM orders WHERE ? IS NOT NULL OR id = ?", 7, 7))
                .isEqualTo("orders SCAN");
        assertThat(plan("SELECT * FROM orders WHERE ? IS NULL OR ? IS NULL OR id = 1", 7, 7))
                .isEqualTo("orders KEY(id=1)");
        assertThat(plan("SELECT * FROM orders WHERE ? IS NULL OR ? IS NULL OR id = 1", 7, null))
                .isEqualTo("orders SCAN");
        assertThat(plan("SELECT * FROM orders WHERE (? IS NULL AND status = 'x') OR id = 1", 7))
                .isEqualTo("orders KEY(id=1)");
        assertThat(plan("SELECT 1 FROM orders o, line l WHERE o.id = 1 AND (? IS NULL OR l.order_id = o.id)", 7))
                .isEqualTo("orders KEY(id=1), line PARTITION(order_id=0.id)");
        // Unknown is not false, but neither does it find a row.
        assertThat(plan("SELECT * FROM orders WHERE ? = 1 OR id = 1", (Object) null))
                .isEqualTo("orders SCAN");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
            SELECT * FROM item WHERE name = 'x'                                     ; name
            SELECT * FROM line WHERE sku = 'x' AND no = 2 AND qty > 1               ; no sku
            SELECT * FROM line WHERE qty > 1                                        ; ~~
            SELECT * FROM line WHERE qty = 1 OR no = 2                              ; ~~
            SELECT * FROM line l JOIN item i ON i.name = l.sku WHERE l.qty = 1      ; qty
            SELECT * FROM item i JOIN line l ON l.sku = i.name                      ; name
            SELECT * FROM member WHERE email > 'x' AND name = 'y'                   ; name
            """)
    void shouldNameTheColumnsWhoseIndexWouldFindRows(String sql, String columns) {
        TableRead first =
                Planner.plan(Trees.select(sql), Shop.TABLES, List.of()).reads().get(0);
        assertThat(((Access.Scan) first.access())
                        .unindexed().stream().map(ColumnModel::name).collect(Collectors.joining(" ")))
                .isEqualTo(columns);
    }

    @Test
    void shouldReadTheColumnsThatAreNamed() {
        ReadPlan plan = Planner.plan(
                Trees.select("SELECT COUNT(*), MAX(o.total) FROM orders o WHERE o.id = 1"), Shop.TABLES, List.of());
        assertThat(plan.reads().get(0).columns()).extracting(ColumnModel::name).containsExactly("id", "total");

        ReadPlan all = Planner.plan(
                Trees.select("SELECT l.* FROM orders o JOIN line l ON l.order_id = o.id WHERE o.id = 1"),
                Shop.TABLES,
                new ArrayList<>());
        assertThat(all.reads().get(1).columns()).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM nowhere",
                "SELECT * INTO copy FROM orders",
                "WITH w AS (SELECT id FROM orders UNION ALL SELECT id FROM w) SELECT * FROM w",
                "SELECT * FROM orders o CROSS APPLY (SELECT 1 AS x) y",
                "SELECT * FROM orders NATURAL JOIN line",
                "SELECT * FROM f(1)",
            })
    void shouldRefuseWhatIsNotKnown(String sql) {
        assertThatThrownBy(() -> plan(sql)).isInstanceOf(NotPlannedException.class);
    }
}
