package dev.cassidy.applications.clinic;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

interface VetRepository extends JpaRepository<Vet, Integer> {

    @Query("select distinct v from Vet v left join fetch v.specialities order by v.lastName, v.firstName")
    List<Vet> withSpecialities();

    List<Vet> findBySpecialitiesNameOrderByLastName(String speciality);

    @Query("select s.name, count(v) from Vet v join v.specialities s group by s.name order by count(v) desc, s.name")
    List<Object[]> countBySpeciality();

    @Query("select v from Vet v where size(v.specialities) > 1")
    List<Vet> generalists();
}
