package dev.cassidy.embedded;

/** Starts a node, prints the child's process id, and then ends in the way that its argument names. */
final class ParentProgram {
    private ParentProgram() {}

    public static void main(String[] args) throws Exception {
        EmbeddedCassandra node = EmbeddedCassandra.start();
        if (args[0].equals("pause")) {
            node.pause();
        }
        System.out.println(node.pid() + " " + node.logFile());
        switch (args[0]) {
            case "exit" -> System.exit(0);
            case "return" -> {}
            default -> Thread.currentThread().join();
        }
    }
}
