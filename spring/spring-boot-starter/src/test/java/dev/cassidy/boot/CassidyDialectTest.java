package dev.cassidy.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.jdbc.core.dialect.DialectResolver.JdbcDialectProvider;
import org.springframework.data.relational.core.dialect.RenderContextFactory;
import org.springframework.data.relational.core.sql.Select;
import org.springframework.data.relational.core.sql.StatementBuilder;
import org.springframework.data.relational.core.sql.Table;
import org.springframework.data.relational.core.sql.render.SqlRenderer;

class CassidyDialectTest {

    private static final Table PRODUCT = Table.create("product");

    @Test
    void shouldLimitAsCqlDoes() {
        Select select = StatementBuilder.select(PRODUCT.column("id"))
                .from(PRODUCT)
                .limit(2)
                .build();

        assertThat(render(select)).isEqualTo("SELECT product.id FROM product LIMIT 2");
    }

    @Test
    void shouldTakeTheFirstPageAndRefuseTheOthers() {
        Select first = StatementBuilder.select(PRODUCT.column("id"))
                .from(PRODUCT)
                .limitOffset(2, 0)
                .build();
        Select second = StatementBuilder.select(PRODUCT.column("id"))
                .from(PRODUCT)
                .limitOffset(2, 2)
                .build();

        assertThat(render(first)).endsWith("LIMIT 2");
        assertThatThrownBy(() -> render(second))
                .hasMessage(
                        "Cassandra has no OFFSET, so only the first page can be read: offset=2; read the next page by a"
                                + " @Query whose WHERE begins after the last key of this one");
    }

    private static String render(Select select) {
        return SqlRenderer.create(new RenderContextFactory(CassidyDialect.INSTANCE).createRenderContext())
                .render(select);
    }

    @Test
    void shouldBeAskedFirst() {
        assertThat(SpringFactoriesLoader.loadFactories(
                        JdbcDialectProvider.class, getClass().getClassLoader()))
                .first()
                .isInstanceOf(CassidyDialectProvider.class);
    }
}
