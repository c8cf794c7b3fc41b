package dev.cassidy.examples.boot;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A row of {@code book}.
 *
 * @param id null until the book is saved
 */
@Table("book")
public record Book(@Id Integer id, String title, int pages) {}
