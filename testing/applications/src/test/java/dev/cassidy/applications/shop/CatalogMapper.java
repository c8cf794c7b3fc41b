package dev.cassidy.applications.shop;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.apache.ibatis.annotations.Param;

interface CatalogMapper {
    int insertCategory(@Param("code") String code, @Param("name") String name, @Param("sortOrder") int sortOrder);

    int insertSupplier(NewSupplier supplier);

    int insertProduct(Product product);

    int insertItem(
            @Param("code") String code,
            @Param("productId") int productId,
            @Param("supplierId") Integer supplierId,
            @Param("listPrice") BigDecimal listPrice,
            @Param("unitCost") BigDecimal unitCost,
            @Param("attribute") String attribute);

    int insertInventory(@Param("code") String code, @Param("qty") int qty);

    List<Category> categories();

    Category category(String code);

    List<Product> productsOf(String code);

    Product product(int productId);

    /** @param words patterns of LIKE, in lower case */
    List<Product> search(@Param("words") List<String> words);

    /** A null leaves its criterion out. */
    List<Item> find(
            @Param("categoryCode") String categoryCode,
            @Param("name") String name,
            @Param("least") BigDecimal least,
            @Param("most") BigDecimal most,
            @Param("inStock") boolean inStock);

    Item item(String code);

    List<Item> itemsOf(int productId);

    Integer qty(String code);

    List<Map<String, Object>> availability(@Param("products") List<Integer> products);

    List<ProductCard> cards();

    List<String> cheapest(int n);

    List<String> neverOrdered();

    List<String> suppliersOf(String code);

    List<String> aboveTheAverage();

    List<String> itemsOfCategories(@Param("codes") List<String> codes);

    List<String> contacts();

    List<String> withoutDescription();

    /** A null leaves its criterion out. */
    List<String> catchAll(@Param("categoryCode") String categoryCode, @Param("least") BigDecimal least);

    List<Map<String, Object>> wholeItems(int productId);

    List<String> escaped(String pattern);

    List<Map<String, Object>> dearestOfEach();

    List<String> dearerSiblings();

    List<Map<String, Object>> averages();

    List<String> shortNames(String part);

    List<String> suppliersWithoutDogs();

    List<String> namesOfAllKinds();

    List<Map<String, Object>> pageWithTotal(@Param("offset") int offset, @Param("size") int size);

    int reprice(@Param("code") String code, @Param("price") BigDecimal price);

    int deliver(@Param("code") String code, @Param("qty") int qty);

    int discontinueProduct(int productId);

    int repriceDearerThan(BigDecimal price);

    int renameByPattern(String pattern);
}
