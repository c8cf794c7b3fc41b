package dev.cassidy.jdbc.overlay;

import dev.cassidy.definition.UniqueKey;
import java.nio.ByteBuffer;

/**
 * The values of one row that a UNIQUE is of.
 *
 * @param bytes equal for values that are equal in SQL Server; nobody may change them
 */
public record UniqueValue(UniqueKey key, ByteBuffer bytes) {}
