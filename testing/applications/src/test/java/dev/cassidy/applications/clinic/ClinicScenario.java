package dev.cassidy.applications.clinic;

import dev.cassidy.applications.Journal;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.hibernate.dialect.Dialect;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.domain.Example;
import org.springframework.data.domain.ExampleMatcher;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Slice;
import org.springframework.data.domain.Sort;
import org.springframework.data.domain.Window;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** Some days of the clinic: owners come with their pets, vets treat them, and the receptionist looks things up. */
public final class ClinicScenario {

    private static final LocalDate DAY = LocalDate.of(2024, 2, 29);

    private final Journal journal;
    private final ClinicService clinic;
    private final OwnerRepository owners;
    private final PetRepository pets;
    private final PetTypeRepository types;
    private final VetRepository vets;
    private final SpecialityRepository specialities;
    private final VisitRepository visits;

    private ClinicScenario(ApplicationContext context, Journal journal) {
        this.journal = journal;
        this.clinic = context.getBean(ClinicService.class);
        this.owners = context.getBean(OwnerRepository.class);
        this.pets = context.getBean(PetRepository.class);
        this.types = context.getBean(PetTypeRepository.class);
        this.vets = context.getBean(VetRepository.class);
        this.specialities = context.getBean(SpecialityRepository.class);
        this.visits = context.getBean(VisitRepository.class);
    }

    /** @param dialect the statements that Hibernate sends */
    public static Journal run(DataSource database, Class<? extends Dialect> dialect) {
        Journal journal = new Journal();
        try (AnnotationConfigApplicationContext context = Clinic.start(database, dialect)) {
            ClinicScenario scenario = new ClinicScenario(context, journal);
            scenario.fill();
            scenario.findOwners();
            scenario.findPets();
            scenario.findVets();
            scenario.findVisits();
            scenario.change();
        }
        return journal;
    }

    private <T> T see(String what, Callable<T> step) {
        return journal.see(what, step);
    }

    private void seeRows(String what, Supplier<List<Object[]>> query) {
        see(what, () -> query.get().stream().map(Arrays::toString).toList());
    }

    private void seePage(String what, Supplier<Page<?>> query) {
        see(what, () -> {
            Page<?> page = query.get();
            return page.getContent() + " of " + page.getTotalElements() + " in " + page.getTotalPages();
        });
    }

    private static BigDecimal number(String number) {
        return new BigDecimal(number);
    }

    private void fill() {
        see("types", () -> types.saveAll(List.of(new PetType("lizard"), new PetType("cat"), new PetType("Dog"))));
        journal.seeRefused("a type that is there", () -> types.save(new PetType("CAT")));
        see("types by name", types::findAllByOrderByName);
        see("a type by name", () -> types.findByName("dog"));
        see("no type", () -> types.findByName("cow"));
        see(
                "specialities",
                () -> specialities.saveAll(
                        List.of(new Speciality("radiology"), new Speciality("surgery"), new Speciality("dentistry"))));
        see("first vet", () -> clinic.addVet("James", "Carter", Set.of()));
        see("second vet", () -> clinic.addVet("Helen", "leary", Set.of("radiology")));
        see("third vet", () -> clinic.addVet("Linda", "Douglas", Set.of("surgery", "dentistry")));
        see("fourth vet", () -> clinic.addVet("Rafael", "Ortega", Set.of("Surgery")));
        see(
                "first owner",
                () -> clinic.add(new Owner("George", "Franklin", "110 Liberty St.", "Madison", "6085551023")));
        see("second owner", () -> clinic.add(new Owner("Betty", "Davis", "638 Cardinal Ave.", "Sun Prairie", null)));
        see("third owner", () -> clinic.add(new Owner("Eduardo", "Rodriquez", null, "McFarland", "6085558763")));
        see(
                "fourth owner",
                () -> clinic.add(new Owner("Harold", "davis", "563 Friendly St.", "Windsor", "6085553198")));
        see("fifth owner", () -> clinic.add(new Owner("Peter", "O'Hara_100%", "2387 Fair Way", "madison", null)));
        see("owner without city", () -> clinic.add(new Owner("Ann", "Lee", null, null, null)));
        journal.seeRefused("an owner without a name", () -> owners.save(new Owner(null, null, null, null, null)));
        see("first pet", () -> clinic.addPet(1, "Leo", LocalDate.of(2010, 9, 7), number("4.50"), "cat"));
        see("second pet", () -> clinic.addPet(2, "Basil", LocalDate.of(2012, 8, 6), number("0.25"), "lizard"));
        see("third pet", () -> clinic.addPet(2, "Rosy", LocalDate.of(2011, 4, 17), number("30.00"), "dog"));
        see("fourth pet", () -> clinic.addPet(2, "jewel", null, number("5.50"), "cat"));
        see("fifth pet", () -> clinic.addPet(4, "Iggy", DAY, null, "lizard"));
        see("sixth pet", () -> clinic.addPet(5, "Max", LocalDate.of(1899, 12, 31), number("12.75"), "dog"));
        see("first visit", () -> clinic.addVisit(1, 1, DAY, "rabies shot", number("25.00")));
        see("second visit", () -> clinic.addVisit(2, 3, DAY.plusDays(1), "Rabies shot", number("25.00")));
        see("third visit", () -> clinic.addVisit(2, 3, DAY.minusDays(40), "spayed", number("120.50")));
        see("fourth visit", () -> clinic.addVisit(2, 4, DAY.plusDays(1), "neutered", number("99.99")));
        see("fifth visit", () -> clinic.addVisit(4, 5, DAY.plusDays(300), "check", number("0.00")));
    }

