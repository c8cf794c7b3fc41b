package dev.cassidy.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the project's pages tell a user to type. */
final class ShellPages {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\S*)\\n(.*?)^ *```$");
    private static final Pattern INLINE = Pattern.compile("`([^`]+)`");
    private static final Pattern QUOTED = Pattern.compile("(?s)\\\\.|'[^']*'|\"[^\"!]*\"");
    private static final Pattern TRAP = Pattern.compile("[#?*\\[\\](){}!$'\"]|(^|\\s)=|~(?!/)|\\S~");

    private ShellPages() {}

    /**
     * What a page shows.
     *
     * @param blocks the blocks of lines for a shell
     * @param others the blocks of anything else
     * @param inline what stands in the text as {@code cassidy ...}
     */
    record Page(String name, List<String> blocks, List<String> others, List<String> inline) {}

    /** A fenced block of a page. */
    record Block(String language, String text) {}

    /** Returns the fenced blocks of a page, in their order. */
    static List<Block> blocks(String text) {
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Block(block.group(1), block.group(2)))
                .toList();
    }

    /** Reads all pages of the project, whose folder is {@code root}. */
    static List<Page> read(Path root) throws IOException {
        List<Page> pages = new ArrayList<>();
        for (Path file : files(root, ".md")) {
            pages.add(page(root.relativize(file).toString(), Files.readString(file)));
        }
        return pages;
    }

    /** Returns the files of a folder that are not made by the build. */
    static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(end))
                    .filter(each -> !each.toString().matches(".*/(target|\\.[^./][^/]*)/.*"))
                    .sorted()
                    .toList();
        }
    }

    private static Page page(String name, String text) {
        List<String> blocks = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Block block : blocks(text)) {
            (block.language().equals("sh") ? blocks : others).add(block.text());
        }
        List<String> inline = new ArrayList<>();
        Matcher code = INLINE.matcher(BLOCK.matcher(text).replaceAll(""));
        while (code.find()) {
            String line = code.group(1).replaceAll("\\s*\\n\\s*", " ");
            // The other is what stands in the comments of tables.
            if (line.startsWith("cassidy ") && !line.matches("cassidy schema [0-9]+")) {
                inline.add(line);
            }
        }
        return new Page(name, blocks, others, inline);
    }

    /**
     * Returns what does not mean the same in sh, bash and zsh when it is pasted at a prompt: variables without quotes, globs,
     * comments, which zsh does not know there; empty if there is nothing of that.
     */
    static String trap(String lines) {
        Matcher trap = TRAP.matcher(QUOTED.matcher(lines).replaceAll("q"));
        return trap.find() ? trap.group() : "";
    }
}
