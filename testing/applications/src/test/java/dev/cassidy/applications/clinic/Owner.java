package dev.cassidy.applications.clinic;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.LinkedHashSet;
import java.util.Set;

/** Whose pets they are. */
@Entity
@Table(name = "owners", schema = "dbo")
class Owner {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Integer id;

    @Column(name = "first_name")
    private String firstName;

    @Column(name = "last_name")
    private String lastName;

    private String address;

    private String city;

    private String telephone;

    @Version
    private int version;

    @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
    @OrderBy("name")
    private Set<Pet> pets = new LinkedHashSet<>();

    protected Owner() {}

    Owner(String firstName, String lastName, String address, String city, String telephone) {
        this.firstName = firstName;
        this.lastName = lastName;
        this.address = address;
        this.city = city;
        this.telephone = telephone;
    }

    Integer getId() {
        return id;
    }

    Set<Pet> getPets() {
        return pets;
    }

    void add(Pet pet) {
        pet.belongsTo(this);
        pets.add(pet);
    }

    void moveTo(String newAddress, String newCity) {
        address = newAddress;
        city = newCity;
    }

    @Override
    public String toString() {
        return id + " " + firstName + " " + lastName + ", " + address + ", " + city + ", " + telephone + ", version "
                + version;
    }
}
