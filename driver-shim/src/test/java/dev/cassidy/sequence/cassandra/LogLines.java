package dev.cassidy.sequence.cassandra;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Records the lines that a class logs while this is open. */
final class LogLines implements AutoCloseable {

    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final Logger logger;

    LogLines(Class<?> of) {
        logger = (Logger) LoggerFactory.getLogger(of);
        appender.start();
        logger.addAppender(appender);
    }

    List<String> at(Level level) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
