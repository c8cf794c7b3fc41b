package dev.cassidy.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * Keys, and certificates that their owners signed themselves, as files of a folder: for tests of servers that require TLS. They
 * are valid for two days. Safe for use by many threads, as long as each name is made once.
 */
public final class TestCertificates {

    /** Protects every store and every key. */
    public static final String PASSWORD = "st0re+s3cret";

    private static final String FORMAT = "PKCS12";
    private static final long MAX_SECONDS = 60;

    private final Path folder;

    /** @param folder that exists; nothing is deleted there */
    public TestCertificates(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a key, its certificate, and a truststore that contains this certificate alone.
     *
     * @param name of the files, and the alias in them
     * @param commonName for example {@code localhost}
     * @param names alternative names as keytool takes them, for example {@code dns:localhost,ip:127.0.0.1}
     * @throws EmbeddedCassandraException if keytool fails, or does not end within a minute
     */
    public void make(String name, String commonName, String names) {
        Path log = folder.resolve(name + ".log");
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
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
                            FORMAT,
                            "-keystore",
                            store(name).toString(),
                            "-storepass",
                            PASSWORD)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new EmbeddedCassandraException("keytool did not end within " + MAX_SECONDS + " s: " + log);
            }
            if (process.exitValue() != 0) {
                throw new EmbeddedCassandraException(
                        "keytool ended with " + process.exitValue() + ": " + Files.readString(log));
            }
            KeyStore trusted = KeyStore.getInstance(FORMAT);
            trusted.load(null, null);
            trusted.setCertificateEntry(name, load(name).getCertificate(name));
            try (OutputStream out = Files.newOutputStream(truststore(name))) {
                trusted.store(out, PASSWORD.toCharArray());
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new EmbeddedCassandraException("cannot make the certificate " + name + " in " + folder, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedCassandraException("interrupted while keytool made " + name, e);
        }
    }

    /** Returns the key and the certificate. */
    public KeyStore load(String name) {
        try {
            return KeyStore.getInstance(store(name).toFile(), PASSWORD.toCharArray());
        } catch (IOException | GeneralSecurityException e) {
            throw new EmbeddedCassandraException("cannot read " + store(name), e);
        }
    }

    /** Returns the file with the key and the certificate, in PKCS #12. */
    public Path store(String name) {
        return folder.resolve(name + ".p12");
    }

    /** Returns the file with the certificate alone, in PKCS #12. */
    public Path truststore(String name) {
        return folder.resolve(name + "-trusted.p12");
    }

    /** Returns a new file with the certificate, in PEM. */
    public Path certificate(String name) {
        try {
            return pem(
                    name + ".crt",
                    "CERTIFICATE",
                    load(name).getCertificate(name).getEncoded());
        } catch (IOException | GeneralSecurityException e) {
            throw new EmbeddedCassandraException("cannot write the certificate " + name + " to " + folder, e);
        }
    }

    /** Returns a new file with the key, in PEM without a password, which nobody else may read. */
    public Path key(String name) {
        try {
            Key key = load(name).getKey(name, PASSWORD.toCharArray());
            return pem(name + ".key", "PRIVATE KEY", key.getEncoded());
        } catch (IOException | GeneralSecurityException e) {
            throw new EmbeddedCassandraException("cannot write the key " + name + " to " + folder, e);
        }
    }

    private Path pem(String file, String kind, byte[] content) throws IOException {
        Path written = Files.writeString(
                folder.resolve(file),
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                        + kind + "-----\n");
        return Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-------"));
    }
}
