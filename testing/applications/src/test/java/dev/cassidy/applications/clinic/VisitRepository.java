package dev.cassidy.applications.clinic;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

interface VisitRepository extends JpaRepository<Visit, Integer> {

    List<Visit> findByPetIdOrderByDateDesc(int pet);

    Optional<Visit> findFirstByPetIdOrderByDateDescIdDesc(int pet);

    List<Visit> findByDateBetweenOrderByDate(LocalDate from, LocalDate to);

    List<Visit> findByDescriptionContainingIgnoreCaseOrderById(String part);

    @Query(
            "select o.lastName, sum(v.fee), count(v) from Owner o join o.pets p join p.visits v group by o.id, o.lastName"
                    + " order by sum(v.fee) desc, o.id")
    List<Object[]> feesByOwner();

    @Query("select p.name, v.date from Visit v, Pet p where v.petId = p.id and v.fee > :fee order by v.date, p.name")
    List<Object[]> dearerThan(@Param("fee") BigDecimal fee);

    @Query("select year(v.date), month(v.date), count(*) from Visit v group by year(v.date), month(v.date)"
            + " order by year(v.date), month(v.date)")
    List<Object[]> byMonth();

    /** Reads them, and deletes each by its key. */
    long deleteByDescription(String description);

    @Modifying
    @Query("update Visit v set v.fee = v.fee + :more where v.id = :id")
    int raise(@Param("id") int id, @Param("more") BigDecimal more);

    @Modifying
    @Query("update Visit v set v.description = concat('late: ', v.description), v.fee = v.fee * 1.5"
            + " where v.petId in (select p.id from Pet p where p.type.name = :type)")
    int markLate(@Param("type") String type);

    @Modifying
    @Query("delete from Visit v where v.date < :day")
    int deleteBefore(@Param("day") LocalDate day);
}
