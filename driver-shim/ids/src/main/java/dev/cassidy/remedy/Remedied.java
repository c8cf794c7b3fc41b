package dev.cassidy.remedy;

import java.util.Optional;

/** An error that may know how to correct it. Its own message tells of that in Java. */
public interface Remedied {

    /** Returns what is wrong, without the remedy. */
    String problem();

    /** Returns how to correct it, if that is known. */
    Optional<Remedy> remedy();

    /** Returns a message of two sentences, or of one. */
    static String message(String problem, Optional<String> told) {
        return told.map(remedy -> problem + ". " + remedy).orElse(problem);
    }
}
