package dev.cassidy.boot;

import org.springframework.data.jdbc.core.dialect.JdbcDialect;
import org.springframework.data.jdbc.core.dialect.JdbcSqlServerDialect;
import org.springframework.data.relational.core.dialect.AbstractDialect;
import org.springframework.data.relational.core.dialect.Escaper;
import org.springframework.data.relational.core.dialect.IdGeneration;
import org.springframework.data.relational.core.dialect.InsertRenderContext;
import org.springframework.data.relational.core.dialect.LimitClause;
import org.springframework.data.relational.core.dialect.LockClause;
import org.springframework.data.relational.core.dialect.OrderByNullPrecedence;
import org.springframework.data.relational.core.sql.IdentifierProcessing;

/** T-SQL as Cassidy's driver takes it: SQL Server's dialect, with CQL's LIMIT in place of its paging. */
final class CassidyDialect extends AbstractDialect implements JdbcDialect {

    static final CassidyDialect INSTANCE = new CassidyDialect();

    private static final JdbcSqlServerDialect SQL_SERVER = JdbcSqlServerDialect.INSTANCE;

    private static final LimitClause LIMIT = new LimitClause() {
        @Override
        public String getLimit(long limit) {
            return "LIMIT " + limit;
        }

        @Override
        public String getOffset(long offset) {
            throw new UnsupportedOperationException(
                    "Cassandra has no OFFSET, so only the first page can be read: offset=" + offset
                            + "; read the next page by a @Query whose WHERE begins after the last key of this one");
        }

        @Override
        public String getLimitOffset(long limit, long offset) {
            return offset == 0 ? getLimit(limit) : getOffset(offset);
        }

        @Override
        public Position getClausePosition() {
            return Position.AFTER_ORDER_BY;
        }
    };

    private CassidyDialect() {}

    @Override
    public LimitClause limit() {
        return LIMIT;
    }

    @Override
    public LockClause lock() {
        return SQL_SERVER.lock();
    }

    @Override
    public IdGeneration getIdGeneration() {
        return SQL_SERVER.getIdGeneration();
    }

    @Override
    public IdentifierProcessing getIdentifierProcessing() {
        return SQL_SERVER.getIdentifierProcessing();
    }

    @Override
    public InsertRenderContext getInsertRenderContext() {
        return SQL_SERVER.getInsertRenderContext();
    }

    @Override
    public Escaper getLikeEscaper() {
        return SQL_SERVER.getLikeEscaper();
    }

    @Override
    public OrderByNullPrecedence orderByNullHandling() {
        return SQL_SERVER.orderByNullHandling();
    }
}
