package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.applications.clinic.Clinic;
import dev.cassidy.applications.clinic.ClinicScenario;
import dev.cassidy.applications.shop.Shop;
import dev.cassidy.applications.shop.ShopScenario;
import org.hibernate.dialect.H2Dialect;
import org.junit.jupiter.api.Test;

/** The scenarios run on H2 without a failure: what they see there is what the tests with a node expect. */
class ScenariosTest {

    @Test
    void shouldRunTheShop() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2(Shop.class)) {
            assertThat(ShopScenario.run(h2.dataSource()).failures()).isEmpty();
        }
    }

    @Test
    void shouldRunTheClinic() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2(Clinic.class)) {
            assertThat(ClinicScenario.run(h2.dataSource(), H2Dialect.class).failures())
                    .isEmpty();
        }
    }
}
