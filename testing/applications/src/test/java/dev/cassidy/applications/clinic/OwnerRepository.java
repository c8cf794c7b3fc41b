package dev.cassidy.applications.clinic;

import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Slice;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
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
            value =
                    "SELECT MAX(UPPER(o.city)) AS city, COUNT(*) AS n FROM dbo.owners o WHERE o.city IS NOT NULL GROUP BY o.city"
                            + " ORDER BY COUNT(*) DESC, o.city")
    List<Object[]> cities();
}
