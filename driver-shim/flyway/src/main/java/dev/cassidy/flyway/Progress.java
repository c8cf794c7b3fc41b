package dev.cassidy.flyway;

/** Whether a migration has begun, while the lock is held, that the history does not have. */
final class Progress {

    private boolean locked;
    private boolean open;

    void locked() {
        locked = true;
        open = false;
    }

    void unlocked() {
        locked = false;
    }

    boolean isLocked() {
        return locked;
    }

    void begins() {
        open = true;
    }

    void recorded() {
        open = false;
    }

    boolean isOpen() {
        return open;
    }
}
