package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.detach.AttachmentPoint;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Variables without hidden ones.
 *
 * @param shown the indexes of the others among all, ascending
 */
record VisibleDefinitions(ColumnDefinitions all, List<Integer> shown) implements ColumnDefinitions {

    VisibleDefinitions {
        shown = List.copyOf(shown);
    }

    /** @param hidden the indexes of those that are not shown */
    VisibleDefinitions(ColumnDefinitions all, int[] hidden) {
        this(
                all,
                IntStream.range(0, all.size())
                        .filter(i -> IntStream.of(hidden).noneMatch(each -> each == i))
                        .boxed()
                        .toList());
    }

    /** Returns the index among all variables. */
    int index(int visible) {
        return shown.get(visible);
    }

    /** Returns the indexes as they are here; none if any of them is hidden. */
    List<Integer> visible(List<Integer> indices) {
        return shown.containsAll(indices) ? indices.stream().map(shown::indexOf).toList() : List.of();
    }

    @Override
    public int size() {
        return shown.size();
    }

    @Override
    public ColumnDefinition get(int i) {
        if (i < 0 || i >= size()) {
            throw new IndexOutOfBoundsException("index=" + i + " size=" + size());
        }
        return all.get(shown.get(i));
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
        return those(all.allIndicesOf(name));
    }

    @Override
    public List<Integer> allIndicesOf(CqlIdentifier id) {
        return those(all.allIndicesOf(id));
    }

    @Override
    public int firstIndexOf(String name) {
        return first(allIndicesOf(name));
    }

    @Override
    public int firstIndexOf(CqlIdentifier id) {
        return first(allIndicesOf(id));
    }

    private List<Integer> those(List<Integer> indices) {
        return indices.stream().map(shown::indexOf).filter(i -> i >= 0).toList();
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
