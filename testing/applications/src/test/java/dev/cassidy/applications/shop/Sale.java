package dev.cassidy.applications.shop;

import java.math.BigDecimal;

/** What was sold of a category, or of an item. */
record Sale(String name, int pieces, BigDecimal amount) {}
