package dev.cassidy;

import dev.cassidy.insert.CqlInsertFuzz;
import dev.cassidy.insert.CqlWriteFuzz;
import dev.cassidy.jdbc.session.ConnectionSettingsFuzz;
import dev.cassidy.tsql.TsqlScriptFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the targets of Jazzer on their seeds; {@code mvn -Pfuzz} continues from there. */
class FuzzSeedsTest {

    private static final Path SEEDS = Path.of("src", "test", "fuzz");

    private interface Target {
        void run(byte[] data);
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldForEverySeed() throws IOException {
        return Stream.of(
                        seeds("dev.cassidy.insert.CqlInsertFuzz", CqlInsertFuzz::fuzzerTestOneInput),
                        seeds("dev.cassidy.insert.CqlWriteFuzz", CqlWriteFuzz::fuzzerTestOneInput),
                        seeds("dev.cassidy.tsql.TsqlScriptFuzz", TsqlScriptFuzz::fuzzerTestOneInput),
                        seeds(
                                "dev.cassidy.jdbc.session.ConnectionSettingsFuzz",
                                ConnectionSettingsFuzz::fuzzerTestOneInput))
                .flatMap(List::stream);
    }

    private static List<DynamicTest> seeds(String folder, Target target) throws IOException {
        try (Stream<Path> files = Files.list(SEEDS.resolve(folder))) {
            return files.sorted()
                    .map(file -> DynamicTest.dynamicTest(
                            folder + "/" + file.getFileName(), () -> target.run(Files.readAllBytes(file))))
                    .toList();
        }
    }
}
