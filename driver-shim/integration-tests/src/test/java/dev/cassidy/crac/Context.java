package dev.cassidy.crac;

import java.util.ArrayList;
import java.util.List;

public final class Context {

    private final List<Resource> resources = new ArrayList<>();

    public synchronized void register(Resource resource) {
        resources.add(resource);
    }

    synchronized List<Resource> resources() {
        return List.copyOf(resources);
    }
}
