package dev.cassidy.applications.shop;

/** What a visitor enters to sign up. MyBatis sets the id. */
final class NewAccount {
    private Integer accountId;
    private final String userName;
    private final String password;
    private final String email;
    private final String fullName;
    private final String favouriteCategory;

    NewAccount(String userName, String password, String email, String fullName, String favouriteCategory) {
        this.userName = userName;
        this.password = password;
        this.email = email;
        this.fullName = fullName;
        this.favouriteCategory = favouriteCategory;
    }

    Integer accountId() {
        return accountId;
    }
}
