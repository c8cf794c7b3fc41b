package dev.cassidy.applications.clinic;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.LinkedHashSet;
import java.util.Set;

/** An animal, with its visits. */
@Entity
@Table(name = "pets", schema = "dbo")
class Pet {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Integer id;

    private String name;

    @Column(name = "birth_date")
    private LocalDate birthDate;

    @Column(precision = 6, scale = 2)
    private BigDecimal weight;

    @ManyToOne(optional = false)
    @JoinColumn(name = "type_id")
    private PetType type;

    @ManyToOne(optional = false, fetch = FetchType.LAZY)
    @JoinColumn(name = "owner_id")
    private Owner owner;

    /** Of one side alone: Hibernate writes the column by an UPDATE of its own. */
    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "pet_id", nullable = false)
    @OrderBy("date, id")
    private Set<Visit> visits = new LinkedHashSet<>();

    protected Pet() {}

    Pet(String name, LocalDate birthDate, BigDecimal weight, PetType type) {
        this.name = name;
        this.birthDate = birthDate;
        this.weight = weight;
        this.type = type;
    }

    Integer getId() {
        return id;
    }

    String getName() {
        return name;
    }

    Owner getOwner() {
        return owner;
    }

    Set<Visit> getVisits() {
        return visits;
    }

    void belongsTo(Owner newOwner) {
        owner = newOwner;
    }

    void weighs(BigDecimal newWeight) {
        weight = newWeight;
    }

    @Override
    public String toString() {
        return id + " " + name + " (" + type + "), born " + birthDate + ", " + weight + " kg";
    }
}
