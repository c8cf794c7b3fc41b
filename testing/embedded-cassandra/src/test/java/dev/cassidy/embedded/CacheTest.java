package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheTest {
    @TempDir
    private Path folder;

    @Test
    void shouldServeOneCompleteFolderWhenSeveralFillItAtOnce() throws Exception {
        int fillers = 4;
        CyclicBarrier allHaveFilled = new CyclicBarrier(fillers);
        ExecutorService threads = Executors.newFixedThreadPool(fillers);
        List<Future<Path>> served = new ArrayList<>();
        for (int i = 0; i < fillers; i++) {
            served.add(threads.submit(() -> new Cache(folder).folder("jars", beside -> {
                Files.writeString(beside.resolve("a.jar"), "a");
                Files.writeString(beside.resolve("b.jar"), "b");
                await(allHaveFilled);
            })));
        }

        for (Future<Path> path : served) {
            assertThat(path.get()).isEqualTo(folder.resolve("jars"));
        }
        threads.shutdown();
        assertThat(folder.resolve("jars"))
                .isDirectoryContaining("glob:**/a.jar")
                .isDirectoryContaining("glob:**/b.jar");
        assertThat(folder).as("nothing is left beside").isDirectoryNotContaining("glob:**/jars.*");
    }

    @Test
    void shouldLeaveNothingWhenFillingFails() throws IOException {
        Cache cache = new Cache(folder);

        assertThatThrownBy(() -> cache.folder("jars", beside -> {
                    Files.writeString(beside.resolve("a.jar"), "half");
                    throw new IOException("no space left");
                }))
                .hasMessage("no space left");

        assertThat(folder).isEmptyDirectory();
        assertThat(cache.folder("jars", beside -> Files.writeString(beside.resolve("a.jar"), "whole"))
                        .resolve("a.jar"))
                .hasContent("whole");
    }

    @Test
    void shouldFillOnlyOnce() throws IOException {
        Cache cache = new Cache(folder);
        cache.folder("jars", beside -> Files.writeString(beside.resolve("a.jar"), "first"));

        cache.folder("jars", beside -> {
            throw new IOException("filled again");
        });

        assertThat(folder.resolve("jars").resolve("a.jar")).hasContent("first");
    }

    @Test
    void shouldNameAFileByItsContent() throws IOException {
        Cache cache = new Cache(folder);
        Path one = cache.file("child", ".jar", new byte[] {1});

        assertThat(cache.file("child", ".jar", new byte[] {1})).isEqualTo(one).hasBinaryContent(new byte[] {1});
        assertThat(cache.file("child", ".jar", new byte[] {2})).isNotEqualTo(one);
    }

    @Test
    void shouldRefuseAFolderOfAnotherUser() {
        UserPrincipal me = () -> "alice";

        assertThatThrownBy(() -> Cache.ownedBy(me, folder))
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("not to alice: " + folder)
                .hasMessageContaining("-Dcassidy.embedded.cache=");
    }

    private static void await(CyclicBarrier barrier) throws IOException {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