    private void findOwners() {
        Sort byName = Sort.by("lastName", "firstName");
        see("owners by key", () -> owners.findById(3));
        see("no owner", () -> owners.findById(99));
        see("owners by keys", () -> {
            List<Owner> found = owners.findAllById(List.of(1, 3, 99));
            return found.stream().map(Owner::toString).sorted().toList();
        });
        see("number of owners", owners::count);
        see("owners, sorted", () -> owners.findAll(byName));
        seePage(
                "owners by the start of their names",
                () -> owners.findByLastNameStartingWith("Da", PageRequest.of(0, 5, byName)));
        seePage("owners by the start, first page", () -> owners.byStart("", PageRequest.of(0, 2, byName)));
        seePage(
                "owners by the start, second page",
                () -> owners.byStart("", PageRequest.of(1, 2, Sort.by(Sort.Direction.DESC, "lastName", "id"))));
        seePage("owners by the start, none", () -> owners.byStart("X", PageRequest.of(0, 2)));
        seePage("owners by the start, all", () -> owners.byStart("d", PageRequest.of(0, 20, byName)));
        see("owners by a pattern", () -> owners.byPattern("%r%"));
        see("owners by a pattern with one character", () -> owners.byPattern("Le_"));
        see("owners by name", () -> owners.findByLastName("DAVIS").size());
        seePage("owners, a page", () -> owners.findAll(PageRequest.of(1, 4, Sort.by("id"))));
        see("a slice by city", () -> {
            Slice<Owner> slice = owners.findByCityIgnoreCaseOrderById("MADISON", PageRequest.of(0, 1));
            return slice.getContent() + " more: " + slice.hasNext();
        });
        see("the first two", owners::findTop2ByOrderByLastNameAscIdAsc);
        see("owners of lizards", () -> owners.findDistinctByPetsTypeNameOrderById("lizard"));
        see("owners by a part or a city", () -> owners.findByLastNameContainingOrCityOrderByIdDesc("_100%", "Windsor"));
        see("owners without telephone", () -> owners.findByTelephoneIsNullOrderById().stream()
                .map(owner -> owner + " with " + owner.getPets())
                .toList());
        see("owners in a city", () -> owners.countByCity("Madison"));
        see("an owner exists", () -> owners.existsByLastName("franklin"));
        see("an owner does not exist", () -> owners.existsByLastName("Frank"));
        see("names of those without pets", owners::namesOfThoseWithoutPets);
        see("cards", owners::cards);
        see("names by a part of the address", () -> owners.findByAddressContainingOrderById("St.").stream()
                .map(name -> name.getFirstName() + " " + name.getLastName())
                .toList());
        seeRows("cities", owners::cities);
        see(
                "owners by criteria",
                () -> owners.findAll(
                        (owner, query, criteria) -> criteria.and(
                                criteria.like(criteria.lower(owner.get("lastName")), "%a%"),
                                criteria.isNotNull(owner.get("address"))),
                        Sort.by("id")));
        see(
                "owners by example",
                () -> owners.findAll(
                        Example.of(
                                new Owner(null, "davis", null, null, null),
                                ExampleMatcher.matching().withIgnorePaths("version", "pets")),
                        Sort.by("id")));
        seePage("owners with any pet", () -> owners.withAnyPet(PageRequest.of(1, 2, Sort.by("last_name", "id"))));
        see("owners, by the key of the last one", () -> {
            Window<Owner> first = owners.findFirst4ByOrderByLastNameAscIdAsc(ScrollPosition.keyset());
            return List.of(
                    first.getContent(),
                    owners.findFirst4ByOrderByLastNameAscIdAsc(first.positionAt(3))
                            .getContent());
        });
        see(
                "owners, sorted without regard to case",
                () -> owners.findAll(Sort.by(Sort.Order.desc("lastName").ignoreCase(), Sort.Order.asc("id"))));
        seeRows("functions", owners::functions);
        see("owners of one pet", () -> owners.ownersOf(pets.findById(3).orElseThrow()));
        seeRows("visits of each owner", owners::visitsOfEach);
        seeRows("ranks", owners::ranks);
        see("a union of names", () -> owners.unionOfNames().stream().sorted().toList());
        see("owners by city, of which some have none", () -> owners.findAll(Sort.by("city", "id")));
        seePage(
                "owners by joined criteria",
                () -> owners.findAll(
                        (owner, query, criteria) -> {
                            query.distinct(true);
                            return criteria.greaterThan(owner.join("pets").get("weight"), number("4.75"));
                        },
                        PageRequest.of(0, 1, Sort.by("id"))));
        see("page of an owner", () -> clinic.page(2));
        see("page of an owner without pets", () -> clinic.page(3));
        see("page of nobody", () -> clinic.page(99));
    }

