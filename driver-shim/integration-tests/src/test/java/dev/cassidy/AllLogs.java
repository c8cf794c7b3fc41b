package dev.cassidy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Everything that is logged at any level while this is open, with its exceptions, as text. */
public final class AllLogs extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<Logger> ours = new ArrayList<>();
    private final List<Level> before = new ArrayList<>();
    private final List<Boolean> additive = new ArrayList<>();
    public final Queue<String> texts = new ConcurrentLinkedQueue<>();

    public AllLogs() {
        start();
        for (String name : List.of(org.slf4j.Logger.ROOT_LOGGER_NAME, "dev.cassidy", "com.datastax", "io.netty")) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            ours.add(logger);
            before.add(logger.getLevel());
            additive.add(logger.isAdditive());
            if (logger != root) {
                // Not to the console, which would be slow.
                logger.setAdditive(false);
                logger.setLevel(Level.TRACE);
            }
            logger.addAppender(this);
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        StringBuilder text = new StringBuilder(event.getFormattedMessage());
        for (IThrowableProxy each = event.getThrowableProxy(); each != null; each = each.getCause()) {
            text.append('\n').append(each.getMessage());
            for (IThrowableProxy suppressed : each.getSuppressed()) {
                text.append('\n').append(suppressed.getMessage());
            }
        }
        texts.add(text.toString());
    }

    @Override
    public void close() {
        for (int i = 0; i < ours.size(); i++) {
            ours.get(i).detachAppender(this);
            ours.get(i).setLevel(before.get(i));
            ours.get(i).setAdditive(additive.get(i));
        }
        stop();
    }
}
