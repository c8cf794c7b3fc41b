/**
 * The recorder: {@code jdbc:cassidy:record:} before the URL of an old database records what an application does there, without
 * its values. It judges nothing; the command {@code cassidy assess} does that, elsewhere. Java 8, without a dependency.
 *
 * <p>There is no {@code @NullMarked} here: javac warns that Java 8 does not know what it may stand on.
 */
package dev.cassidy.recorder;
