package dev.cassidy.applications.shop;

/** Who has signed in. */
record Customer(
        int accountId,
        String userName,
        String email,
        String fullName,
        String language,
        String favouriteCategory,
        boolean newsletter) {}
