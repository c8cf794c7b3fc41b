package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Certificates that their owners signed themselves, with their keys, as files of a folder. */
final class Certificates {

    /** Protects every store. */
    static final String PASSWORD = "st0re+s3cret";

    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a key and its certificate, with {@code name} as the alias.
     *
     * @param names for example {@code dns:localhost}
     */
    void generate(String name, String commonName, String names) throws IOException, InterruptedException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Path log = folder.resolve(name + ".log");
        Process process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + commonName,
                        "-ext",
                        "san=" + names,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store(name).toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }

    /** Makes a truststore that contains only the certificate with that name. */
    void trust(String name) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(name, load(name).getCertificate(name));
        try (OutputStream out = Files.newOutputStream(truststore(name))) {
            trusted.store(out, PASSWORD.toCharArray());
        }
    }

    KeyStore load(String name) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store(name))) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    /** Returns the file with the key and the certificate. */
    Path store(String name) {
        return folder.resolve(name + ".p12");
    }

    Path truststore(String name) {
        return folder.resolve(name + "-trusted.p12");
    }

    /** Returns a new file with the certificate in PEM. */
    Path certificate(String name) throws IOException, GeneralSecurityException {
        return pem(name + ".crt", "CERTIFICATE", load(name).getCertificate(name).getEncoded());
    }

    /** Returns a new file with the key in PEM, which nobody else may read. */
    Path key(String name) throws IOException, GeneralSecurityException {
        return pem(
                name + ".key",
                "PRIVATE KEY",
                load(name).getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private Path pem(String file, String kind, byte[] content) throws IOException {
        String text = "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + kind + "-----\n";
        Path written = Files.writeString(folder.resolve(file), text);
        return Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-------"));
    }
}
