package dev.cassidy.slices;

import org.springframework.data.repository.ListCrudRepository;

interface Notes extends ListCrudRepository<Note, Integer> {}
