----------------------------- MODULE Transactions -----------------------------
(* How a transaction writes rows of several partitions of exact tables: a record, *)
(* locks in the rows' hidden column, one commit point, then plain writes at the    *)
(* time of each lock. Beside it, single conditional statements, and whoever meets  *)
(* a lock.                                                                         *)
(*                                                                                 *)
(* A conditional statement is one action on one row or record: that is what        *)
(* Exact.tla is about. A plain write is under way from the moment when somebody     *)
(* may have sent it. It lands at any later time, or never, and lands again. Until  *)
(* it is on a quorum, each read and each condition sees it or does not see it.     *)
(*                                                                                 *)
(* Nobody has to take a step: clients are gone at each point. What a client that   *)
(* meets a lock does depends on what it has just read, or once read, and on nothing *)
(* else; so there are any number of them, and they have no variables.              *)
EXTENDS Integers

CONSTANTS
    Txs,         \* transactions: numbers from 1
    Singles,     \* single conditional statements: further numbers
    Rows,        \* numbers, in the order in which they are locked; each is a partition of another table
    Standing,    \* the rows that exist at the beginning
    Changes,     \* transaction or statement -> row -> "update", "insert", "delete", "check", "fresh"
    Defect       \* "none", or the planted bug

VARIABLES
    data,        \* row -> its cells, as a quorum has them
    clock,       \* row -> the ballot of its last conditional statement
    record,      \* transaction -> its record: "none", "PENDING", "COMMITTED", "ABORTED", "removed"
    at,          \* client -> its next step
    held,        \* transaction -> the rows that it locked, as it knows
    time,        \* transaction -> row -> the time of its lock, once it is there
    relied,      \* client -> row -> the value that it read and relies on
    late,        \* conditional statements without an answer: they take effect later, or never
    judged,      \* locks that somebody takes for those of a transaction that is over, and releases at any later time
    rash,        \* planted bugs: transactions whose rows somebody writes, although nobody knows them committed
    told,        \* client -> what its user was told
    won,         \* history: what has committed
    truth,       \* history: row -> the value that it has by what has committed
    wrong        \* history: what committed and relied on a value that was not so any more

vars == <<data, clock, record, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

Is(defect) == Defect = defect
Clients == Txs \cup Singles

-----------------------------------------------------------------------------
(* Cells <<timestamp, value>>: the larger timestamp wins, then the larger value. v is a column, m the mark. *)

Nothing == -1                        \* the value of an absent row
Ghost == -2                          \* a mark without a value, or a value without a mark
Free == 9                            \* larger than each lock; a lock is the number of its transaction
Old == 1                             \* the time of fresh rows, before each ballot

Missing == <<0, 0>>
Rank(mark) == IF mark = Free /\ Is("free value below a lock") THEN 0 ELSE mark
LaterV(c, d) == IF c[1] > d[1] \/ (c[1] = d[1] /\ c[2] >= d[2]) THEN c ELSE d
LaterM(c, d) == IF c[1] > d[1] \/ (c[1] = d[1] /\ Rank(c[2]) >= Rank(d[2])) THEN c ELSE d
Larger(a, b) == IF a >= b THEN a ELSE b
Empty == [v |-> Missing, m |-> Missing, del |-> 0]

Undeleted(d) ==
    [d EXCEPT !.v = IF @[1] > d.del THEN @ ELSE Missing, !.m = IF @[1] > d.del THEN @ ELSE Missing]

Both(p, q) == Undeleted([v |-> LaterV(p.v, q.v), m |-> LaterM(p.m, q.m), del |-> Larger(p.del, q.del)])

Has(r, written) == Both(data[r], written) = data[r]

IsFree(d) == d.m[1] > 0 /\ d.m[2] = Free
IsLock(d) == d.m[1] > 0 /\ d.m[2] # Free
ShowsLock(d, t) == d.m[1] > 0 /\ d.m[2] = t
IsAbsent(d) == d.v[1] = 0 /\ d.m[1] = 0
IsPlaceholder(t, r) == Changes[t][r] = "insert"

(* The row if nobody holds it, or if its lock is let go. *)
Value(d, r) ==
    IF IsLock(d) /\ IsPlaceholder(d.m[2], r) THEN Nothing
    ELSE IF IsAbsent(d) THEN Nothing
    ELSE IF d.v[1] = 0 \/ d.m[1] = 0 THEN Ghost
    ELSE d.v[2]

-----------------------------------------------------------------------------
(* The plain writes of a transaction that has committed *)

RowsOf(t) == DOMAIN Changes[t]
Fresh(t) == {r \in RowsOf(t) : Changes[t][r] = "fresh"}
Locked(t) == RowsOf(t) \ Fresh(t)

(* Each adds its own power of 2, so that a value tells what was added to it. *)
New(t, r) ==
    CASE Changes[t][r] = "update" -> relied[t][r] + 2 ^ t
      [] Changes[t][r] = "check" -> relied[t][r]
      [] Changes[t][r] = "delete" -> Nothing
      [] Changes[t][r] \in {"insert", "fresh"} -> 2 ^ t

WriteTime(t, r) == IF Is("rows written at the present time") THEN 4 ELSE time[t][r]

(* First the values. *)
Values(t, r) ==
    CASE Changes[t][r] \in {"update", "insert"} -> [Empty EXCEPT !.v = <<WriteTime(t, r), New(t, r)>>]
      [] Changes[t][r] = "fresh" -> [Empty EXCEPT !.v = <<Old, New(t, r)>>, !.m = <<Old, Free>>]
      [] OTHER -> Empty

(* When a quorum has them, the mark, or the deletion. So who sees the row free sees its values. *)
Release(t, r) ==
    CASE Changes[t][r] = "fresh" -> Empty
      [] Changes[t][r] = "delete" -> [Empty EXCEPT !.del = WriteTime(t, r)]
      [] OTHER -> [Empty EXCEPT !.m = <<WriteTime(t, r), Free>>]

(* While there is no lock left, nobody looks at the record. So fresh rows are there before the first lock is let go. *)
FreshAreWritten(t) ==
    \/ \A r \in Fresh(t) : Has(r, Values(t, r))
    \/ Is("fresh rows written together with the others")

WritesOf(t, r) ==
    IF Is("values and marks in one write") \/ Is("mark read without the values")
    THEN {Both(Values(t, r), Release(t, r))}
    ELSE {Values(t, r)}
        \cup (IF Has(r, Values(t, r)) /\ FreshAreWritten(t) THEN {Release(t, r)} ELSE {})

(* What may be on some replicas, and not on a quorum. Whoever knows that a transaction has committed may have sent *)
(* it.                                                                                                              *)
Underway(r) ==
    {written \in UNION {WritesOf(t, r) : t \in {each \in (won \cap Txs) \cup rash : r \in RowsOf(each)}} :
        ~Has(r, written)}

RECURSIVE With(_, _)
With(d, S) == IF S = {} THEN d ELSE LET one == CHOOSE one \in S : TRUE IN With(Both(d, one), S \ {one})

(* What a read or a condition may find in the row. *)
Views(r) == {With(data[r], S) : S \in SUBSET Underway(r)}

-----------------------------------------------------------------------------

Init ==
    /\ data = [r \in Rows |->
            IF r \in Standing THEN [v |-> <<Old, 0>>, m |-> <<Old, Free>>, del |-> 0] ELSE Empty]
    /\ clock = [r \in Rows |-> Old]
    /\ record = [t \in Txs |-> "none"]
    /\ at = [c \in Clients |-> "begin"]
    /\ held = [t \in Txs |-> {}]
    /\ time = [t \in Txs |-> [r \in RowsOf(t) |-> 0]]
    /\ relied = [c \in Clients |-> [r \in RowsOf(c) |-> Nothing]]
    /\ late = {}
    /\ judged = {}
    /\ rash = {}
    /\ told = [c \in Clients |-> "nothing"]
    /\ won = {}
    /\ truth = [r \in Rows |-> IF r \in Standing THEN 0 ELSE Nothing]
    /\ wrong = {}

Go(c, step) == at' = [at EXCEPT ![c] = step]
End(c, step, answer) == Go(c, step) /\ told' = [told EXCEPT ![c] = answer]

(* A plain write lands, once or again. *)
Land(r) ==
    /\ \E written \in Underway(r) :
        \/ data' = [data EXCEPT ![r] = Both(@, written)]
        \* What was read differing is repaired, and nothing else.
        \/ Is("mark read without the values") /\ data' = [data EXCEPT ![r] = Both(@, [written EXCEPT !.v = Missing])]
    /\ UNCHANGED <<clock, record, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

(* What the user reads is what the rows are by what has committed: see ReadsRight. A fresh row is read at a quorum. *)
CanRelyOn(c) ==
    \A r \in RowsOf(c) :
        IF Changes[c][r] \in {"insert", "fresh"} THEN truth[r] = Nothing
        ELSE truth[r] # Nothing /\ \A f \in won \cap Txs : r \in Fresh(f) => Has(r, Values(f, r))

Read(c) == relied' = [relied EXCEPT ![c] = [r \in RowsOf(c) |-> truth[r]]]

(* It commits: everything that it relies on must be so at this moment. *)
Win(c) ==
    /\ won' = won \cup {c}
    /\ truth' = [r \in Rows |-> IF r \in RowsOf(c) THEN New(c, r) ELSE truth[r]]
    /\ wrong' = IF \A r \in RowsOf(c) : relied[c][r] = truth[r] THEN wrong ELSE wrong \cup {c}

(* In the bug two coordinators draw one microsecond. *)
Ballots(r) == {clock[r] + 1} \cup (IF Is("ballots of one time") /\ clock[r] > Old THEN {clock[r]} ELSE {})

-----------------------------------------------------------------------------
(* The record *)

Create(t) ==
    /\ at[t] = "begin"
    /\ CanRelyOn(t)
    /\ Read(t)
    /\ \/ /\ record' = [record EXCEPT ![t] = "PENDING"]
          /\ Go(t, "lock")
          /\ UNCHANGED <<late, told>>
       \/ /\ late' = late \cup {<<"create", t>>}
          /\ IF Is("lock before the record is known") THEN Go(t, "lock") /\ UNCHANGED told
             ELSE End(t, "over", "failed")
          /\ UNCHANGED record
    /\ UNCHANGED <<data, clock, held, time, judged, rash, won, truth, wrong>>

CreateLate(t) ==
    /\ <<"create", t>> \in late
    /\ record[t] = "none"
    /\ record' = [record EXCEPT ![t] = "PENDING"]
    /\ late' = late \ {<<"create", t>>}
    /\ UNCHANGED <<data, clock, at, held, time, relied, judged, rash, told, won, truth, wrong>>

-----------------------------------------------------------------------------
(* Locks *)

Holds(c, r, d) ==
    IF Changes[c][r] = "insert" THEN IsAbsent(d) \/ Is("insert locks without a condition")
    ELSE /\ IsFree(d)
         /\ d.v[2] = relied[c][r] \/ Is("expected values not checked at the lock")

NextRow(t) == CHOOSE r \in Locked(t) \ held[t] : \A other \in Locked(t) \ held[t] : r <= other

SetLock(t, r) ==
    /\ \E d \in Views(r) : Holds(t, r, d)
    /\ \E ballot \in Ballots(r) :
        /\ clock' = [clock EXCEPT ![r] = ballot]
        /\ time' = [time EXCEPT ![t][r] = ballot]
        /\ data' = [data EXCEPT ![r] = Both(@, [Empty EXCEPT !.m = <<ballot, t>>])]

AllHeld(t) == held[t] = Locked(t)

Lock(t) ==
    /\ at[t] = "lock"
    /\ ~AllHeld(t)
    /\ \/ /\ SetLock(t, NextRow(t))
          /\ held' = [held EXCEPT ![t] = @ \cup {NextRow(t)}]
          /\ UNCHANGED <<at, late, told>>
       \/ /\ late' = late \cup {<<"lock", t, NextRow(t)>>}
          /\ IF Is("unknown lock taken as held")
             THEN /\ held' = [held EXCEPT ![t] = @ \cup {NextRow(t)}]
                  /\ time' = [time EXCEPT ![t][NextRow(t)] = clock[NextRow(t)]]
                  /\ UNCHANGED <<at, told>>
             ELSE IF Is("unknown lock left to the read")
             THEN held' = [held EXCEPT ![t] = @ \cup {NextRow(t)}] /\ UNCHANGED <<at, told, time>>
             ELSE End(t, "abort", "failed") /\ UNCHANGED <<held, time>>
          /\ UNCHANGED <<data, clock>>
    /\ UNCHANGED <<record, relied, judged, rash, won, truth, wrong>>

LockLate(t, r) ==
    /\ <<"lock", t, r>> \in late
    /\ SetLock(t, r)
    /\ late' = late \ {<<"lock", t, r>>}
    /\ UNCHANGED <<record, at, held, relied, judged, rash, told, won, truth, wrong>>

(* A read of each row that shows this lock, and its time. *)
Verify(t) ==
    /\ at[t] = "lock"
    /\ AllHeld(t)
    /\ \/ \A r \in Locked(t) : ShowsLock(data[r], t)
       \/ Is("locks not verified")
       \/ Is("unknown lock taken as held")
    /\ Go(t, "commit")
    /\ UNCHANGED <<data, clock, record, held, time, relied, late, judged, rash, told, won, truth, wrong>>

(* The values are others, the row is missing or is there, the lock is not shown, or it was tried often enough. As    *)
(* nobody else sends the commit, the user may be told at once.                                                       *)
GiveUp(t) ==
    /\ at[t] = "lock"
    /\ End(t, "abort", "failed")
    /\ UNCHANGED <<data, clock, record, held, time, relied, late, judged, rash, won, truth, wrong>>

-----------------------------------------------------------------------------
(* The commit *)

SetCommitted(t) ==
    /\ record[t] = "PENDING" \/ (record[t] = "ABORTED" /\ Is("commit without a condition"))
    /\ record' = [record EXCEPT ![t] = "COMMITTED"]
    /\ Win(t)

Commit(t) ==
    /\ at[t] = "commit"
    /\ \/ SetCommitted(t) /\ End(t, "over", "committed") /\ UNCHANGED <<late, rash>>
       \/ /\ record[t] \in {"ABORTED", "removed"}
          /\ ~Is("commit without a condition")
          /\ End(t, "clean up", "failed")
          /\ UNCHANGED <<record, late, rash, won, truth, wrong>>
       \/ /\ late' = late \cup {<<"commit", t>>}
          /\ Go(t, "doubt")
          /\ rash' = IF Is("write before the commit is known") THEN rash \cup {t} ELSE rash
          /\ UNCHANGED <<record, told, won, truth, wrong>>
    /\ UNCHANGED <<data, clock, held, time, relied, judged>>

CommitLate(t) ==
    /\ <<"commit", t>> \in late
    /\ SetCommitted(t)
    /\ late' = late \ {<<"commit", t>>}
    /\ UNCHANGED <<data, clock, at, held, time, relied, judged, rash, told>>

(* A removed record was committed: only its owner removes an aborted one. *)
Doubt(t) ==
    /\ at[t] = "doubt"
    /\ \/ /\ record[t] = "PENDING"
          /\ ~Is("unknown commit decided by a read")
          /\ record' = [record EXCEPT ![t] = "ABORTED"]
          /\ End(t, "clean up", "failed")
       \/ /\ record[t] = "PENDING"
          /\ Is("unknown commit decided by a read")
          /\ End(t, "over", "failed")
          /\ UNCHANGED record
       \/ /\ record[t] = "ABORTED" \/ (record[t] = "removed" /\ Is("removed record taken as aborted"))
          /\ End(t, "clean up", "failed")
          /\ UNCHANGED record
       \/ /\ record[t] \in {"COMMITTED", "removed"}
          /\ End(t, "over", "committed")
          /\ UNCHANGED record
       \/ End(t, "over", "in doubt") /\ UNCHANGED record
    /\ UNCHANGED <<data, clock, held, time, relied, late, judged, rash, won, truth, wrong>>

-----------------------------------------------------------------------------
(* Whoever meets a lock, and the owner when it aborts. Each may hold a view of a lock that is gone. *)

Met(t, r) == time[t][r] > 0

Abort(t) ==
    /\ \/ record[t] = "PENDING"
       \/ record[t] \in {"ABORTED", "COMMITTED"} /\ Is("aborted without a condition")
    /\ \E r \in Locked(t) : Met(t, r)
    /\ record' = [record EXCEPT ![t] = "ABORTED"]
    /\ UNCHANGED <<data, clock, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

OwnAbort(t) ==
    /\ at[t] = "abort"
    /\ record[t] \in {"PENDING", "ABORTED"}
    /\ record' = [record EXCEPT ![t] = "ABORTED"]
    /\ Go(t, "clean up")
    /\ UNCHANGED <<data, clock, held, time, relied, late, judged, rash, told, won, truth, wrong>>

(* What was read of the record stays true, except where a bug lets it be there later than the lock. *)
Judge(t, r) ==
    /\ Met(t, r)
    /\ <<t, r>> \notin judged
    /\ record[t] = "none" \/ (record[t] = "PENDING" /\ Is("lock of a pending transaction released"))
    /\ judged' = judged \cup {<<t, r>>}
    /\ UNCHANGED <<data, clock, record, at, held, time, relied, late, rash, told, won, truth, wrong>>

Released(t, r, ballot) ==
    IF IsPlaceholder(t, r) /\ ~Is("placeholder released by an update")
    THEN [Empty EXCEPT !.del = ballot]
    ELSE [Empty EXCEPT !.m = <<ballot, Free>>]

LetGo(t, r) ==
    /\ Met(t, r)
    /\ record[t] \in {"ABORTED", "removed"} \/ <<t, r>> \in judged
    /\ ShowsLock(data[r], t) \/ (Is("release without a condition") /\ clock[r] < 4)
    /\ \E ballot \in Ballots(r) :
        /\ clock' = [clock EXCEPT ![r] = ballot]
        /\ data' = [data EXCEPT ![r] = Both(@, Released(t, r, ballot))]
    /\ UNCHANGED <<record, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

RollForwardRashly(t) ==
    /\ Is("lock without a record rolled forward")
    /\ record[t] = "removed"
    /\ \E r \in Locked(t) : Met(t, r)
    /\ rash' = rash \cup {t}
    /\ UNCHANGED <<data, clock, record, at, held, time, relied, late, judged, told, won, truth, wrong>>

(* Every row was written, or does not show this lock. A read repairs what it sees, so a quorum has it. *)
RemoveCommitted(t) ==
    /\ record[t] = "COMMITTED"
    /\ \/ /\ \A r \in Locked(t) : ~ShowsLock(data[r], t)
          /\ \A r \in Fresh(t) : Has(r, Values(t, r))
       \/ Is("record removed before all rows are free")
    /\ record' = [record EXCEPT ![t] = "removed"]
    /\ UNCHANGED <<data, clock, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

RemoveAborted(t) ==
    /\ record[t] = "ABORTED"
    /\ at[t] = "clean up" \/ Is("aborted record removed by another")
    /\ \A r \in Locked(t) :
        /\ ~ShowsLock(data[r], t)
        /\ <<"lock", t, r>> \notin late \/ Is("aborted record removed before an unknown lock")
    /\ record' = [record EXCEPT ![t] = "removed"]
    /\ UNCHANGED <<data, clock, at, held, time, relied, late, judged, rash, told, won, truth, wrong>>

-----------------------------------------------------------------------------
(* A single conditional statement *)

RowOf(s) == CHOOSE r \in RowsOf(s) : TRUE

Begin(s) ==
    /\ at[s] = "begin"
    /\ CanRelyOn(s)
    /\ Read(s)
    /\ Go(s, "send")
    /\ UNCHANGED <<data, clock, record, held, time, late, judged, rash, told, won, truth, wrong>>

Written(s, r, b) ==
    CASE Changes[s][r] = "update" -> [Empty EXCEPT !.v = <<b, New(s, r)>>]
      [] Changes[s][r] = "insert" -> [Empty EXCEPT !.v = <<b, New(s, r)>>, !.m = <<b, Free>>]
      [] Changes[s][r] = "delete" -> [Empty EXCEPT !.del = b]

HoldsSingle(s, d) ==
    \/ Holds(s, RowOf(s), d)
    \/ /\ Is("statement that does not look at the mark")
       /\ ~IsAbsent(d)
       /\ d.v[2] = relied[s][RowOf(s)]

Apply(s) ==
    LET r == RowOf(s) IN
    /\ \E d \in Views(r) : HoldsSingle(s, d)
    /\ \E ballot \in Ballots(r) :
        /\ clock' = [clock EXCEPT ![r] = ballot]
        /\ data' = [data EXCEPT ![r] = Both(@, Written(s, r, ballot))]
    /\ Win(s)

Send(s) ==
    /\ at[s] = "send"
    /\ \/ Apply(s) /\ End(s, "over", "committed") /\ UNCHANGED late
       \/ /\ \E d \in Views(RowOf(s)) : ~HoldsSingle(s, d) /\ ~IsLock(d)
          /\ End(s, "over", "failed")
          /\ UNCHANGED <<data, clock, won, truth, wrong, late>>
       \/ /\ late' = late \cup {<<"statement", s>>}
          /\ End(s, "over", "in doubt")
          /\ UNCHANGED <<data, clock, won, truth, wrong>>
    /\ UNCHANGED <<record, held, time, relied, judged, rash>>

ApplyLate(s) ==
    /\ <<"statement", s>> \in late
    /\ Apply(s)
    /\ late' = late \ {<<"statement", s>>}
    /\ UNCHANGED <<record, at, held, time, relied, judged, rash, told>>

Next ==
    \/ \E r \in Rows : Land(r)
    \/ \E t \in Txs :
        \/ Create(t) \/ CreateLate(t)
        \/ Lock(t) \/ (\E r \in Locked(t) : LockLate(t, r)) \/ Verify(t) \/ GiveUp(t)
        \/ Commit(t) \/ CommitLate(t) \/ Doubt(t)
        \/ Abort(t) \/ OwnAbort(t)
        \/ \E r \in Locked(t) : Judge(t, r) \/ LetGo(t, r)
        \/ RollForwardRashly(t) \/ RemoveCommitted(t) \/ RemoveAborted(t)
    \/ \E s \in Singles : Begin(s) \/ Send(s) \/ ApplyLate(s)

Spec == Init /\ [][Next]_vars

(* Those who meet locks do what they have to do; owners need not. *)
Fair ==
    /\ Spec
    /\ \A t \in Txs :
        /\ WF_vars(Abort(t))
        /\ \A r \in Locked(t) : WF_vars(LetGo(t, r))
    /\ \A r \in Rows : WF_vars(Land(r))

-----------------------------------------------------------------------------
(* What is promised *)

(* Each change is made to the value that the change before it has left: none is lost. *)
NothingLost == wrong = {}

(* A read of a row shows what has committed, all of it, and nothing else; or it shows the lock of a transaction whose *)
(* record says that the rest comes.                                                                                  *)
ReadRight(r, d) ==
    IF IsLock(d) /\ record[d.m[2]] = "COMMITTED" THEN TRUE
    ELSE \/ Value(d, r) = truth[r]
         \* A fresh row comes later than the commit, but before the last lock is let go.
         \/ IsAbsent(d) /\ \E t \in won \cap Txs : r \in Fresh(t) /\ ~Has(r, Values(t, r))

ReadsRight == \A r \in Rows : \A d \in Views(r) : ReadRight(r, d)

(* A transaction of which no lock is left is written as a whole. *)
Complete ==
    \A t \in won \cap Txs :
        (\A r \in Locked(t) : ~ShowsLock(data[r], t)) => \A r \in RowsOf(t) : Has(r, Values(t, r))

(* The user was told the truth. *)
ToldRight ==
    \A c \in Clients :
        /\ told[c] = "committed" => c \in won
        /\ told[c] = "failed" => c \notin won

(* The record tells the truth, also to those who were told that it is in doubt; and it stays so. *)
RecordRight ==
    \A t \in Txs :
        /\ t \in won => record[t] \in {"COMMITTED", "removed"}
        /\ record[t] = "COMMITTED" => t \in won
        /\ record[t] = "removed" /\ told[t] = "in doubt" => t \in won

(* A reader that finds a lock, and then its record PENDING, may return the values that it found: they still stand. *)
HeldRowsStand ==
    [][\A t \in Txs : \A r \in Locked(t) :
        ShowsLock(data[r], t) /\ record[t] = "PENDING" /\ record'[t] = "PENDING"
            => ShowsLock(data'[r], t) /\ truth'[r] = truth[r]]_vars

(* No lock stays, and every transaction that has committed is written in the end, whoever is gone. *)
Calm ==
    /\ \A r \in Rows : ~IsLock(data[r])
    /\ \A t \in won \cap Txs : \A r \in RowsOf(t) : Has(r, Values(t, r)) /\ Has(r, Release(t, r))

Settles == <>[]Calm
=============================================================================
