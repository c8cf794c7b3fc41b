package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DatacentersTest {

    private static final List<String> ALONE = List.of("cassidy");

    @Test
    void shouldFindThoseOfTheGlobalKeyspaceAlsoWithoutAKeyspace() {
        assertThat(Datacenters.keyspaces(
                        "cassidy",
                        ALONE,
                        Map.of("cassidy", Set.of("dc1", "DC-2"), "cassidy_dc1", Set.of("dc1")),
                        Set.of("cassidy_dc1")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("dc1", "cassidy_dc1", "DC-2", "cassidy_dc_2"));
    }

    /** The global keyspace keeps its replicas when a datacenter joins. */
    @Test
    void shouldFindOneThatHasJoined() {
        assertThat(Datacenters.keyspaces(
                        "cassidy",
                        List.of("cassidy", "other"),
                        Map.of(
                                "cassidy", Set.of("dc1"),
                                "cassidy_dc1", Set.of("dc1"),
                                "cassidy_dc2", Set.of("dc2"),
                                "other_dc3", Set.of("dc3")),
                        Set.of("cassidy_dc1", "cassidy_dc2", "other_dc3")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("dc1", "cassidy_dc1", "dc2", "cassidy_dc2"));
    }

    @Test
    void shouldFindAKeyspaceOfAnotherNameIfItCanBeNobodyElses() {
        Map<String, Set<String>> replicas =
                Map.of("cassidy", Set.of("dc1", "dc2"), "ids_there", Set.of("dc2"), "ids_far", Set.of("dc3"));
        Set<String> ours = Set.of("ids_there", "ids_far");

        assertThat(Datacenters.keyspaces("cassidy", ALONE, replicas, ours))
                .containsExactlyInAnyOrderEntriesOf(Map.of("dc1", "cassidy_dc1", "dc2", "ids_there", "dc3", "ids_far"));
        assertThat(Datacenters.keyspaces("cassidy", List.of("cassidy", "other"), replicas, ours))
                .containsExactlyInAnyOrderEntriesOf(Map.of("dc1", "cassidy_dc1", "dc2", "cassidy_dc2"));
    }

    @Test
    void shouldPreferTheUsualName() {
        assertThat(Datacenters.keyspaces(
                        "cassidy",
                        ALONE,
                        Map.of("cassidy", Set.of("dc1"), "cassidy_dc2", Set.of("dc2"), "another", Set.of("dc2")),
                        Set.of("cassidy_dc2", "another")))
                .containsEntry("dc2", "cassidy_dc2");
    }
}
