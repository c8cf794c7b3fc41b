package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains TLS problems by the names of the options. */
final class Tls {

    /** Many times what the JVM's own truststore has. */
    static final int MAX_BYTES = 16 << 20;

    private Tls() {}

    // ---- before anything is opened

    /** Returns whether connections are encrypted, by an option, a configFile or a system property. */
    static boolean isConfigured(DriverExecutionProfile config) {
        return config.isDefined(DefaultDriverOption.SSL_ENGINE_FACTORY_CLASS);
    }

    /**
     * The driver would say neither which of the files it cannot use nor why, and takes a truststore without certificates.
     *
     * @throws IllegalArgumentException naming the option; never a password
     */
    static void requireStores(ConnectionSettings settings) {
        requireStore(settings, ConnectionOption.SSL_TRUSTSTORE, ConnectionOption.SSL_TRUSTSTORE_PASSWORD, false);
        requireStore(settings, ConnectionOption.SSL_KEYSTORE, ConnectionOption.SSL_KEYSTORE_PASSWORD, true);
    }

    private static void requireStore(
            ConnectionSettings settings, ConnectionOption option, ConnectionOption passwordOption, boolean ofKeys) {
        @Nullable String file = settings.given(option).orElse(null);
        if (file == null) {
            return;
        }
        char @Nullable [] password =
                settings.given(passwordOption).map(String::toCharArray).orElse(null);
        String where = option.key() + "='" + file + "'";
        try {
            // Reads PKCS12 as well.
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(new ByteArrayInputStream(content(Path.of(file), where)), password);
            requireEntries(store, password, ofKeys, where, passwordOption);
        } catch (GeneralSecurityException | IOException | InvalidPathException e) {
            if (e instanceof UnrecoverableKeyException || e.getCause() instanceof UnrecoverableKeyException) {
                throw new IllegalArgumentException(
                        "option " + passwordOption.key() + " is not the password of " + where, e);
            }
            throw new IllegalArgumentException(
                    "must be a file of type JKS or PKCS12 that can be read: " + where + " (" + e + ")", e);
        }
    }

    /** A link is followed, as one to a configFile is. */
    private static byte[] content(Path file, String where) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // A device may never end, and a pipe may never begin.
            throw new IllegalArgumentException("must be a regular file: " + where);
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(MAX_BYTES + 1);
            if (content.length > MAX_BYTES) {
                throw new IllegalArgumentException("must have at most " + MAX_BYTES + " bytes: " + where);
            }
            return content;
        }
    }

    private static void requireEntries(
            KeyStore store, char @Nullable [] password, boolean ofKeys, String where, ConnectionOption passwordOption)
            throws GeneralSecurityException {
        boolean found = false;
        for (String alias : Collections.list(store.aliases())) {
            found |= ofKeys ? store.isKeyEntry(alias) : store.isCertificateEntry(alias);
        }
        if (!found) {
            throw new IllegalArgumentException("must hold " + (ofKeys ? "a private key" : "a trusted certificate")
                    + ": "
                    + where
                    + (password == null ? "; its content may not be readable without " + passwordOption.key() : ""));
        }
        if (ofKeys) {
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm())
                    .init(store, password == null ? new char[0] : password);
        }
    }

    // ---- after no node could be reached

    /** Returns what is wrong and a workaround, if TLS or its absence may be the cause. */
    static Optional<String> explain(List<Throwable> errors, ConnectionSettings settings) {
        List<Throwable> causes = causes(errors);
        for (Throwable cause : causes) {
            Optional<String> explained = explain(cause, settings);
            if (explained.isPresent()) {
                return explained;
            }
        }
        for (Throwable cause : causes) {
            if (cause instanceof SSLException) {
                return Optional.of("TLS failed (" + cause.getMessage() + "); check the options that begin with ssl");
            }
        }
        return Optional.empty();
    }

    /** Returns what to add if the cause is unclear: either side may just hang up on what it does not understand. */
    static String doubt(List<Throwable> errors, ConnectionSettings settings) {
        if (causes(errors).stream().anyMatch(ConnectException.class::isInstance)) {
            return "";
        }
        return settings.ssl()
                ? "; with ssl=true it must speak TLS on this port"
                : "; if it wants TLS, connect with ssl=true";
    }

    private static List<Throwable> causes(List<Throwable> errors) {
        List<Throwable> causes = new ArrayList<>();
        errors.forEach(error -> addCauses(error, causes));
        return causes;
    }

    private static void addCauses(Throwable error, List<Throwable> causes) {
        for (Throwable cause = error; cause != null && !causes.contains(cause); cause = cause.getCause()) {
            causes.add(cause);
            for (Throwable suppressed : cause.getSuppressed()) {
                addCauses(suppressed, causes);
            }
        }
    }

    private static Optional<String> explain(Throwable cause, ConnectionSettings settings) {
        String message = cause.getMessage() == null ? "" : cause.getMessage();
        if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
            return Optional.of("the node's certificate is not trusted by "
                    + settings.given(ConnectionOption.SSL_TRUSTSTORE)
                            .map(file -> "sslTruststore='" + file + "'")
                            .orElse("the JVM's own truststore, as sslTruststore is not given")
                    + " (" + message + "); put the node's certificate, or its issuer's, into the file that"
                    + " sslTruststore names");
        }
        if (cause instanceof CertificateException && isAboutName(message)) {
            return Optional.of("the node's certificate is for another host (" + message
                    + "); connect by a name that the certificate holds, or turn the check off in"
                    + " a configFile: datastax-java-driver.advanced.ssl-engine-factory.hostname-validation = false");
        }
        if (message.startsWith("not an SSL/TLS record")) {
            return Optional.of("the node speaks no TLS on this port; enable it there (client_encryption_options), or"
                    + " connect without ssl=true");
        }
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("bad_certificate") || lower.contains("certificate_required")) {
            return Optional.of("the node asks for a client's certificate, and "
                    + (settings.isGiven(ConnectionOption.SSL_KEYSTORE)
                            ? "does not trust the one of sslKeystore"
                            : "none was given; name its file by the option sslKeystore")
                    + " (" + message + ")");
        }
        return Optional.empty();
    }

    private static boolean isAboutName(String message) {
        String lower = message.toLowerCase(Locale.ROOT);
        return lower.contains("subject alternative") || lower.contains("no name matching");
    }
}
