package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeFolderTest {
    private static final NodeAddress ADDRESS = NodeAddress.alone("127.0.0.1", 19042, 17000);

    @TempDir
    private Path temporary;

    @Test
    void shouldReplaceADefaultByTheUsersYaml() throws IOException {
        NodeFolder folder = folder("node");

        folder.write(NodeSettings.defaults().withYaml("commitlog_sync", "periodic"), ADDRESS);

        assertThat(folder.yaml()).content().containsOnlyOnce("commitlog_sync:").contains("commitlog_sync: periodic\n");
    }

    @Test
    void shouldQuoteNamesAndFolders() throws IOException {
        NodeFolder folder = folder("it's: here");

        folder.write(NodeSettings.defaults().withClusterName("O'Neill: #1"), ADDRESS);

        assertThat(folder.yaml())
                .content()
                .contains("cluster_name: 'O''Neill: #1'\n")
                .contains("commitlog_directory: '" + temporary + "/it''s: here/commitlog'\n");
    }

    @Test
    void shouldRemoveOnlyTheNodesFiles() throws IOException {
        NodeFolder folder = folder("node");
        folder.write(NodeSettings.defaults(), ADDRESS);
        Files.createDirectories(folder.root().resolve("data/system"));
        Path letter = Files.writeString(folder.root().resolve("letter.txt"), "not the node's");

        folder.delete();

        assertThat(folder.root()).isDirectoryContaining("glob:**/letter.txt");
        assertThat(folder.root().toFile().list()).hasSize(1);
        Files.delete(letter);
        folder.delete();
        assertThat(folder.root()).doesNotExist();
    }

    @Test
    void shouldLeaveTheLogWhenOnlyTheDataGoes() throws IOException {
        NodeFolder folder = folder("node");
        folder.write(NodeSettings.defaults(), ADDRESS);
        Files.writeString(folder.log(), "ERROR why");
        Files.createDirectories(folder.root().resolve("data/system"));

        folder.deleteData();

        assertThat(folder.log()).hasContent("ERROR why");
        assertThat(folder.root().resolve("data")).doesNotExist();
    }

    private NodeFolder folder(String name) throws IOException {
        return new NodeFolder(Files.createDirectory(temporary.resolve(name)));
    }
}
