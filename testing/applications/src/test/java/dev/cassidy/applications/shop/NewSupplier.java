package dev.cassidy.applications.shop;

/** MyBatis sets the id. */
final class NewSupplier {
    private Integer supplierId;
    private final String name;
    private final String phone;

    NewSupplier(String name, String phone) {
        this.name = name;
        this.phone = phone;
    }

    Integer supplierId() {
        return supplierId;
    }
}
