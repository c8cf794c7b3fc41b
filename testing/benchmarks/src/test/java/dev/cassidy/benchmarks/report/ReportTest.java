package dev.cassidy.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private final Report report = new Report("Ids & ratios");

    @Test
    void shouldArrangeEveryRatioSoThatLargerIsBetter() {
        assertThat(Case.lessIsBetter("cost", "", 2, 6, "ns").ratio()).isEqualTo(3);
        assertThat(Case.moreIsBetter("rate", "", 6, 2, "ids/s").ratio()).isEqualTo(3);
        assertThat(Case.atMost("held", "", 16, 64, "ids").ratio()).isEqualTo(4);
    }

    @Test
    void shouldSayWhetherTheGoalIsMet() {
        Case measured = Case.moreIsBetter("rate", "", 3, 2, "ids/s");

        assertThat(measured.met()).isEmpty();
        assertThat(measured.withGoal(1.5).met()).contains(true);
        assertThat(measured.withGoal(1.6).met()).contains(false);
        assertThat(Case.atMost("held", "", 64, 64, "ids").met()).contains(true);
        assertThat(Case.atMost("held", "", 65, 64, "ids").met()).contains(false);
        assertThat(Case.none("warnings", "", 0, "lines").met()).contains(true);
        assertThat(Case.none("warnings", "", 1, "lines").met()).contains(false);
    }

    @Test
    void shouldNameTheCasesThatAreMissing() {
        report.add(Case.moreIsBetter("rate", "", 3, 2, "ids/s"));

        assertThat(report.missing(List.of("rate"))).isEmpty();
        assertThat(report.missing(List.of("rate", "cost"))).containsExactly("cost");
    }

    @Test
    void shouldRefuseACaseThatMeasuredNothing() {
        assertThatThrownBy(() -> report.add(Case.lessIsBetter("cost", "", Double.NaN, 1, "ns")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("measured nothing");
    }

    @Test
    void shouldRefuseASecondCaseOfTheSameName() {
        report.add(Case.lessIsBetter("cost", "", 1, 1, "ns"));

        assertThatThrownBy(() -> report.add(Case.lessIsBetter("cost", "", 2, 1, "ns")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("measured twice: case=cost");
    }

    @Test
    void shouldWriteJsonTableAndChart(@TempDir Path folder) throws Exception {
        report.condition("machine", "two cores");
        report.add(Case.moreIsBetter("rate", "us vs <them>", 6, 2, "ids/s")
                .withGoal(4)
                .with("rounds", 9));
        report.add(Case.atMost("garbage", "", 0, 0.01, "B/id"));
        report.add(Case.none("warnings", "", 0, "lines"));

        report.write(folder, "ids");

        JsonNode json = new ObjectMapper().readTree(Files.readString(folder.resolve("ids.json")));
        assertThat(json).hasSize(3);
        assertThat(json.get(0).toString())
                .isEqualTo("{\"case\":\"rate\",\"contestants\":\"us vs <them>\",\"ours\":6.0,\"rival\":2.0,"
                        + "\"unit\":\"ids/s\",\"ratio\":3.0,\"goal\":4.0,\"met\":false,\"details\":{\"rounds\":9.0}}");
        assertThat(json.get(1).get("met").booleanValue()).isTrue();
        assertThat(json.get(1).get("ratio").isNull())
                .as("no number for nothing")
                .isTrue();
        assertThat(json.get(2).get("ratio").doubleValue()).isEqualTo(1);
        assertThat(Files.readString(folder.resolve("ids.md")))
                .contains("- machine: two cores", "| **3.00x** | ≥ 4.00x | **missed** |", "ids.svg");
        assertThat(parsed(folder.resolve("ids.svg"))).isEqualTo("svg");
    }

    private static String parsed(Path svg) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(svg.toFile())
                    .getDocumentElement()
                    .getTagName();
        } catch (javax.xml.parsers.ParserConfigurationException | org.xml.sax.SAXException e) {
            throw new AssertionError(e);
        }
    }
}
