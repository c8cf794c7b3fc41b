package dev.cassidy.embedded;

/** Where one node listens, and where it looks for the others. Seeds are {@code host:storagePort}, comma-separated. */
record NodeAddress(String host, int port, int storagePort, String seeds) {
    static NodeAddress alone(String host, int port, int storagePort) {
        return new NodeAddress(host, port, storagePort, host + ":" + storagePort);
    }
}
