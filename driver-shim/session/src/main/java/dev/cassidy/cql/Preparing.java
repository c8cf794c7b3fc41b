package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.concurrent.CompletionStage;

/** Prepares a statement with what its inserts lack, as its user sees it. */
interface Preparing {

    CompletionStage<PreparedStatement> prepare(String cql);
}
