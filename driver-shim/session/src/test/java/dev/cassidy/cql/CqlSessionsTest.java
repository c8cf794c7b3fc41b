package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.error.WriteTimeout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CqlSessionsTest {

    private static final DriverConfigLoader CONFIGURATION = DriverConfigLoader.fromDefaults(null);

    private static final ProgrammaticArguments ARGUMENTS =
            ProgrammaticArguments.builder().build();

    @Test
    void shouldReadTheMessageAfterATimedOutCompareAndSet() {
        FrameCodec<ByteBuf> codec = new CqlSessions.Context(CONFIGURATION, ARGUMENTS).getFrameCodec();
        ByteBuf segment = timedOutThenReady();

        assertThat(codec.decode(segment).message)
                .isInstanceOfSatisfying(
                        WriteTimeout.class, error -> assertThat(error.writeType).isEqualTo("CAS"));
        assertThat(codec.decode(segment)).satisfies(frame -> {
            assertThat(frame.streamId).isEqualTo(8);
            assertThat(frame.message).isInstanceOf(Ready.class);
        });
        assertThat(segment.isReadable()).isFalse();
    }

    /** If this test fails, the driver reads the number itself, and {@link CqlSessions} is no longer needed. */
    @Test
    void shouldBeNeededByTheDriverOfThisBuild() {
        FrameCodec<ByteBuf> codec = new DefaultDriverContext(CONFIGURATION, ARGUMENTS).getFrameCodec();
        ByteBuf segment = timedOutThenReady();
        codec.decode(segment);

        assertThatThrownBy(() -> codec.decode(segment)).isInstanceOf(RuntimeException.class);
    }

    /** Both messages as Cassandra writes them in protocol version 5. */
    private static ByteBuf timedOutThenReady() {
        ByteBuf body = Unpooled.buffer();
        body.writeInt(ProtocolConstants.ErrorCode.WRITE_TIMEOUT);
        string(body, "CAS operation timed out: received 0 of 2 required responses after 3 contention retries");
        body.writeShort(ProtocolConstants.ConsistencyLevel.SERIAL);
        body.writeInt(0);
        body.writeInt(2);
        string(body, "CAS");
        body.writeShort(3);
        ByteBuf segment = Unpooled.buffer();
        header(segment, 7, ProtocolConstants.Opcode.ERROR, body.readableBytes());
        segment.writeBytes(body);
        header(segment, 8, ProtocolConstants.Opcode.READY, 0);
        return segment;
    }

    private static void header(ByteBuf to, int stream, int opcode, int length) {
        to.writeByte(0x80 | ProtocolConstants.Version.V5);
        to.writeByte(0);
        to.writeShort(stream);
        to.writeByte(opcode);
        to.writeInt(length);
    }

    private static void string(ByteBuf to, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.writeShort(bytes.length);
        to.writeBytes(bytes);
    }
}
