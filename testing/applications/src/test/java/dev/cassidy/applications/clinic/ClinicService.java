package dev.cassidy.applications.clinic;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.transaction.annotation.Transactional;

/** What the clinic does in one transaction each. */
@Transactional
class ClinicService {

    private final OwnerRepository owners;
    private final PetRepository pets;
    private final PetTypeRepository types;
    private final VetRepository vets;
    private final SpecialityRepository specialities;
    private final VisitRepository visits;

    ClinicService(
            OwnerRepository owners,
            PetRepository pets,
            PetTypeRepository types,
            VetRepository vets,
            SpecialityRepository specialities,
            VisitRepository visits) {
        this.owners = owners;
        this.pets = pets;
        this.types = types;
        this.vets = vets;
        this.specialities = specialities;
        this.visits = visits;
    }

    public int add(Owner owner) {
        return owners.save(owner).getId();
    }

    public int addVet(String firstName, String lastName, Set<String> names) {
        Set<Speciality> known = names.isEmpty() ? Set.of() : specialities.findByNameIn(names);
        return vets.save(new Vet(firstName, lastName, known)).getId();
    }

    public int addPet(int owner, String name, LocalDate birthDate, BigDecimal weight, String type) {
        Owner found = owners.findById(owner).orElseThrow();
        Pet pet = new Pet(name, birthDate, weight, types.findByName(type).orElseThrow());
        found.add(pet);
        owners.flush();
        return pet.getId();
    }

    /** @return the visit as it is stored */
    public String addVisit(int owner, int pet, LocalDate date, String description, BigDecimal fee) {
        Owner found = owners.withPets(owner).orElseThrow();
        Pet visitor = found.getPets().stream()
                .filter(each -> each.getId() == pet)
                .findFirst()
                .orElseThrow();
        visitor.getVisits().add(new Visit(date, description, fee));
        owners.save(found);
        owners.flush();
        return visits.findFirstByPetIdOrderByDateDescIdDesc(pet).orElseThrow().toString();
    }

    /** Returns the owner, and each pet with its visits. */
    @Transactional(readOnly = true)
    public List<Object> page(int owner) {
        List<Object> page = new ArrayList<>();
        owners.withPets(owner).ifPresent(found -> {
            page.add(found);
            found.getPets().forEach(pet -> {
                page.add(pet);
                page.addAll(pet.getVisits());
            });
        });
        return page;
    }

    /** Follows references that are loaded when they are used. */
    @Transactional(readOnly = true)
    public String ownerOf(int pet) {
        return pets.findById(pet).orElseThrow().getOwner().toString();
    }

    public String move(int owner, String address, String city) {
        Owner found = owners.findById(owner).orElseThrow();
        found.moveTo(address, city);
        return found.toString();
    }

    public void weigh(int pet, BigDecimal weight) {
        pets.findById(pet).orElseThrow().weighs(weight);
    }

    public void giveAway(int owner, String name) {
        Owner found = owners.findById(owner).orElseThrow();
        found.getPets().removeIf(pet -> pet.getName().equals(name));
    }

    public void learn(int vet, String speciality) {
        vets.findById(vet).orElseThrow().getSpecialities().addAll(specialities.findByNameIn(Set.of(speciality)));
    }

    /** Reads an owner under a lock, and changes it. */
    public String moveLocked(int owner, String address) {
        Owner found = owners.findLockedById(owner).orElseThrow();
        found.moveTo(address, null);
        owners.flush();
        return found.toString();
    }

    /** Reads pets one by one. */
    @Transactional(readOnly = true)
    public List<String> stream() {
        try (Stream<Pet> all = pets.all()) {
            return all.map(pet -> pet.getName() + " of " + pet.getOwner()).toList();
        }
    }

    public long deleteVisits(String description) {
        return visits.deleteByDescription(description);
    }

    public int raise(int visit, BigDecimal more) {
        return visits.raise(visit, more);
    }

    public int markLate(String type) {
        return visits.markLate(type);
    }

    public int grow() {
        return pets.grow();
    }

    /** By one statement, and not one by one. */
    public void forget(List<Integer> visitors) {
        visits.deleteAllInBatch(visits.findAllById(visitors));
    }

    public int deleteVisitsBefore(LocalDate day) {
        return visits.deleteBefore(day);
    }

    /** Fails after its writes, which must not stay. */
    public void fail(Owner owner) {
        owners.saveAndFlush(owner);
        throw new IllegalStateException("the application's own");
    }
}
