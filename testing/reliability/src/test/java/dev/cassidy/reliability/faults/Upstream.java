package dev.cassidy.reliability.faults;

import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.request.Startup;
import com.datastax.oss.protocol.internal.response.Ready;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;

/** One connection to the real node, with one request at a time. Not safe for use by several threads. */
final class Upstream implements AutoCloseable {

    static final int PROTOCOL_VERSION = 4;

    private static final int HEADER_BYTES = 9;
    private static final int LENGTH_AT = 5;

    private final FrameCodec<ByteBuf> codec =
            FrameCodec.defaultClient(new ByteBufPrimitiveCodec(UnpooledByteBufAllocator.DEFAULT), Compressor.none());
    private final Socket socket;
    private final DataInputStream in;

    Upstream(InetSocketAddress node) throws IOException {
        socket = new Socket(node.getAddress(), node.getPort());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        Message answer = ask(new Startup());
        if (!(answer instanceof Ready)) {
            throw new IOException("the node did not take the connection: " + answer);
        }
    }

    /** Returns the real node's answer. */
    Message ask(Message request) {
        ByteBuf frame = codec.encode(Frame.forRequest(PROTOCOL_VERSION, 0, false, Map.of(), request));
        try {
            frame.readBytes(socket.getOutputStream(), frame.readableBytes());
            ByteBuf answer = Unpooled.buffer().writeBytes(in.readNBytes(HEADER_BYTES));
            answer.writeBytes(in.readNBytes(answer.getInt(LENGTH_AT)));
            return codec.decode(answer).message;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            frame.release();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
