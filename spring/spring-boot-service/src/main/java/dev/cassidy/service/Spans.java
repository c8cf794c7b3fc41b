package dev.cassidy.service;

import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Keeps the spans that have ended; safe for use by many threads. */
@Component
class Spans extends SpanHandler {

    private final Queue<String> ended = new ConcurrentLinkedQueue<>();

    @Override
    public boolean end(@Nullable TraceContext context, MutableSpan span, Cause cause) {
        ended.add(span.name() + " " + span.tags());
        return true;
    }

    /** Returns their names and tags. */
    List<String> ended() {
        return List.copyOf(ended);
    }
}
