package dev.cassidy.applications.shop;

/** A customer's cart. MyBatis sets the id. */
final class Cart {
    private Integer cartId;
    private final int accountId;

    Cart(int accountId) {
        this.accountId = accountId;
    }

    Integer cartId() {
        return cartId;
    }
}
