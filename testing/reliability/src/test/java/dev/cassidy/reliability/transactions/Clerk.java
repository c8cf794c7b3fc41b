package dev.cassidy.reliability.transactions;

import java.sql.SQLException;

/** One thread of a {@link BankProgram}. */
interface Clerk extends AutoCloseable {

    String name();

    /** Works until {@link #end()} is called. */
    void work() throws InterruptedException;

    /** Lets it end after the operation under way. */
    void end();

    void awaitEnd() throws InterruptedException;

    @Override
    void close() throws SQLException;
}
