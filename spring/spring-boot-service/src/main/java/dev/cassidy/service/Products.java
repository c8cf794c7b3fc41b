package dev.cassidy.service;

import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.repository.ListCrudRepository;

interface Products extends ListCrudRepository<Product, Integer> {

    List<Product> findByIdIn(List<Integer> ids, Limit limit);
}
