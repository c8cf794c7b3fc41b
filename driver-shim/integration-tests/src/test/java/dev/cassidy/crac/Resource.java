package dev.cassidy.crac;

public interface Resource {

    void beforeCheckpoint(Context context) throws Exception;

    void afterRestore(Context context) throws Exception;
}
