package dev.cassidy.applications.shop;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/** An order with its lines. MyBatis sets its fields. */
final class Order {
    private Integer orderId;
    private int accountId;
    private LocalDateTime placed;
    private String status;
    private String shipTo;
    private BigDecimal total;
    private String notes;
    private List<OrderLine> lines = new ArrayList<>();

    Order() {}

    Order(int accountId, LocalDateTime placed, String shipTo, BigDecimal total, String notes) {
        this.accountId = accountId;
        this.placed = placed;
        this.shipTo = shipTo;
        this.total = total;
        this.notes = notes;
    }

    Integer orderId() {
        return orderId;
    }

    @Override
    public String toString() {
        return orderId + " of " + accountId + " at " + placed + " " + status + " to '" + shipTo + "' " + total + " '"
                + notes + "' " + lines;
    }
}
