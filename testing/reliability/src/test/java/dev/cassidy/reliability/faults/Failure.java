package dev.cassidy.reliability.faults;

import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import com.datastax.oss.protocol.internal.response.error.WriteTimeout;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.Rows;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import com.datastax.oss.simulacron.common.stubbing.Action;
import com.datastax.oss.simulacron.common.stubbing.DisconnectAction;
import com.datastax.oss.simulacron.common.stubbing.MessageResponseAction;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;

/**
 * The answer that the client receives instead of the statement's real result. From one of the first four it learns no more than
 * that the outcome is unknown, and learns it at once.
 */
enum Failure {
    /** A write time-out of type CAS. Clients with this protocol version also receive it for CAS_WRITE_UNKNOWN. */
    CAS_TIMEOUT,
    SERVER_ERROR,
    OVERLOADED,
    /**
     * Unavailable at the commit's level, which the first Paxos variant checks when the value has already been accepted.
     */
    UNAVAILABLE_AT_COMMIT,
    CONNECTION_CLOSED,
    /** The answer is held back until the client has been told that its own time-out has passed. */
    LATE_ANSWER,
    /** A write time-out of type CAS, followed by a time-out of the linearizable read that would show the outcome. */
    PROOF_TIMES_OUT,
    /**
     * Unavailable at the serial level: nothing was proposed. The only failure that proves that nothing was executed.
     */
    UNAVAILABLE,
    /**
     * Not a failure: the answer says applied, although it was not. A client that takes an unknown outcome for success
     * behaves like this.
     */
    TOLD_APPLIED,
    /**
     * Not a failure: the answer says refused, although it was applied. A client that takes an unknown outcome for a
     * refusal behaves like this.
     */
    TOLD_REFUSED;

    /** @param realAnswer the store's answer, if the store was asked */
    Action action(int serial, int commit, Message realAnswer) {
        return switch (this) {
            case CAS_TIMEOUT, PROOF_TIMES_OUT -> new MessageResponseAction(casTimeout(serial));
            case SERVER_ERROR -> new MessageResponseAction(new Error(ErrorCode.SERVER_ERROR, "injected"));
            case OVERLOADED -> new MessageResponseAction(new Error(ErrorCode.OVERLOADED, "injected"));
            case UNAVAILABLE_AT_COMMIT -> new MessageResponseAction(new Unavailable("injected", commit, 1, 0));
            case UNAVAILABLE -> new MessageResponseAction(new Unavailable("injected", serial, 1, 0));
            case TOLD_APPLIED -> new MessageResponseAction(applied(true));
            case TOLD_REFUSED -> new MessageResponseAction(applied(false));
            case CONNECTION_CLOSED -> DisconnectAction.builder().build();
            case LATE_ANSWER -> new MessageResponseAction(realAnswer);
        };
    }

    static WriteTimeout casTimeout(int serial) {
        return new WriteTimeout("injected", serial, 0, 1, "CAS");
    }

    private static Rows applied(boolean applied) {
        ColumnSpec column =
                new ColumnSpec("", "", "[applied]", 0, RawType.PRIMITIVES.get(ProtocolConstants.DataType.BOOLEAN));
        Queue<List<ByteBuffer>> rows = new ArrayDeque<>();
        rows.add(List.of(ByteBuffer.wrap(new byte[] {(byte) (applied ? 1 : 0)})));
        return new DefaultRows(new RowsMetadata(List.of(column), null, null, null), rows);
    }

    /** Returns every failure; wrong answers are not failures. */
    static EnumSet<Failure> all() {
        return EnumSet.range(CAS_TIMEOUT, UNAVAILABLE);
    }

    /** Returns whether the client is told the opposite of what happened. */
    boolean isLie() {
        return this == TOLD_APPLIED || this == TOLD_REFUSED;
    }
}
