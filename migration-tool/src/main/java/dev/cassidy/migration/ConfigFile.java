package dev.cassidy.migration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of {@code --config FILE.yaml}. A key is the name of an option without its hyphens; a key that names a
 * command, or a group of commands, holds options of that one alone: {@code migrate: {seed: {offline: true}}}. What stands
 * on the command line comes before a command's part, and that before a group's, and that before the rest of the file. Secrets are refused here as on the command line: configuration is copied and committed.
 */
final class ConfigFile {

    private static final String OPTION = "--config";

    private ConfigFile() {}

    /**
     * Returns {@code args} with the options of the file that they name; {@code args} itself if they name none.
     *
     * @throws MigrationException {@link ExitCode#USAGE} naming the file and the key
     */
    static String[] expand(CommandLine tool, String... args) {
        Path file = named(args);
        CommandLine command = tool;
        int words = 0;
        for (CommandLine next = named(tool, args, 0); next != null; next = named(command, args, words)) {
            command = next;
            words++;
        }
        if (file == null || !command.getSubcommands().isEmpty()) {
            return args;
        }
        Map<String, JsonNode> options = new LinkedHashMap<>();
        collect(file, "", read(file), tool, command, options);
        CommandSpec spec = command.getCommandSpec();
        int end = words;
        Set<String> given = Arrays.stream(args).map(arg -> arg.split("=", 2)[0]).collect(Collectors.toSet());
        List<String> expanded = new ArrayList<>(Arrays.asList(args));
        options.forEach((option, value) -> {
            if (!given.contains(option)) {
                expanded.addAll(end, arguments(file, spec.findOption(option), option, value));
            }
        });
        Password.requireNoneIn(expanded.toArray(String[]::new));
        return expanded.toArray(String[]::new);
    }

    private static @Nullable CommandLine named(CommandLine group, String[] args, int word) {
        return word < args.length ? group.getSubcommands().get(args[word]) : null;
    }

    private static @Nullable Path named(String... args) {
        for (int i = 1; i < args.length; i++) {
            if (args[i].startsWith(OPTION + "=")) {
                return Path.of(args[i].substring(OPTION.length() + 1));
            }
            if (args[i].equals(OPTION) && i + 1 < args.length) {
                return Path.of(args[i + 1]);
            }
        }
        return null;
    }

    /**
     * Collects the options that {@code command} has from a part of the file.
     *
     * @param path what leads to the part, with a dot after each key
     * @param holder the command or group whose part it is
     * @param found receives the options; those of an inner part replace those of an outer one
     */
    private static void collect(
            Path file,
            String path,
            JsonNode part,
            CommandLine holder,
            CommandLine command,
            Map<String, JsonNode> found) {
        Map<CommandLine, Map.Entry<String, JsonNode>> inner = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : part.properties()) {
            CommandLine below = holder.getSubcommands().get(entry.getKey());
            if (below != null && entry.getValue().isObject()) {
                inner.put(below, entry);
                continue;
            }
            requireKnown(
                    file,
                    path + entry.getKey(),
                    entry.getKey(),
                    MigrationTool.leaves(holder).toList());
            if (isWithin(command, holder) && command.getCommandSpec().findOption("--" + entry.getKey()) != null) {
                found.put("--" + entry.getKey(), entry.getValue());
            }
        }
        inner.forEach(
                (below, entry) -> collect(file, path + entry.getKey() + ".", entry.getValue(), below, command, found));
    }

    private static boolean isWithin(CommandLine command, CommandLine holder) {
        for (CommandLine each = command; each != null; each = each.getParent()) {
            if (each == holder) {
                return true;
            }
        }
        return false;
    }

    private static void requireKnown(Path file, String key, String option, List<CommandLine> commands) {
        Password.requireNoneIn("--" + option);
        if (option.equals("config")) {
            throw failure(file, key, "names another file; give one file with all options");
        }
        if (commands.stream().noneMatch(each -> each.getCommandSpec().findOption("--" + option) != null)) {
            Set<String> known = new TreeSet<>();
            commands.forEach(each -> each.getCommandSpec()
                    .options()
                    .forEach(spec -> known.add(spec.longestName().substring(2))));
            throw failure(file, key, "is no option; known are " + known);
        }
    }

    private static List<String> arguments(Path file, OptionSpec spec, String option, JsonNode value) {
        if (value.isNull() || value.isMissingNode()) {
            throw failure(file, option.substring(2), "has no value; remove the line or give one");
        }
        if (spec.arity().max() == 0) {
            if (!value.isBoolean()) {
                throw failure(file, option.substring(2), "must be true or false: '" + value.asText() + "'");
            }
            return value.booleanValue() ? List.of(option) : List.of();
        }
        if (value.isObject()) {
            return value.properties().stream()
                    .map(entry -> option + "=" + entry.getKey() + "="
                            + scalar(file, option, entry.getValue()).asText())
                    .toList();
        }
        Stream<JsonNode> values = value.isArray() ? value.valueStream() : Stream.of(value);
        return values.map(each -> option + "=" + scalar(file, option, each).asText())
                .toList();
    }

    private static JsonNode scalar(Path file, String option, JsonNode value) {
        if (!value.isValueNode() || value.isNull()) {
            throw failure(file, option.substring(2), "must have plain values: " + value);
        }
        return value;
    }

    private static JsonNode read(Path file) {
        try {
            JsonNode read = YAMLMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build()
                    .readTree(Files.readString(file));
            if (read == null || !read.isObject()) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "must hold lines of the form 'option: value', for example 'local-dc: dc1': --config " + file);
            }
            return read;
        } catch (JsonProcessingException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "is no YAML: --config " + file + ", line "
                            + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()) + ": "
                            + e.getOriginalMessage().lines().findFirst().orElse(""),
                    e);
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read --config " + file + ": " + e.getClass().getSimpleName(),
                    e);
        }
    }

    private static MigrationException failure(Path file, String key, String rule) {
        return new MigrationException(ExitCode.USAGE, "--config " + file + ": '" + key + "' " + rule);
    }
}
