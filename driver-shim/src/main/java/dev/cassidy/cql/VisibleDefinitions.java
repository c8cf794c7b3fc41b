package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.detach.AttachmentPoint;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** Variables without the one at {@code hidden}. */
record VisibleDefinitions(ColumnDefinitions all, int hidden) implements ColumnDefinitions {

    @Override
    public int size() {
        return all.size() - 1;
    }

    @Override
    public ColumnDefinition get(int i) {
        if (i < 0 || i >= size()) {
            throw new IndexOutOfBoundsException("index=" + i + " size=" + size());
        }
        return all.get(i < hidden ? i : i + 1);
    }

    @Override
    public boolean contains(String name) {
        return firstIndexOf(name) >= 0;
    }

    @Override
    public boolean contains(CqlIdentifier id) {
        return firstIndexOf(id) >= 0;
    }

    @Override
    public List<Integer> allIndicesOf(String name) {
        return visible(all.allIndicesOf(name));
    }

    @Override
    public List<Integer> allIndicesOf(CqlIdentifier id) {
        return visible(all.allIndicesOf(id));
    }

    @Override
    public int firstIndexOf(String name) {
        return first(allIndicesOf(name));
    }

    @Override
    public int firstIndexOf(CqlIdentifier id) {
        return first(allIndicesOf(id));
    }

    private List<Integer> visible(List<Integer> indices) {
        return indices.stream()
                .filter(i -> i != hidden)
                .map(i -> i < hidden ? i : i - 1)
                .toList();
    }

    private static int first(List<Integer> indices) {
        return indices.isEmpty() ? -1 : indices.get(0);
    }

    @Override
    public Iterator<ColumnDefinition> iterator() {
        return IntStream.range(0, size()).mapToObj(this::get).iterator();
    }

    @Override
    public boolean isDetached() {
        return all.isDetached();
    }

    @Override
    public void attach(AttachmentPoint attachmentPoint) {
        all.attach(attachmentPoint);
    }
}
