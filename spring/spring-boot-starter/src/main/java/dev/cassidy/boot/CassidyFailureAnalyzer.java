package dev.cassidy.boot;

import dev.cassidy.sequence.SequenceException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why sequences could not be opened in place of a stack trace: the message has the rule and the way out. */
final class CassidyFailureAnalyzer extends AbstractFailureAnalyzer<SequenceException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SequenceException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
    }
}
