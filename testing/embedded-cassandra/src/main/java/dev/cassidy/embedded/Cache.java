package dev.cassidy.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Unpacked jars, shared by all JVMs of a user. Every entry is written beside its place and then renamed, so that
 * another JVM sees all of it or nothing. The name is a hash of the content, so an entry never changes.
 */
record Cache(Path folder) {
    static final String PROPERTY = "cassidy.embedded.cache";

    interface Filler {
        void fill(Path folder) throws IOException;
    }

    /** The folder of the system property {@value #PROPERTY}, or {@code ~/.cache/cassidy}, or a temporary folder. */
    static Cache ofUser() {
        String chosen = System.getProperty(PROPERTY);
        if (chosen != null) {
            return new Cache(Path.of(chosen).toAbsolutePath());
        }
        Path home = Path.of(System.getProperty("user.home", "/nonexistent"), ".cache", "cassidy");
        try {
            Files.createDirectories(home);
            if (Files.isWritable(home)) {
                return new Cache(home);
            }
        } catch (IOException e) {
            // A home directory that cannot be written to is common in containers.
        }
        Path shared = Path.of(System.getProperty("java.io.tmpdir"), "cassidy-" + System.getProperty("user.name"));
        try {
            Path mine = Files.createTempFile("cassidy-owner-", "");
            UserPrincipal me = Files.getOwner(mine);
            Files.delete(mine);
            return ownedBy(me, Files.createDirectories(shared));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for unpacked jars; name one with -D" + PROPERTY + "=DIR", e);
        }
    }

    /** In a folder that is open to all users, another user may have put jars under the name that we look for. */
    static Cache ownedBy(UserPrincipal me, Path folder) throws IOException {
        UserPrincipal owner = Files.getOwner(folder);
        if (!owner.equals(me)) {
            throw new EmbeddedCassandraException("belongs to " + owner.getName() + ", not to " + me.getName() + ": "
                    + folder + "; name another folder for unpacked jars with -D" + PROPERTY + "=DIR");
        }
        return new Cache(folder);
    }

    Path folder(String name, Filler filler) throws IOException {
        Path target = folder.resolve(name);
        if (!Files.isDirectory(target)) {
            Files.createDirectories(folder);
            Path beside = Files.createTempDirectory(folder, name + ".");
            try {
                filler.fill(beside);
                moveUnlessThere(beside, target);
            } finally {
                Trees.delete(beside);
            }
        }
        return target;
    }

    Path file(String prefix, String suffix, byte[] content) throws IOException {
        Path target = folder.resolve(prefix + "-" + hash(content) + suffix);
        if (!Files.exists(target)) {
            Files.createDirectories(folder);
            Path beside = Files.createTempFile(folder, prefix, suffix);
            Files.write(beside, content);
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
        }
        return target;
    }

    private static void moveUnlessThere(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // If another JVM was faster, its content is the same as ours. Systems report this in different ways.
            if (!Files.isDirectory(to)) {
                throw e;
            }
        }
    }

    static String hash(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
