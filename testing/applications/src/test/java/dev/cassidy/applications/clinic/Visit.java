package dev.cassidy.applications.clinic;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.LocalDate;

/** A visit of a pet. */
@Entity
@Table(name = "visits", schema = "dbo")
class Visit {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Integer id;

    /** The pet's, which writes it. */
    @Column(name = "pet_id", insertable = false, updatable = false)
    private Integer petId;

    @Column(name = "visit_date")
    private LocalDate date;

    private String description;

    @Column(precision = 8, scale = 2)
    private BigDecimal fee;

    protected Visit() {}

    Visit(LocalDate date, String description, BigDecimal fee) {
        this.date = date;
        this.description = description;
        this.fee = fee;
    }

    @Override
    public String toString() {
        return id + " of " + petId + " on " + date + ": " + description + ", " + fee;
    }
}
