package dev.cassidy.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.data.annotation.Id;
import org.springframework.data.cassandra.core.cql.PrimaryKeyType;
import org.springframework.data.cassandra.core.mapping.CassandraMappingContext;
import org.springframework.data.cassandra.core.mapping.Column;
import org.springframework.data.cassandra.core.mapping.PrimaryKey;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyClass;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyColumn;
import org.springframework.data.mapping.MappingException;

class IdentityPropertyTest {

    private static final SequenceSpec INTS = SequenceSpec.of("shop.product");
    private static final SequenceSpec LONGS = SequenceSpec.of("shop.product", IdentityType.BIGINT, 1, 1);

    private final CassandraMappingContext mapping = new CassandraMappingContext();

    record Product(@Id Integer id, String name) {}

    static final class Order {
        @Id
        private Long id;

        private String customer;
    }

    record Counted(@Id int id, String name) {}

    record Named(@Id String id) {}

    @PrimaryKeyClass
    record LineKey(
            @PrimaryKeyColumn(type = PrimaryKeyType.PARTITIONED)
            long basket,

            @PrimaryKeyColumn(type = PrimaryKeyType.CLUSTERED)
            Integer id) {}

    record Line(@PrimaryKey LineKey key, String product) {}

    record Twice(@Id Integer id, @Column("id") Integer number) {}

    record Nothing(@Id String code) {}

    @Test
    void shouldGiveARecordACopyWithTheId() {
        IdentityProperty property = find(Product.class);
        Product product = new Product(null, "Kettle");

        assertThat(property.isMissing(product)).isTrue();
        assertThat(property.with(7, product)).isEqualTo(new Product(7, "Kettle"));
        assertThat(property.isMissing(new Product(7, "Kettle"))).isFalse();
    }

    @Test
    void shouldGiveAnObjectItsId() {
        Order order = new Order();
        order.customer = "Ann";

        assertThat(find(Order.class).with(5_000_000_000L, order)).isSameAs(order);
        assertThat(order.id).isEqualTo(5_000_000_000L);
        assertThat(order.customer).isEqualTo("Ann");
    }

    @Test
    void shouldFillAPartOfAKey() {
        IdentityProperty property = find(Line.class);
        Line line = new Line(new LineKey(3, null), "Kettle");

        assertThat(property.isMissing(line)).isTrue();
        assertThat(property.with(8, line)).isEqualTo(new Line(new LineKey(3, 8), "Kettle"));
        assertThat(property.isMissing(new Line(new LineKey(3, 8), "Kettle"))).isFalse();
        // Its basket is not known: Spring Data refuses such an entity.
        assertThat(property.isMissing(new Line(null, "Kettle"))).isFalse();
    }

    @Test
    void shouldTakeZeroOfAPrimitiveForNoId() {
        IdentityProperty property = find(Counted.class);

        assertThat(property.isMissing(new Counted(0, "Kettle"))).isTrue();
        assertThat(property.with(9, new Counted(0, "Kettle"))).isEqualTo(new Counted(9, "Kettle"));
        assertThatCode(() -> property.requireRoom(INTS, Optional.of(DataTypes.INT)))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseAPrimitiveIfZeroIsAnId() {
        SequenceSpec fromZero = SequenceSpec.of("shop.product", IdentityType.INT, 0, 1);

        assertThatThrownBy(() -> find(Counted.class).requireRoom(fromZero, Optional.of(DataTypes.INT)))
                .isInstanceOf(MappingException.class)
                .hasMessage("must tell a missing id from 0, which sequence shop.product issues: int id of "
                        + Counted.class.getName() + "; declare it Integer");
        assertThatCode(() -> find(Product.class).requireRoom(fromZero, Optional.of(DataTypes.INT)))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseATypeThatCannotHoldTheSequence() {
        assertThatThrownBy(() -> find(Product.class).requireRoom(LONGS, Optional.of(DataTypes.BIGINT)))
                .isInstanceOf(MappingException.class)
                .hasMessage("must hold each id of sequence shop.product, 1 to 9223372036854775807, in a column of type"
                        + " BIGINT: Integer id of " + Product.class.getName() + "; declare it Long");
        assertThatThrownBy(() -> find(Product.class).requireRoom(LONGS, Optional.empty()))
                .hasMessage("must hold each id of sequence shop.product, 1 to 9223372036854775807: Integer id of "
                        + Product.class.getName() + "; declare it Long");
    }

    @Test
    void shouldRefuseATypeThatIsNotTheColumns() {
        assertThatThrownBy(() -> find(Order.class).requireRoom(INTS, Optional.of(DataTypes.INT)))
                .hasMessage("must hold each id of sequence shop.product, 1 to 2147483647, in a column of type INT: Long"
                        + " id of " + Order.class.getName() + "; declare it Integer");
        assertThatThrownBy(() -> find(Named.class).requireRoom(INTS, Optional.of(DataTypes.INT)))
                .hasMessage(
                        "must hold each id of sequence shop.product, 1 to 2147483647, in a column of type INT: String"
                                + " id of " + Named.class.getName() + "; declare it Integer");
        // A sequence may be narrower than its column.
        assertThatCode(() -> find(Order.class).requireRoom(INTS, Optional.of(DataTypes.BIGINT)))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseTwoPropertiesOfOneColumn() {
        assertThatThrownBy(() -> find(Twice.class))
                .isInstanceOf(MappingException.class)
                .hasMessage("must be one property: column id, the identity of shop.product, has [id, number] of "
                        + Twice.class.getName());
    }

    @Test
    void shouldFindNothingWhereNobodyAsksForTheId() {
        assertThat(IdentityProperty.find(
                        mapping.getRequiredPersistentEntity(Nothing.class), mapping::getPersistentEntity, column()))
                .isEmpty();
    }

    private IdentityProperty find(Class<?> type) {
        return IdentityProperty.find(mapping.getRequiredPersistentEntity(type), mapping::getPersistentEntity, column())
                .orElseThrow();
    }

    private static IdentityColumn column() {
        return new IdentityColumn("shop", "product", "id", "shop.product");
    }
}
