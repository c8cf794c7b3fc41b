package dev.cassidy.snowflake.store;

import java.util.UUID;

/**
 * A grant as the global level knows it.
 *
 * @param grantee whose request it was, and so who alone makes its rows and absorbs it
 */
public record GrantedTo(NodeGrant grant, UUID grantee) {}
