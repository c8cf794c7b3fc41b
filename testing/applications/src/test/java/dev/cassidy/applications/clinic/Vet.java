package dev.cassidy.applications.clinic;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.Table;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Who treats the pets. */
@Entity
@Table(name = "vets", schema = "dbo")
class Vet {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Integer id;

    @Column(name = "first_name")
    private String firstName;

    @Column(name = "last_name")
    private String lastName;

    @ManyToMany(fetch = FetchType.EAGER)
    @JoinTable(
            name = "vet_specialities",
            schema = "dbo",
            joinColumns = @JoinColumn(name = "vet_id"),
            inverseJoinColumns = @JoinColumn(name = "speciality_id"))
    private Set<Speciality> specialities = new HashSet<>();

    protected Vet() {}

    Vet(String firstName, String lastName, Set<Speciality> specialities) {
        this.firstName = firstName;
        this.lastName = lastName;
        this.specialities.addAll(specialities);
    }

    Integer getId() {
        return id;
    }

    Set<Speciality> getSpecialities() {
        return specialities;
    }

    /** The specialities in the order of their names. */
    @Override
    public String toString() {
        return id + " " + firstName + " " + lastName + " "
                + specialities.stream().map(Speciality::getName).sorted().collect(Collectors.joining(", ", "[", "]"));
    }
}
