package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.cassandra.Sequences;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.data.cassandra.observability.ObservableCqlSessionFactory;
import org.springframework.util.ClassUtils;

/**
 * Puts an IdentitySession around each CqlSession of the application. Everything that it needs is looked up at the first session:
 * what a post-processor needs itself is not processed by the others.
 */
final class IdentitySessionPostProcessor implements DestructionAwareBeanPostProcessor {

    private static final boolean SPRING_DATA = ClassUtils.isPresent(
            "org.springframework.data.cassandra.core.CassandraTemplate",
            IdentitySessionPostProcessor.class.getClassLoader());

    private final BeanFactory beans;

    /** Those that were opened here, by the names of the sessions' beans. */
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();

    private record Opened(Sequences sequences, UsedSequences used) {}

    IdentitySessionPostProcessor(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (!(bean instanceof CqlSession session)) {
            return bean;
        }
        try {
            return wrap(session, beanName);
        } catch (RuntimeException e) {
            // The context destroys only what it could create, and the driver's threads would keep the JVM from ending.
            if (isClosedByContext(beanName)) {
                close(session, e);
            }
            throw e;
        }
    }

    private boolean isClosedByContext(String beanName) {
        return !(beans instanceof ConfigurableListableBeanFactory all
                && all.containsBeanDefinition(beanName)
                && "".equals(all.getMergedBeanDefinition(beanName).getDestroyMethodName()));
    }

    private static void close(CqlSession session, RuntimeException refusal) {
        try {
            session.close();
        } catch (RuntimeException e) {
            refusal.addSuppressed(e);
        }
    }

    private CqlSession wrap(CqlSession session, String beanName) {
        CassidyProperties properties = beans.getBean(CassidyProperties.class);
        UsedSequences used = beans.getBean(UsedSequences.class);
        Optional<IdentitySession> known = IdentitySession.within(session);
        if (known.isPresent()) {
            // The application wrapped it, and closes it.
            used.opened(beanName, known.get().sequences());
            return session;
        }
        // It closes its sequences itself, because others close it before the context does, such as Spring Data's
        // ReactiveSession.
        IdentitySession identities =
                IdentitySession.wrap(session, properties.sequences(), properties.acceptedIds(SPRING_DATA));
        Sequences sequences = identities.sequences();
        try {
            CqlSession result = properties.observed() ? Observed.by(beans, identities) : identities;
            opened.put(beanName, new Opened(sequences, used));
            used.opened(beanName, sequences);
            return result;
        } catch (RuntimeException e) {
            sequences.close();
            throw e;
        }
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof CqlSession || (bean instanceof FactoryBean<?> factory && mayMakeSessions(factory));
    }

    /** The context destroys a factory, and not what it made. Some do not say what they make. */
    private static boolean mayMakeSessions(FactoryBean<?> factory) {
        Class<?> type = factory.getObjectType();
        return type == null || type.isAssignableFrom(CqlSession.class) || CqlSession.class.isAssignableFrom(type);
    }

    /**
     * The context closes the session that was wrapped, or the factory that made it, and not the session around it. The sequences
     * return their ids through it first.
     */
    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        Opened own = opened.remove(beanName);
        if (own != null) {
            own.used().closing(own.sequences());
            own.sequences().close();
        }
    }

    /** Apart, because most applications do not have the factory's class. */
    private static final class Observed {

        private static final String FACTORY =
                "org.springframework.data.cassandra.observability.ObservableCqlSessionFactory";

        /** Observed outside: so the statements are the application's, and one has one observation. */
        static CqlSession by(BeanFactory beans, IdentitySession session) {
            if (!ClassUtils.isPresent(FACTORY, Observed.class.getClassLoader())) {
                throw new IllegalStateException("needs spring-data-cassandra on the class path: cassidy.observed=true");
            }
            ObservationRegistry registry =
                    beans.getBeanProvider(ObservationRegistry.class).getIfUnique();
            if (registry == null) {
                throw new IllegalStateException(
                        "needs an ObservationRegistry, such as spring-boot-starter-actuator brings: cassidy.observed=true");
            }
            return ObservableCqlSessionFactory.wrap(session, registry);
        }
    }
}
