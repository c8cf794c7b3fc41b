package dev.cassidy.applications.clinic;

import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.dialect.Dialect;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** A clinic for animals, written for SQL Server with Spring Data JPA and Hibernate; nothing in it knows of Cassandra. */
@Configuration(proxyBeanMethods = false)
@EnableJpaRepositories
@EnableTransactionManagement(proxyTargetClass = true)
public class Clinic {

    private final Class<? extends Dialect> dialect;

    Clinic(Class<? extends Dialect> dialect) {
        this.dialect = dialect;
    }

    /** Starts it. The caller closes it, and after it the database. */
    static AnnotationConfigApplicationContext start(DataSource database, Class<? extends Dialect> dialect) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(DataSource.class, () -> database, definition -> definition.setDestroyMethodName(""));
        context.registerBean(Clinic.class, () -> new Clinic(dialect));
        context.registerBean(ClinicService.class);
        context.refresh();
        return context;
    }

    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource database) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(database);
        factory.setPackagesToScan(Clinic.class.getPackageName());
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setJpaPropertyMap(Map.of(
                AvailableSettings.DIALECT, dialect.getName(), "hibernate.boot.allow_jdbc_metadata_access", false));
        return factory;
    }

    @Bean
    PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
        return new JpaTransactionManager(factory);
    }
}
