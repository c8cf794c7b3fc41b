package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.Statement;
import java.util.List;

/** A statement as it is sent, and the identities that it carries. */
record Outgoing(Statement<?> statement, List<GeneratedKeys.Key> keys) {}
