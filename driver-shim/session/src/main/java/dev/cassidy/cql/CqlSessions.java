package dev.cassidy.cql;

import com.datastax.dse.protocol.internal.DseProtocolV1ClientCodecs;
import com.datastax.dse.protocol.internal.DseProtocolV2ClientCodecs;
import com.datastax.dse.protocol.internal.ProtocolV4ClientCodecsForDse;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.PrimitiveCodec;
import com.datastax.oss.protocol.internal.ProtocolV3ClientCodecs;
import com.datastax.oss.protocol.internal.ProtocolV5ClientCodecs;
import com.datastax.oss.protocol.internal.ProtocolV6ClientCodecs;
import io.netty.buffer.ByteBuf;

/**
 * Sessions of the java-driver that keep their connections when lightweight transactions collide.
 *
 * <p>In protocol version 5, which the driver negotiates with Cassandra 4.0 and later, a server reports for a
 * compare-and-set that timed out how many others it competed with ({@code <contentions>}, a short at the end of {@code Write_timeout} for the write
 * type {@code CAS}). The driver, up to 4.19 at least, does not read that number, takes its two bytes for the next message,
 * fails to read it, and closes the connection without an error. Every other statement on that connection ends with an
 * unknown outcome. Until the driver opens it again, a second later, a client with one connection per node reaches no node.
 *
 * <p>A session that was built without this class can avoid it with {@code advanced.protocol.version = V4}.
 */
public final class CqlSessions {

    private CqlSessions() {}

    /** As {@link CqlSession#builder()}. Sessions of {@code jdbc:cassidy:} URLs are built by it. */
    public static CqlSessionBuilder builder() {
        return new Builder();
    }

    private static final class Builder extends CqlSessionBuilder {
        @Override
        protected DriverContext buildContext(DriverConfigLoader configuration, ProgrammaticArguments arguments) {
            return new Context(configuration, arguments);
        }
    }

    static final class Context extends DefaultDriverContext {
        Context(DriverConfigLoader configuration, ProgrammaticArguments arguments) {
            super(configuration, arguments);
        }

        @Override
        protected FrameCodec<ByteBuf> buildFrameCodec() {
            return new WholeFrames(getPrimitiveCodec(), getCompressor());
        }
    }

    /** Discards the rest of a frame, so that the next one begins clean. */
    private static final class WholeFrames extends FrameCodec<ByteBuf> {

        private static final int HEADER_SIZE = 9;

        WholeFrames(PrimitiveCodec<ByteBuf> primitives, Compressor<ByteBuf> compressor) {
            super(
                    primitives,
                    compressor,
                    new ProtocolV3ClientCodecs(),
                    new ProtocolV4ClientCodecsForDse(),
                    new ProtocolV5ClientCodecs(),
                    new ProtocolV6ClientCodecs(),
                    new DseProtocolV1ClientCodecs(),
                    new DseProtocolV2ClientCodecs());
        }

        @Override
        public Frame decode(ByteBuf encoded) {
            int end = encoded.readerIndex() + HEADER_SIZE + decodeBodySize(encoded);
            Frame frame = super.decode(encoded);
            encoded.readerIndex(end);
            return frame;
        }
    }
}
