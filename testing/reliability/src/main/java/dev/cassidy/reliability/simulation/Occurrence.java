package dev.cassidy.reliability.simulation;

/** Events that must occur in some schedules: a simulation in which one never happens says nothing about it. */
public enum Occurrence {
    /** The sequence was raised, restarted or dropped while a reclaim of a claim was under way. */
    RECLAIM_OVERTAKEN,
    /** A reclaim's return was executed on a reserve that had moved to a newer incarnation. */
    RECLAIM_LATE,
    /** A reclaim's return was executed again, on a claim that this or another reclaim had tried to return before. */
    RECLAIM_REPEATED,
    /** A process gave up a claim of which it could not tell whether it had taken effect. */
    CLAIM_GIVEN_UP_IN_DOUBT,
    /** A claim that was given up in doubt had taken effect, or did so later. */
    CLAIM_GIVEN_UP_AND_MADE,
    /** A raise was complete without a datacenter that is lost for good. */
    COMPLETE_WITHOUT_A_LOST_DATACENTER,
    /** A sequence that was raised too far was repaired. */
    REPAIRED,
    /** A repair was refused because rows of grants are missing. */
    REPAIR_REFUSED
}
