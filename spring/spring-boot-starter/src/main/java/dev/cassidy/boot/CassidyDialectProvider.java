package dev.cassidy.boot;

import dev.cassidy.cql.IdentitySession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.jdbc.core.dialect.DialectResolver.JdbcDialectProvider;
import org.springframework.data.relational.core.dialect.Dialect;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * Tells Spring Data JDBC the dialect of Cassidy's connections, so that {@code presentAs} is not needed. With it, the application
 * gets the dialect that it asks for. Before Spring Data's own provider, which logs that it does not know Cassandra.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class CassidyDialectProvider implements JdbcDialectProvider {

    @Override
    public Optional<Dialect> getDialect(JdbcOperations operations) {
        Boolean cassidys = operations.execute((ConnectionCallback<Boolean>) CassidyDialectProvider::isCassidys);
        return Boolean.TRUE.equals(cassidys) ? Optional.of(CassidyDialect.INSTANCE) : Optional.empty();
    }

    private static boolean isCassidys(Connection connection) throws SQLException {
        return connection.isWrapperFor(IdentitySession.class)
                && connection.getMetaData().getDatabaseProductName().contains("Cassandra");
    }
}
