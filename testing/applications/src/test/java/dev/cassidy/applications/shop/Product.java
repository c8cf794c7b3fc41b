package dev.cassidy.applications.shop;

/** MyBatis sets its fields. */
final class Product {
    private Integer productId;
    private String categoryCode;
    private String name;
    private String description;

    Product() {}

    Product(String categoryCode, String name, String description) {
        this.categoryCode = categoryCode;
        this.name = name;
        this.description = description;
    }

    Integer productId() {
        return productId;
    }

    @Override
    public String toString() {
        return productId + " " + categoryCode + " '" + name + "' '" + description + "'";
    }
}
