package dev.cassidy.table;

import java.util.Optional;
import java.util.UUID;

/**
 * How a CREATE TABLE was declared.
 *
 * @param id the one under which to create the table. Another process that declares the same at the same time gets the same one,
 *     so that only one of two tables comes into being
 * @param before what was declared of the name before; empty if nothing was
 */
public record Declared(UUID id, Optional<TableDeclaration> before) {}
