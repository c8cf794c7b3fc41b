package dev.cassidy.applications.shop;

import java.math.BigDecimal;

/** A line of an order. MyBatis sets its fields. */
final class OrderLine {
    private Integer lineId;
    private Integer orderId;
    private short lineNumber;
    private String itemCode;
    private int quantity;
    private BigDecimal unitPrice;
    private String product;

    OrderLine() {}

    OrderLine(int orderId, int lineNumber, String itemCode, int quantity, BigDecimal unitPrice) {
        this.orderId = orderId;
        this.lineNumber = (short) lineNumber;
        this.itemCode = itemCode;
        this.quantity = quantity;
        this.unitPrice = unitPrice;
    }

    @Override
    public String toString() {
        return "(" + lineId + " #" + lineNumber + " " + quantity + " x " + itemCode + " '" + product + "' at "
                + unitPrice + ")";
    }
}
