package dev.cassidy.examples.boot;

import org.springframework.data.repository.ListCrudRepository;

/** Spring Data makes it. */
public interface Books extends ListCrudRepository<Book, Integer> {}
