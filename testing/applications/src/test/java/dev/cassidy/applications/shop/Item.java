package dev.cassidy.applications.shop;

import java.math.BigDecimal;

/** An item with its product, its supplier and its stock. MyBatis sets its fields. */
final class Item {
    private String code;
    private BigDecimal listPrice;
    private String attribute;
    private String supplier;
    private int qty;
    private Product product;

    BigDecimal listPrice() {
        return listPrice;
    }

    int qty() {
        return qty;
    }

    @Override
    public String toString() {
        return code + " " + listPrice + " '" + attribute + "' by " + supplier + ", " + qty + " of [" + product + "]";
    }
}
