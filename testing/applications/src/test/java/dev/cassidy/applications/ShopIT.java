package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.applications.shop.Shop;
import dev.cassidy.applications.shop.ShopScenario;
import org.junit.jupiter.api.Test;

class ShopIT {

    /** UPDATE and DELETE by other columns than those of the key, and the steps that look at what these have written. */
    private static final String[] NOT_SERVED = {
        "all orders cancelled", "orders as cancelled", "lines deleted", "order without lines", "product discontinued"
    };

    @Test
    void shouldSeeTheSameAsOnH2() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2(Shop.class);
                TestDatabase cassidy = TestDatabase.cassidy(Shop.class)) {
            Journal expected = ShopScenario.run(h2.dataSource());
            Journal seen = ShopScenario.run(cassidy.dataSource());

            assertThat(seen.differencesFrom(expected)).containsOnlyKeys(NOT_SERVED);
        }
    }
}
