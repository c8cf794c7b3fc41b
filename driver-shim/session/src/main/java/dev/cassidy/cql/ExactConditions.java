package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.config.DriverOption;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cluster.StatementProfile;
import java.util.Locale;

/**
 * What an {@link IdentitySession} does with an UPDATE, a DELETE or an INSERT of an exact table that lacks the condition which such a table's
 * writes are under. An INSERT whose id is drawn for it, and which needs none, is sent as it is in either case.
 *
 * <p>It is chosen for a session, by {@link IdentitySessionBuilder#withExactConditions} or {@link
 * IdentitySession#withExactConditions}, and for a statement by {@link #OPTION} of its execution profile, which counts more.
 */
public enum ExactConditions {

    /**
     * The statement has its condition itself: {@code IF cassidy_tx >= 0xff}, or {@code IF NOT EXISTS}. One without it is refused by a
     * {@link WriteModeException}. A condition that does not hold because a transaction holds the row is answered as not
     * applied; the answer then shows a value below {@code 0xff} in {@code cassidy_tx}.
     */
    GIVEN,

    /**
     * The session adds the condition, and the result is that of a conditional statement, with {@code [applied]}. This is for
     * single statements: a batch has its conditions itself.
     *
     * <ul>
     *   <li>An UPDATE or DELETE of one row, named by its whole key, finds a row that is there: {@code IF cassidy_tx >= 0xff}, before what
     *       the statement says itself behind IF, and in place of EXISTS. One of several rows is refused by a {@link
     *       WriteModeException}.
     *   <li>Before an UPDATE, and a DELETE of columns, the row is read where the table's writes are decided. Nothing is sent if it is not there.
     *   <li>An INSERT with a key of its own gets {@code IF NOT EXISTS}, and gives NULL to the columns that it does not name and that have
     *       no default. A value that is not set is NULL, too.
     *   <li>The statement is sent once, to one node, and never again by the driver's retry policies or speculative executions: it would
     *       meet its own effect. Whether it was applied is not known after a time-out.
     *   <li>A transaction that holds the row is waited for, for about a second, and then aborted; one that is committed is written first.
     *       Then the statement is sent again. So "not applied" never speaks of a lock.
     * </ul>
     *
     * The application has to look at {@code wasApplied()}. Frameworks that write a row that is there by an INSERT do not: the row would stay as
     * it was, and nobody would know.
     *
     * <p>Such a statement fails with an {@link ExactWriteException} if its row lacks the mark, if transactions hold it one after the other, or
     * if another datacenter may have inserted it a moment ago and does not answer.
     */
    ADDED;

    /**
     * Says in an execution profile which of these holds for its statements, by name in any case: {@code
     * datastax-java-driver.profiles.exact.cassidy.exact-conditions = added} in the driver's configuration, or {@code
     * profile.withString(ExactConditions.OPTION, "added")}.
     */
    public static final DriverOption OPTION = () -> "cassidy.exact-conditions";

    /** @param ofSession what holds if the statement's profile does not say it */
    static ExactConditions of(CqlSession session, Statement<?> statement, ExactConditions ofSession) {
        DriverExecutionProfile profile = StatementProfile.of(session, statement);
        return profile.isDefined(OPTION) ? parse(profile.getString(OPTION)) : ofSession;
    }

    private static ExactConditions parse(String given) {
        for (ExactConditions each : values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(given.toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        throw new IllegalArgumentException("must be given or added: " + OPTION.getPath() + "=" + given);
    }
}
