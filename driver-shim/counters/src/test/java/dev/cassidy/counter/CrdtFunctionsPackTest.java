package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.counter.CrdtFunctionsPack.Part;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.functions.CrdtScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CrdtFunctionsPackTest {

    private static final CrdtFunctionsPack PACK = CrdtFunctionsPack.current();

    @Test
    void shouldCreateWhatTheScriptCreates() {
        List<String> created = PACK.parts().values().stream()
                .map(part -> part.createIn(CqlIdentifier.fromCql("\"Shop\"")))
                .map(CrdtFunctionsPackTest::onOneLine)
                .toList();

        assertThat(created)
                .containsExactlyElementsOf(CrdtScript.statements("\"Shop\"").stream()
                        .map(CrdtFunctionsPackTest::onOneLine)
                        .toList());
    }

    @Test
    void shouldNameEachFunctionThatAnAggregateCalls() {
        assertThat(PACK.aggregates()).hasSizeGreaterThan(30).allSatisfy(aggregate -> assertThat(
                        PACK.functions().stream().map(Part::signature))
                .containsAll(aggregate.calls()));
        assertThat(PACK.parts().get("crdt_sum(double)").calls())
                .containsExactly(
                        "crdt_sum_add(tuple<double, double>, double)", "crdt_sum_result(tuple<double, double>)");
        assertThat(PACK.parts().get("crdt_sum(int)").calls()).containsExactly("crdt_sum_add(varint, int)");
    }

    @Test
    void shouldReadTheVersionOfWhatIsThere() {
        assertThat(CrdtFunctionsPack.version(PACK.parts())).isEqualTo(CrdtPackVersion.version());
        assertThat(CrdtFunctionsPack.version(Map.of())).isZero();
    }

    private static String onOneLine(String cql) {
        return cql.replaceAll("\\s+", " ");
    }
}
