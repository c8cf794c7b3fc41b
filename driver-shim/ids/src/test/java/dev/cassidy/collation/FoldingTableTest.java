package dev.cassidy.collation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class FoldingTableTest {

    /** Keys of rows are made by the table: whoever changes it makes version 2, and keeps this one. */
    @Test
    void shouldNeverChange() throws IOException, NoSuchAlgorithmException {
        byte[] resource = Files.readAllBytes(FoldingTableGenerator.RESOURCE);

        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(resource)))
                .isEqualTo("6909d6ab1b36cb2b197ee198313c77cbb0236c8ef5c9dcea8ce39507c93055ba");
    }

    @Test
    void shouldBeWhatTheGeneratorMakesOfUnicode16() throws IOException {
        assertThat(FoldingTableGenerator.generate())
                .isEqualTo(Files.readString(FoldingTableGenerator.RESOURCE, StandardCharsets.US_ASCII));
    }
}
