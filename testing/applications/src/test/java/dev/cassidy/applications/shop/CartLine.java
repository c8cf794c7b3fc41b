package dev.cassidy.applications.shop;

import java.math.BigDecimal;

record CartLine(String itemCode, String name, int quantity, BigDecimal listPrice, BigDecimal amount, int inStock) {}
