package dev.cassidy.applications.clinic;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

interface PetTypeRepository extends JpaRepository<PetType, Integer> {

    List<PetType> findAllByOrderByName();

    Optional<PetType> findByName(String name);
}
