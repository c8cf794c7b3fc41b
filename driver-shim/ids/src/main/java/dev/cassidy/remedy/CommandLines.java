package dev.cassidy.remedy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Lines that a user types to run the command {@code cassidy} on one cluster: complete, and harmless to a shell whatever the
 * names in them are.
 */
public final class CommandLines {

    private final List<String> cluster;

    /** @param cluster the options that name the cluster, and their values; never a secret */
    public CommandLines(List<String> cluster) {
        this.cluster = List.copyOf(cluster);
    }

    /**
     * Returns the lines for a cluster.
     *
     * @param contactPoints {@code host:port} of each node to begin with
     * @param globalKeyspace Cassidy's global keyspace
     * @param further further options and their values, never a secret
     */
    public static CommandLines of(
            List<String> contactPoints, String localDatacenter, String globalKeyspace, List<String> further) {
        List<String> words = new ArrayList<>(
                List.of("--contact-points", String.join(",", contactPoints), "--local-dc", localDatacenter));
        if (!globalKeyspace.equals("cassidy")) {
            words.addAll(List.of("--global-keyspace", globalKeyspace));
        }
        words.addAll(further);
        return new CommandLines(words);
    }

    /** Returns the line that applies a remedy. */
    public String of(Remedy.ByCommand remedy) {
        List<String> words = new ArrayList<>(List.of("cassidy"));
        words.addAll(remedy.words());
        words.addAll(cluster);
        return words.stream().map(CommandLines::quoted).collect(Collectors.joining(" "));
    }

    /** Returns the sentence that tells of a remedy: as a line for a shell, or else as SQL, or as Java. */
    public String tell(Remedy remedy) {
        return remedy instanceof Remedy.ByCommand command
                ? "Run: " + of(command)
                : remedy.sql().map(statement -> "Run: " + statement).orElseGet(remedy::inJava);
    }

    /** Returns the message of an error, with its remedy as {@link #tell} tells of it. */
    public String message(Remedied error) {
        return Remedied.message(error.problem(), error.remedy().map(this::tell));
    }

    /** Returns a word as a shell takes it for exactly this word. */
    public static String quoted(String word) {
        return word.matches("[A-Za-z0-9_.,:/@%+-][A-Za-z0-9_.,:/@%+=-]*")
                ? word
                : "'" + word.replace("'", "'\\''") + "'";
    }
}
