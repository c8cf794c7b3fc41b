package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.applications.clinic.Clinic;
import dev.cassidy.applications.clinic.ClinicScenario;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.SQLServerDialect;
import org.junit.jupiter.api.Test;

class ClinicIT {

    /** Hibernate writes for H2 in H2's own words: H2 does not know all of SQL Server's. */
    @Test
    void shouldSeeTheSameAsOnH2() throws Exception {
        try (TestDatabase h2 = TestDatabase.h2(Clinic.class);
                TestDatabase cassidy = TestDatabase.cassidy(Clinic.class)) {
            Journal expected = ClinicScenario.run(h2.dataSource(), H2Dialect.class);
            Journal seen = ClinicScenario.run(cassidy.dataSource(), SQLServerDialect.class);

            assertThat(seen.differencesFrom(expected)).isEmpty();
        }
    }
}
