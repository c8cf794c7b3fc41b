package dev.cassidy.migration;

import java.io.IOException;
import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jline.terminal.spi.SystemStream;
import org.jline.terminal.spi.TerminalProvider;

/**
 * Shows how far long work is: a bar on a terminal, and nothing elsewhere. What a command prints to standard output is
 * the same with and without bars.
 */
@FunctionalInterface
interface Progress {

    /** The work of one bar. Safe for use by many threads. */
    interface Bar extends AutoCloseable {

        /** Reports that {@code units} more are done. */
        void step(long units);

        /** Sets how many units there are in all, if that is known only now. */
        void total(long units);

        @Override
        void close();
    }

    /** A total that is not known. */
    long UNKNOWN = -1;

    /** Shows nothing. */
    Progress NONE = (task, total, unit) -> new Bar() {
        @Override
        public void step(long units) {}

        @Override
        public void total(long units) {}

        @Override
        public void close() {}
    };

    /**
     * Starts a bar, which its {@code close} removes.
     *
     * @param task what is done, for example {@code reading dbo.Order}
     * @param total how many units there are in all, or {@link #UNKNOWN}
     * @param unit for example {@code rows}
     */
    Bar start(String task, long total, String unit);

    /** Shows bars on {@code out}, {@code width} characters wide. */
    static Progress on(PrintStream out, int width) {
        return (task, total, unit) -> {
            // With a width of its own the library looks for no terminal, and leaves the signal handlers as they are.
            Line line = new Line(out, width);
            ProgressBar bar = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(total)
                    .setUnit(" " + unit, 1)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setConsumer(line)
                    .setUpdateIntervalMillis(500)
                    .clearDisplayOnFinish()
                    .showSpeed()
                    .build();
            return new Bar() {
                @Override
                public void step(long units) {
                    bar.stepBy(units);
                }

                @Override
                public void total(long units) {
                    bar.maxHint(units);
                }

                @Override
                public void close() {
                    bar.close();
                    line.end();
                }
            };
        };
    }

    /** The line of a bar. The library may still print once after its bar was closed. */
    final class Line extends ConsoleProgressBarConsumer {
        private boolean ended;

        private Line(PrintStream out, int width) {
            super(out, width);
        }

        @Override
        public synchronized void accept(String text) {
            if (!ended) {
                super.accept(text);
            }
        }

        private synchronized void end() {
            clear();
            ended = true;
        }
    }

    /** Returns bars on standard error if that is a terminal, which no class of the JDK tells. */
    static Progress ofStandardError(PrintStream standardError) {
        try {
            TerminalProvider provider = TerminalProvider.load("exec");
            if (!provider.isSystemStream(SystemStream.Error)) {
                return NONE;
            }
            int width = provider.systemStreamWidth(SystemStream.Error);
            return on(standardError, width > 0 ? width : 80);
        } catch (IOException e) {
            // Not known means no bars: they are a convenience, and control characters in a log are not.
            return NONE;
        }
    }
}
