package dev.cassidy.differential;

import java.sql.Connection;
import java.sql.SQLException;

/** One of the two databases that are compared, as an application connects to it. */
@FunctionalInterface
interface Database {

    /** @param options of the {@code jdbc:cassidy:} URL, each with its {@code &}; the other database ignores them */
    Connection connect(String options) throws SQLException;
}
