package dev.cassidy.applications.clinic;

import java.util.Collection;
import java.util.Set;
import org.springframework.data.jpa.repository.JpaRepository;

interface SpecialityRepository extends JpaRepository<Speciality, Integer> {

    Set<Speciality> findByNameIn(Collection<String> names);
}
