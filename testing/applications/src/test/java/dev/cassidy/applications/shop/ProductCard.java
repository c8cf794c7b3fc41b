package dev.cassidy.applications.shop;

import java.math.BigDecimal;

/** A product as a list of them shows it; without prices if it has no item. */
record ProductCard(
        int productId, String name, String categoryName, int items, BigDecimal cheapest, BigDecimal dearest) {}