    private void findPets() {
        see("a pet", () -> pets.findById(3));
        see("owner of a pet", () -> clinic.ownerOf(3));
        see("cats of an owner", () -> pets.findByOwnerLastNameAndTypeNameOrderByName("Davis", "cat"));
        see("born between", () -> pets.bornBetween(LocalDate.of(2010, 1, 1), LocalDate.of(2012, 12, 31)).stream()
                .map(pet -> pet + " of " + pet.getOwner())
                .toList());
        see("pets, one by one", clinic::stream);
        see("number of types", () -> pets.countOfTypes(2));
        see("number of pets", () -> pets.countByOwnerId(2));
        see("all pets", () -> pets.findAll(Sort.by("name")));
        see("pets by type and name", () -> pets.findAll(Sort.by("type.name", "name")));
        seeRows("weights", pets::weights);
        see("heaviest of their types", pets::heaviestOfTheirTypes);
        seeRows("ages", () -> pets.ages(LocalDate.of(2012, 1, 1)));
    }

    private void findVets() {
        see("vets with specialities", vets::withSpecialities);
        see("all vets", () -> vets.findAll(Sort.by("id")));
        see("a vet", () -> vets.findById(3));
        seePage("vets, a page", () -> vets.findAll(PageRequest.of(0, 3, Sort.by("lastName"))));
        see("surgeons", () -> vets.findBySpecialitiesNameOrderByLastName("surgery"));
        seeRows("vets by speciality", vets::countBySpeciality);
        see("vets with more than one speciality", vets::generalists);
    }

    private void findVisits() {
        see("visits of a pet", () -> visits.findByPetIdOrderByDateDesc(3));
        see("visits between", () -> visits.findByDateBetweenOrderByDate(DAY, DAY.plusDays(2))
                .size());
        see("visits by a word", () -> visits.findByDescriptionContainingIgnoreCaseOrderById("RABIES"));
        seeRows("fees by owner", visits::feesByOwner);
        seeRows("dearer visits", () -> visits.dearerThan(number("25.00")));
        seeRows("visits by month", visits::byMonth);
    }

    private void change() {
        see("moved", () -> clinic.move(1, "1 New St.", "Madison"));
        see("owner who has moved", () -> owners.findById(1));
        see("change of an older version", () -> {
            Owner stale = owners.findById(1).orElseThrow();
            clinic.move(1, "2 Newer St.", "Madison");
            stale.moveTo("3 Lost St.", "Nowhere");
            try {
                return owners.save(stale);
            } catch (ObjectOptimisticLockingFailureException e) {
                return "refused";
            }
        });
        see("weighed", () -> {
            clinic.weigh(5, number("1.20"));
            return pets.findById(5);
        });
        see("fee raised", () -> clinic.raise(1, number("5.50")));
        see("fee of nothing raised", () -> clinic.raise(99, number("5.50")));
        see("visit after that", () -> visits.findById(1));
        see("a speciality learned", () -> {
            clinic.learn(1, "surgery");
            return vets.findById(1);
        });
        see("given away", () -> {
            clinic.giveAway(5, "Max");
            return pets.countByOwnerId(5);
        });
        see("rolled back", () -> {
            try {
                clinic.fail(new Owner("No", "Body", null, null, null));
                return "added";
            } catch (IllegalStateException e) {
                return e.getMessage() + ", " + owners.existsByLastName("Body");
            }
        });
        see("moved under a lock", () -> clinic.moveLocked(3, "9 Locked St."));
        see("visits marked as late", () -> clinic.markLate("dog"));
        see("pets grown", clinic::grow);
        see("pets as grown", () -> pets.findAll(Sort.by("id")));
        see("visits as marked", () -> visits.findAll(Sort.by("id")));
        see("visits forgotten", () -> {
            clinic.forget(List.of(4, 99));
            return visits.count();
        });
        see("visits deleted by a word", () -> clinic.deleteVisits("CHECK"));
        see("visits deleted", () -> clinic.deleteVisitsBefore(DAY));
        see("number of visits", visits::count);
        see("owner deleted", () -> {
            owners.deleteById(4);
            return owners.existsById(4);
        });
        see("pets after that", pets::count);
        see("all specialities", () -> specialities.findAll(Sort.by(Sort.Direction.DESC, "name")));
    }
}
