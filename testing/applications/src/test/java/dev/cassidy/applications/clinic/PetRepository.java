package dev.cassidy.applications.clinic;

import java.time.LocalDate;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

interface PetRepository extends JpaRepository<Pet, Integer> {

    List<Pet> findByOwnerLastNameAndTypeNameOrderByName(String lastName, String type);

    @Query("select p from Pet p join fetch p.owner where p.birthDate between :from and :to order by p.birthDate, p.id")
    List<Pet> bornBetween(@Param("from") LocalDate from, @Param("to") LocalDate to);

    @Query("select p from Pet p join fetch p.owner o where o.city is not null order by o.lastName, p.name")
    Stream<Pet> all();

    @Query("select count(distinct p.type) from Pet p where p.owner.id = :owner")
    long countOfTypes(@Param("owner") int owner);

    @Modifying
    @Query("update Pet p set p.weight = coalesce(p.weight, 0) + 1 where p.birthDate is not null")
    int grow();

    long countByOwnerId(int owner);

    @Query("select t.name, count(p), sum(p.weight), avg(p.weight) from Pet p join p.type t group by t.name"
            + " having count(p) > 1 order by t.name")
    List<Object[]> weights();

    @Query(
            "select p.name from Pet p where p.weight = (select max(q.weight) from Pet q where q.type = p.type) order by p.id")
    List<String> heaviestOfTheirTypes();

    @Query(
            "select p.name, case when p.birthDate is null then 'unknown' when p.birthDate < :day then 'old' else 'young' end"
                    + " from Pet p order by p.name, p.id")
    List<Object[]> ages(@Param("day") LocalDate day);
}
