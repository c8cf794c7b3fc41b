package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.config.DriverOption;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import com.typesafe.config.ConfigException;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;

/** Whether java-driver can take each value of a file. It would find out late, and its error would quote the value. */
final class ConfigValues {

    private static final Map<GenericType<?>, BiConsumer<DriverExecutionProfile, DriverOption>> READERS = Map.of(
            GenericType.BOOLEAN,
            DriverExecutionProfile::getBoolean,
            GenericType.INTEGER,
            DriverExecutionProfile::getInt,
            GenericType.LONG,
            DriverExecutionProfile::getBytes,
            GenericType.STRING,
            DriverExecutionProfile::getString,
            GenericType.DURATION,
            DriverExecutionProfile::getDuration,
            GenericType.listOf(GenericType.DOUBLE),
            DriverExecutionProfile::getDoubleList,
            GenericType.listOf(GenericType.STRING),
            DriverExecutionProfile::getStringList,
            GenericType.listOf(Duration.class),
            DriverExecutionProfile::getDurationList,
            GenericType.mapOf(GenericType.STRING, GenericType.STRING),
            DriverExecutionProfile::getStringMap);

    private ConfigValues() {}

    /** @throws IllegalArgumentException naming the option of the driver, and not its value */
    static void require(DriverConfig config, String location) {
        config.getProfiles().values().forEach(profile -> require(profile, location));
    }

    private static void require(DriverExecutionProfile profile, String location) {
        for (TypedDriverOption<?> option : TypedDriverOption.builtInValues()) {
            BiConsumer<DriverExecutionProfile, DriverOption> reader = READERS.get(option.getExpectedType());
            try {
                if (reader != null && profile.isDefined(option.getRawOption())) {
                    reader.accept(profile, option.getRawOption());
                }
            } catch (ConfigException e) {
                // Without the cause, whose message quotes the value.
                throw new IllegalArgumentException("java-driver cannot take the value of "
                        + option.getRawOption().getPath() + " in the profile " + profile.getName()
                        + ", which must be a " + option.getExpectedType() + ": configFile='" + location + "'");
            }
        }
    }
}
