package dev.cassidy.sequence.store;

/**
 * A datacenter's part in one incarnation of a sequence.
 *
 * @param incarnation of the sequence
 * @param datacenter its name
 * @param granted whether it was granted ids in this incarnation
 * @param acknowledged whether it has said that no process in it will issue ids of an older one
 */
public record Participation(int incarnation, String datacenter, boolean granted, boolean acknowledged) {}
