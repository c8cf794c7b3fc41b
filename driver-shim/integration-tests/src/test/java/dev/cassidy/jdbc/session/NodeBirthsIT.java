package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.jdbc.TestCluster;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A node says when it started for the first time. */
class NodeBirthsIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @AutoClose
    private final CqlSession session = CqlSession.builder()
            .addContactPoint(TestCluster.NODE.contactPoint())
            .withLocalDatacenter(TestCluster.NODE.localDatacenter())
            .build();

    @Test
    void shouldReadTheBirthsOfTheNodes() {
        String datacenter = TestCluster.NODE.localDatacenter();

        assertThat(NodeBirths.passed(session, datacenter, 0, Instant.EPOCH, TIMEOUT))
                .get()
                .satisfies(birth -> assertThat(birth).isBetween(Instant.parse("2020-01-01T00:00:00Z"), Instant.now()));
        assertThat(NodeBirths.passed(session, datacenter, 1, Instant.EPOCH, TIMEOUT))
                .isEmpty();
        assertThat(NodeBirths.passed(session, "elsewhere", 0, Instant.EPOCH, TIMEOUT))
                .isEmpty();
        assertThat(NodeCounts.of(session).local()).isEqualTo(1);
    }
}
