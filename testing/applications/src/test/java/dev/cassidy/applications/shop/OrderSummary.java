package dev.cassidy.applications.shop;

import java.math.BigDecimal;
import java.time.LocalDateTime;

/** An order as the history shows it. */
record OrderSummary(int orderId, LocalDateTime placed, String status, BigDecimal total, int lines) {}
