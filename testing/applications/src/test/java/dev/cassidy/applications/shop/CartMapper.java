package dev.cassidy.applications.shop;

import java.math.BigDecimal;
import java.util.List;
import org.apache.ibatis.annotations.Param;

interface CartMapper {
    int open(Cart cart);

    Integer cartOf(int accountId);

    int addTo(@Param("cartId") int cartId, @Param("code") String code, @Param("quantity") int quantity);

    int put(@Param("cartId") int cartId, @Param("code") String code, @Param("quantity") int quantity);

    int takeOut(@Param("cartId") int cartId, @Param("code") String code);

    int empty(int cartId);

    List<CartLine> lines(int cartId);

    BigDecimal total(int cartId);

    int takeOutWhatIsGone();

    int putAllOf(@Param("accountId") int accountId, @Param("productId") int productId, @Param("quantity") int quantity);

    /** Null for an empty cart. */
    Integer pieces(int cartId);
}
