package dev.cassidy.applications.clinic;

import jakarta.persistence.LockModeType;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Slice;
import org.springframework.data.domain.Window;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

interface OwnerRepository extends JpaRepository<Owner, Integer>, JpaSpecificationExecutor<Owner> {

    Page<Owner> findByLastNameStartingWith(String lastName, Pageable page);

    @Query("select o from Owner o where o.lastName like :pattern order by o.lastName, o.firstName, o.id")
    List<Owner> byPattern(@Param("pattern") String pattern);

    @Query("select o from Owner o where o.lastName like concat(:start, '%')")
    Page<Owner> byStart(@Param("start") String start, Pageable page);

    @Query("select distinct o from Owner o left join fetch o.pets p left join fetch p.type where o.id = :id")
    Optional<Owner> withPets(@Param("id") int id);

    Slice<Owner> findByCityIgnoreCaseOrderById(String city, Pageable page);

    List<Owner> findTop2ByOrderByLastNameAscIdAsc();

    List<Owner> findDistinctByPetsTypeNameOrderById(String type);

    List<Owner> findByLastNameContainingOrCityOrderByIdDesc(String part, String city);

    List<Owner> findByLastName(String lastName);

    @EntityGraph(attributePaths = {"pets", "pets.type"})
    List<Owner> findByTelephoneIsNullOrderById();

    long countByCity(String city);

    boolean existsByLastName(String lastName);

    @Query("select concat(o.firstName, ' ', o.lastName) from Owner o where o.pets is empty order by o.id")
    List<String> namesOfThoseWithoutPets();

    /** An owner as a list of them shows it. */
    record Card(String lastName, long pets, LocalDate youngest) {}

    @Query("select new dev.cassidy.applications.clinic.OwnerRepository$Card(o.lastName, count(p), max(p.birthDate))"
            + " from Owner o left join o.pets p group by o.id, o.lastName order by count(p) desc, o.lastName, o.id")
    List<Card> cards();

    /** The columns that a list of names needs. */
    interface Name {
        String getFirstName();

        String getLastName();
    }

    List<Name> findByAddressContainingOrderById(String part);

    @Query(
            nativeQuery = true,
            value = "SELECT o.* FROM dbo.owners o WHERE EXISTS (SELECT 1 FROM dbo.pets p WHERE p.owner_id = o.id)",
            countQuery = "SELECT COUNT(*) FROM dbo.owners o WHERE o.id IN (SELECT owner_id FROM dbo.pets)")
    Page<Owner> withAnyPet(Pageable page);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Optional<Owner> findLockedById(int id);

    /** By the key of the last one, and not by its number. */
    Window<Owner> findFirst4ByOrderByLastNameAscIdAsc(ScrollPosition position);

    @Query(
            "select o.id, length(o.lastName), coalesce(o.city, 'nowhere'), locate('a', o.lastName), substring(o.lastName, 2, 3),"
                    + " upper(trim(o.firstName)), nullif(o.telephone, '6085551023'), cast(o.id as string), mod(o.id, 2)"
                    + " from Owner o where o.id in (select p.owner.id from Pet p where p.weight > 1) or o.firstName = 'Ann'"
                    + " order by o.id")
    List<Object[]> functions();

    @Query("select o from Owner o where :pet member of o.pets")
    List<Owner> ownersOf(@Param("pet") Pet pet);

    @Query(
            "select o.lastName, (select count(v) from Pet p join p.visits v where p.owner = o) from Owner o order by 2 desc, o.id")
    List<Object[]> visitsOfEach();

    @Query(
            "select p.name, rank() over (partition by p.type.id order by p.weight desc) from Pet p where p.weight is not null"
                    + " order by p.id")
    List<Object[]> ranks();

    @Query(
            "select o.lastName from Owner o where not exists (select p from Pet p where p.owner = o and p.type.name <> 'cat')"
                    + " union all select t.name from PetType t")
    List<String> unionOfNames();

    @Query(
            nativeQuery = true,
            value =
                    "SELECT MAX(UPPER(o.city)) AS city, COUNT(*) AS n FROM dbo.owners o WHERE o.city IS NOT NULL GROUP BY o.city"
                            + " ORDER BY COUNT(*) DESC, o.city")
    List<Object[]> cities();
}
