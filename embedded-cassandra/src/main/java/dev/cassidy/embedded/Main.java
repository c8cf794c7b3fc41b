package dev.cassidy.embedded;

/** Keeps a node running until it is interrupted. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        EmbeddedCassandra node = EmbeddedCassandra.start();
        System.out.println("host=" + node.host() + " port=" + node.port() + " datacenter=" + node.localDatacenter());
        Thread.currentThread().join();
    }
}
