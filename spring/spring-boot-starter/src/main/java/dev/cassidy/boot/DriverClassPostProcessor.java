package dev.cassidy.boot;

import dev.cassidy.jdbc.CassidyDriver;
import java.util.Set;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Names the driver of a {@code jdbc:cassidy:} URL: Boot knows the drivers of some databases only, and refuses another URL without
 * a driver. It names it in every DataSourceProperties, also in those of a second data source.
 */
final class DriverClassPostProcessor implements BeanPostProcessor {

    private static final String PREFIX = "jdbc:cassidy:";

    /** In Boot 3 and in Boot 4. */
    private static final Set<String> PROPERTIES = Set.of(
            "org.springframework.boot.autoconfigure.jdbc.DataSourceProperties",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceProperties");

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (PROPERTIES.contains(bean.getClass().getName())) {
            BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(bean);
            if (properties.getPropertyValue("url") instanceof String url
                    && url.startsWith(PREFIX)
                    && properties.getPropertyValue("driverClassName") == null) {
                properties.setPropertyValue("driverClassName", CassidyDriver.class.getName());
            }
        }
        return bean;
    }
}
