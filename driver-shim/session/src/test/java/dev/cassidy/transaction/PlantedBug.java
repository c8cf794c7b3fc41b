package dev.cassidy.transaction;

/** Errors of the protocol, which the simulation must find. They are made in the stores that it runs on. */
enum PlantedBug {
    NONE,
    /** Values are written although it is not known whether the record says COMMITTED. */
    WRITTEN_BEFORE_COMMITTED,
    /** A lock of unknown outcome counts as there, and nobody looks. */
    UNKNOWN_LOCK_TAKEN_AS_APPLIED,
    /** A commit of unknown outcome counts as aborted, without a compare-and-set. */
    UNKNOWN_COMMIT_TAKEN_AS_ABORTED,
    /** A commit that is refused because the record is gone counts as aborted. */
    MISSING_RECORD_TAKEN_AS_ABORTED,
    /** A refusal because the record says COMMITTED counts as if it said ABORTED. */
    COMMITTED_RECORD_RELEASED,
    /** The record is removed when the commit is known, before the rows are written. */
    RECORD_REMOVED_EARLY,
    /** A lock without a record counts as of a committed transaction. */
    LOCK_WITHOUT_RECORD_TAKEN_AS_COMMITTED,
    /** A lock is released whatever the row shows. */
    RELEASED_WITHOUT_CONDITION,
    /** Whoever rolls forward leaves out rows of drawn ids. */
    FRESH_ROWS_NOT_ROLLED_FORWARD,
    /** Locks go while rows of drawn ids are not known to be written. */
    FRESH_ROWS_NOT_AWAITED,
    /** Whoever rolls forward writes rows of drawn ids again, even if no lock is left. */
    FRESH_ROWS_WRITTEN_WITHOUT_A_LOCK,
    /** A lock goes although the row's own values are not known to be written. */
    OWN_VALUES_NOT_AWAITED,
    /** The first lock may be there before the record. */
    LOCK_BEFORE_RECORD,
    /** A record of which it is not known whether it was created counts as created. */
    RECORD_PERHAPS_CREATED,
    /** The free mark is written with the values, so that a query of some columns may spread it without the others. */
    MARK_WITH_VALUES,
    /** Values are written at the time of the write, and not of the lock. */
    WRITTEN_AT_ANOTHER_TIME,
    /** Rows of drawn ids are written at the time of the write. */
    FRESH_AT_THE_PRESENT_TIME,
    /** Locks do not look at what was expected. */
    EXPECTED_VALUES_LEFT_OUT,
    /** A row that is only checked is let go before the commit. */
    CHECKED_TOO_EARLY,
    /** A record is aborted whatever it says. */
    ABORTED_WITHOUT_CONDITION,
    /** A row that is let go has the same mark as before. */
    ONE_FREE_MARK,
    /** A commit that is tried again takes any mark for what its own first try has left. */
    HELD_BY_THE_MARK_OF_ANOTHER,
    /** The commit does not look at the mark by which the row was held. */
    MARK_NOT_EXPECTED,
    /** A claim is set whatever mark the row has. */
    CLAIMED_WITHOUT_CONDITION,
    /** A claim is set although the row is not there any more. */
    CLAIMED_WHAT_IS_GONE,
    /** A claim is taken back whatever mark the row has, and whether it is there. */
    CLAIM_TAKEN_BACK_WITHOUT_CONDITION,
    /** A claim of unknown outcome counts as set. */
    UNKNOWN_CLAIM_TAKEN_AS_SET,
    /** A claim that is refused because it is there already counts as one of another transaction. */
    OWN_CLAIM_NOT_RECOGNISED,
    /** Whoever has waited for a claim holds the row by that one, and sets none of its own. */
    TAKEN_OVER_BY_THE_SAME_MARK,
    /** A claim is left alone for ever. */
    NEVER_TAKEN_OVER,
    /** A transaction that has lost a row claims it again. */
    LOST_ROW_TAKEN_BACK,
    /** A transaction that ends without a commit leaves its claims. */
    CLAIM_NOT_TAKEN_BACK
}
