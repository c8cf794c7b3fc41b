package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.SequenceException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HolderNameTest {

    private static final String DEAD = "1@web/" + new UUID(1, 1);
    private static final String ALIVE = "1@web/" + new UUID(2, 2);
    private static final String OTHER = "1@webshop/" + new UUID(3, 3);

    @Test
    void shouldReadItsOwnFormat() {
        assertThat(HolderName.of(DEAD)).isEqualTo(new HolderName("1@web", Optional.of(new UUID(1, 1))));
        assertThat(HolderName.of(DEAD)).hasToString(DEAD);
        assertThat(HolderName.of("1@web")).isEqualTo(new HolderName("1@web", Optional.empty()));
        assertThat(HolderName.of("1@web/no-uuid")).hasToString("1@web/no-uuid");
    }

    @Test
    void shouldFindExactlyOne() {
        assertThat(HolderName.find(DEAD, List.of(DEAD, ALIVE, OTHER))).contains(DEAD);
        assertThat(HolderName.find("1@webshop", List.of(DEAD, ALIVE, OTHER))).contains(OTHER);
        assertThat(HolderName.find("1@web", List.of(DEAD, DEAD, OTHER))).contains(DEAD);
        assertThat(HolderName.find("unknown", List.of(DEAD, "unknown"))).contains("unknown");
        assertThat(HolderName.find("2@web", List.of(DEAD))).isEmpty();
        assertThat(HolderName.find(ALIVE, List.of(DEAD))).isEmpty();
    }

    @Test
    void shouldRefuseANameOfSeveralHolders() {
        assertThatThrownBy(() -> HolderName.find("1@web", List.of(ALIVE, DEAD, OTHER)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessage("must name one holder: '1@web' stands for [" + DEAD + ", " + ALIVE + "]; name one of them");
    }
}
