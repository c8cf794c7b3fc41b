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

/** What the client is told instead of how its statement ended. */
enum Failure {
    /** A write time-out of type CAS; what CAS_WRITE_UNKNOWN is to clients of this protocol version, too. */
    CAS_TIMEOUT,
    SERVER_ERROR,
    OVERLOADED,
    /** At the commit's level, which the first Paxos variant looks at when the value was accepted already. */
    UNAVAILABLE_AT_COMMIT,
    CONNECTION_CLOSED,
    /** After the client's own time-out: the answer is held back until the client has been told that its time is up. */
    LATE_ANSWER,
    /** A write time-out of type CAS, and after it a time-out of the linearizable read that would tell. */
    PROOF_TIMES_OUT,
    /** At the serial level: nothing was proposed. The one failure that certainly was not executed. */
    UNAVAILABLE,
    /** None: that it was applied, though it was not. It is how a client acts that takes an unknown outcome for won. */
    TOLD_APPLIED,
    /** None: that it was refused, though it was applied. It is how a client acts that takes an unknown outcome for lost. */
    TOLD_REFUSED;

    /** @param whatItDid what the store answered, if it was asked */
    Action action(int serial, int commit, Message whatItDid) {
        return switch (this) {
            case CAS_TIMEOUT, PROOF_TIMES_OUT -> new MessageResponseAction(casTimeout(serial));
            case SERVER_ERROR -> new MessageResponseAction(new Error(ErrorCode.SERVER_ERROR, "injected"));
            case OVERLOADED -> new MessageResponseAction(new Error(ErrorCode.OVERLOADED, "injected"));
            case UNAVAILABLE_AT_COMMIT -> new MessageResponseAction(new Unavailable("injected", commit, 1, 0));
            case UNAVAILABLE -> new MessageResponseAction(new Unavailable("injected", serial, 1, 0));
            case TOLD_APPLIED -> new MessageResponseAction(applied(true));
            case TOLD_REFUSED -> new MessageResponseAction(applied(false));
            case CONNECTION_CLOSED -> DisconnectAction.builder().build();
            case LATE_ANSWER -> new MessageResponseAction(whatItDid);
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

    /** Returns every way to fail; what is told wrongly is none. */
    static EnumSet<Failure> all() {
        return EnumSet.range(CAS_TIMEOUT, UNAVAILABLE);
    }

    /** Whether the client is told the opposite of what happened. */
    boolean isLie() {
        return this == TOLD_APPLIED || this == TOLD_REFUSED;
    }

    /** Whether a client learns no more from it than from a time-out, and as soon. */
    boolean isLikeTimeout() {
        return this == SERVER_ERROR || this == OVERLOADED || this == UNAVAILABLE_AT_COMMIT;
    }
}
