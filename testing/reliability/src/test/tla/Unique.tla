-------------------------------- MODULE Unique --------------------------------
(* UNIQUE on an exact table: a reservation for each value of a row, in a table beside, which changes in the    *)
(* transaction that changes the row. A commit is one action here: that is what Transactions.tla is about.       *)
(* Beside writers, one administrator empties the table, or adds the UNIQUE to a table without rows.             *)
(*                                                                                                              *)
(* Nobody has to take a step, so everybody may die at each point; and a commit may come at any later time, so   *)
(* its outcome need not be known to anybody.                                                                    *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Writers,
    Values,
    Standing,    \* the rows at the beginning: row -> value
    Plans,       \* writer -> row -> the value that it is to have, or Gone
    Rows,
    Admin,       \* "none", "truncate", "add", or "add and wait" until every process knows of the UNIQUE
    Defect       \* "none", or the planted bug

VARIABLES
    row,         \* row -> its value, Gone if there is no row
    res,         \* value -> the row for which it is reserved, or NoRow
    at,          \* writer -> its next step
    seen,        \* writer -> row -> what it read
    reserves,    \* writer -> whether it knew of the UNIQUE when it planned its write
    declared,    \* whether the UNIQUE is declared
    stage        \* of the administrator

vars == <<row, res, at, seen, reserves, declared, stage>>

Is(defect) == Defect = defect

Gone == "gone"
Null == "null"      \* a value that many rows may have: NULL, of an index that leaves it out
NoRow == 0

Adds == Admin \in {"add", "add and wait"}
Truncates == Admin = "truncate"

-----------------------------------------------------------------------------

Init ==
    /\ row = [r \in Rows |-> IF r \in DOMAIN Standing THEN Standing[r] ELSE Gone]
    /\ res = [v \in Values |->
            IF \E r \in DOMAIN Standing : Standing[r] = v
            THEN CHOOSE r \in DOMAIN Standing : Standing[r] = v ELSE NoRow]
    /\ at = [w \in Writers |-> "read"]
    /\ seen = [w \in Writers |-> [r \in Rows |-> Gone]]
    /\ reserves = [w \in Writers |-> FALSE]
    /\ declared = ~Adds
    /\ stage = "begin"

RowsOf(w) == DOMAIN Plans[w]

(* An insert does not read: its id is drawn. Whoever writes a row that is not there writes nothing. *)
IsInsert(w, r) == r > Cardinality(DOMAIN Standing)
Present(w) == \A r \in RowsOf(w) : IsInsert(w, r) \/ row[r] # Gone

MayBeLate == Adds /\ (Admin = "add" \/ stage \in {"begin", "declared"})

(* What a statement reads is so at different moments for different rows; that changes nothing, as the commit     *)
(* relies on all of it. A process may learn late that the UNIQUE is declared, never too early.                   *)
Read(w) ==
    /\ at[w] = "read"
    /\ Present(w)
    /\ \E knows \in {declared} \cup (IF MayBeLate THEN {FALSE} ELSE {}) : reserves' = [reserves EXCEPT ![w] = knows]
    /\ seen' = [seen EXCEPT ![w] = row]
    /\ at' = [at EXCEPT ![w] = "check"]
    /\ UNCHANGED <<row, res, declared, stage>>

Had(w, v) == {r \in RowsOf(w) : ~IsInsert(w, r) /\ seen[w][r] = v}
Has(w, v) == {r \in RowsOf(w) : Plans[w][r] = v}
From(w, v) == IF Had(w, v) = {} THEN NoRow ELSE CHOOSE r \in Had(w, v) : TRUE
To(w, v) == IF Has(w, v) = {} THEN NoRow ELSE CHOOSE r \in Has(w, v) : TRUE
Moves(w) == {v \in Values : From(w, v) # To(w, v)}

(* The statement fails early if another row has the value. *)
Check(w) ==
    /\ at[w] = "check"
    /\ at' = [at EXCEPT ![w] =
            IF reserves[w] /\ \E v \in Moves(w) : To(w, v) # NoRow /\ res[v] # NoRow /\ res[v] \notin Had(w, v)
            THEN "refused" ELSE "commit"]
    /\ UNCHANGED <<row, res, seen, reserves, declared, stage>>

RowsAreAsRead(w) ==
    \A r \in RowsOf(w) :
        IF IsInsert(w, r) THEN row[r] = Gone
        ELSE row[r] # Gone /\ (row[r] = seen[w][r] \/ Is("values not relied on"))

(* A value that nobody had is inserted, one that moves or goes is where it was. *)
ReservationsAreAsRead(w) ==
    \A v \in Moves(w) :
        \/ res[v] = From(w, v)
        \/ Is("reserved values taken") /\ From(w, v) = NoRow
        \/ Is("reservations freed whosever they are") /\ To(w, v) = NoRow

IsUpdate(w) == \E r \in RowsOf(w) : ~IsInsert(w, r) /\ Plans[w][r] # Gone

Written(w) == [r \in Rows |-> IF r \in RowsOf(w) THEN Plans[w][r] ELSE row[r]]
Reserved(w) ==
    IF ~reserves[w] \/ (Is("updates reserve nothing") /\ IsUpdate(w)) THEN res
    ELSE [v \in Values |-> IF v \in Moves(w) THEN To(w, v) ELSE res[v]]

NeedsReservations(w) == reserves[w] /\ ~(Is("updates reserve nothing") /\ IsUpdate(w))

Commit(w) ==
    /\ at[w] = "commit"
    /\ RowsAreAsRead(w)
    /\ NeedsReservations(w) => ReservationsAreAsRead(w)
    /\ row' = Written(w)
    /\ IF Is("reservations written later")
        THEN res' = res /\ at' = [at EXCEPT ![w] = "reserve"]
        ELSE res' = Reserved(w) /\ at' = [at EXCEPT ![w] = "done"]
    /\ UNCHANGED <<seen, reserves, declared, stage>>

ReserveLater(w) ==
    /\ at[w] = "reserve"
    /\ res' = [v \in Values |-> IF v \in Moves(w) /\ res[v] = From(w, v) THEN To(w, v) ELSE res[v]]
    /\ at' = [at EXCEPT ![w] = "done"]
    /\ UNCHANGED <<row, seen, reserves, declared, stage>>

(* What was refused because others had changed something is read again. *)
Again(w) ==
    /\ at[w] = "commit"
    /\ ~(RowsAreAsRead(w) /\ (NeedsReservations(w) => ReservationsAreAsRead(w)))
    /\ at' = [at EXCEPT ![w] = "read"]
    /\ UNCHANGED <<row, res, seen, reserves, declared, stage>>

-----------------------------------------------------------------------------
(* TRUNCATE: two statements of the server, the reservations first *)

EmptyReservations == res' = [v \in Values |-> NoRow] /\ UNCHANGED row
EmptyRows == row' = [r \in Rows |-> Gone] /\ UNCHANGED res

Truncate ==
    /\ Truncates
    /\ \/ /\ stage = "begin"
          /\ IF Is("rows emptied first") THEN EmptyRows ELSE EmptyReservations
          /\ stage' = "half"
       \/ /\ stage = "half"
          /\ IF Is("rows emptied first") THEN EmptyReservations ELSE EmptyRows
          /\ stage' = "done"
    /\ UNCHANGED <<at, seen, reserves, declared>>

-----------------------------------------------------------------------------
(* ALTER TABLE ADD: no rows, the declaration, and no rows still *)

IsEmpty == \A r \in Rows : row[r] = Gone

(* Nobody who does not know is about to commit, and nobody begins. *)
AllKnow == \A w \in Writers : at[w] \in {"check", "commit"} => reserves[w]

Add ==
    /\ Adds
    /\ \/ /\ stage = "begin" /\ IsEmpty
          /\ declared' = TRUE
          /\ stage' = "declared"
       \/ /\ stage = "declared"
          /\ stage' = "known"
          /\ UNCHANGED declared
       \/ /\ stage = "known"
          /\ Admin = "add and wait" => AllKnow
          /\ IF IsEmpty \/ Is("rows not looked for again")
             THEN stage' = "done" /\ UNCHANGED declared ELSE stage' = "refused" /\ declared' = FALSE
    /\ UNCHANGED <<row, res, at, seen, reserves>>

Next ==
    \/ \E w \in Writers : Read(w) \/ Check(w) \/ Commit(w) \/ ReserveLater(w) \/ Again(w)
    \/ Truncate
    \/ Add

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

(* While nobody empties the table, and the UNIQUE is there. *)
IsKept == declared /\ stage \in (IF Adds THEN {"done"} ELSE {"begin", "done"})

OneRowForEachValue ==
    IsKept => \A r, s \in Rows : r # s /\ row[r] = row[s] => row[r] \in {Gone, Null}

EachRowHasItsValues ==
    IsKept => \A r \in Rows : row[r] \in Values => res[row[r]] = r

(* Each value that no row has can be inserted. *)
NoValueIsLost ==
    IsKept => \A v \in Values : res[v] # NoRow => row[res[v]] = v

(* As the first, also if TRUNCATE ends halfway. *)
OneRowAlways == \A r, s \in Rows : r # s /\ row[r] = row[s] => row[r] \in {Gone, Null}

=============================================================================
