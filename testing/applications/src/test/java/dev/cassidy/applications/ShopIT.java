package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.applications.shop.Shop;
import dev.cassidy.applications.shop.ShopScenario;
import org.junit.jupiter.api.Test;

class ShopIT {

    @Test
    void shouldSeeTheSameAsOnH2() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2(Shop.class);
                TestDatabase cassidy = TestDatabase.cassidy(Shop.class)) {
            Journal expected = ShopScenario.run(h2.dataSource());
            Journal seen = ShopScenario.run(cassidy.dataSource());

            assertThat(seen.differencesFrom(expected)).isEmpty();
        }
    }
}
