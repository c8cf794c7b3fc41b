package dev.cassidy.table;

/**
 * What {@link TableRegistry#addColumns} has made.
 *
 * @param before the contract before it
 * @param after the contract after it; the same if nothing was to be declared
 */
public record AddedColumns(TableContract before, TableContract after) {

    boolean changedSomething() {
        return after.revision() != before.revision();
    }
}
