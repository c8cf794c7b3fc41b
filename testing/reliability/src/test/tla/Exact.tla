-------------------------------- MODULE Exact --------------------------------
(* How one row of an exact table gets written: plainly, at the old time T0, by   *)
(* the INSERT that drew its id, and by conditional statements after that. Three *)
(* replicas at home, where conditions run, and perhaps one of another           *)
(* datacenter, which acknowledges inserts of its own.                           *)
(*                                                                              *)
(* A round of Paxos is one action on a quorum: prepare, read, propose. What is  *)
(* proposed is accepted by a quorum, or by one replica only: then a later round *)
(* finishes it or passes it over. A client may be gone at each step; what it    *)
(* sent may still happen. A statement without an answer is in doubt.            *)
EXTENDS Integers, FiniteSets, Sequences

CONSTANTS
    Home,        \* the replicas where conditions run
    Away,        \* those of another datacenter, each a local quorum by itself
    Ops,         \* statements by key
    Kinds,       \* what they may be: "select", "update", "delete", "key" (an INSERT with a key of the user's)
    Clocks,      \* where ballots begin, if no earlier ballot is higher; even numbers
    None,
    Defect       \* "none", or the planted bug

VARIABLES
    data,        \* replica -> its cells
    accepted,    \* replica -> the proposal that it accepted last, until it is committed
    committed,   \* replica -> the ballot of its last commit
    chosen,      \* what a quorum accepted, in this order, and the row that T-SQL has after it
    plain,       \* the INSERT of the drawn id, and in a planted bug another one
    op,          \* statement -> what became of it
    stable,      \* history: how far the row got for somebody who was answered; no read at home may show less
    wrong        \* history: answers that were not true

vars == <<data, accepted, committed, chosen, plain, op, stable, wrong>>

Is(defect) == Defect = defect
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Quorums == {Q \in SUBSET Home : 2 * Cardinality(Q) > Cardinality(Home) /\ Cardinality(Q) <= 2}
Replicas == Home \cup Away

-----------------------------------------------------------------------------
(* Cells <<timestamp, value>>: the larger timestamp wins, then the larger value. Column a is written by inserts only, *)
(* b by inserts and updates; x is the hidden column, of which there is only the timestamp, as it is always free.     *)

Missing == <<0, 0>>
Beats(c, d) == c[1] > d[1] \/ (c[1] = d[1] /\ (c[2] = d[2] \/ c[2] > d[2]))
Later(one, other) == IF Beats(one, other) THEN one ELSE other
Empty == [a |-> Missing, b |-> Missing, x |-> 0, del |-> 0]

Undeleted(d) ==
    [d EXCEPT !.a = IF @[1] > d.del THEN @ ELSE Missing,
              !.b = IF @[1] > d.del THEN @ ELSE Missing,
              !.x = IF @ > d.del THEN @ ELSE 0]

Both(p, q) ==
    Undeleted([a |-> Later(p.a, q.a), b |-> Later(p.b, q.b), x |-> Max({p.x, q.x}), del |-> Max({p.del, q.del})])

RECURSIVE Merged(_)
Merged(S) ==
    LET r == CHOOSE r \in S : TRUE IN IF S = {r} THEN data[r] ELSE Both(data[r], Merged(S \ {r}))

Has(r, written) == Both(data[r], written) = data[r]

(* What a client sees. *)
Absent == [a |-> 0, b |-> 0, x |-> FALSE]
Shown(d) == [a |-> d.a[2], b |-> d.b[2], x |-> d.x > 0]

-----------------------------------------------------------------------------
(* The INSERT of the drawn id *)

(* In the bug: not the old time, but that of a client's clock, which is ahead of some ballots and behind others. *)
PlainTime == IF Is("fresh rows at the time of a clock") THEN 5 ELSE 1

Insert(which) ==
    LET t == PlainTime IN
    IF which = 1 THEN [a |-> <<t, 2>>, b |-> <<t, 1>>, x |-> t, del |-> 0]
    ELSE [a |-> <<t, 1>>, b |-> <<t, 2>>, x |-> t, del |-> 0]

Sent ==
    {1} \cup (IF Is("repeated with other values") \/ plain.second # "unsent" THEN {2} ELSE {})

Inserted ==
    IF plain.second = "acknowledged" THEN {Shown(Insert(2))} ELSE {Shown(Insert(which)) : which \in Sent}

-----------------------------------------------------------------------------
(* How far the row got: 0 is nothing, 1 the plain insert, then what was chosen *)

Last == Len(chosen) + 1

Rank(t) ==
    IF t = PlainTime THEN 1
    ELSE IF \E i \in 1 .. Len(chosen) : chosen[i].time = t
         THEN 1 + CHOOSE i \in 1 .. Len(chosen) : chosen[i].time = t
         ELSE 0

Reached(d) == Max({Rank(t) : t \in {d.a[1], d.b[1], d.x, d.del}})

(* The rows that T-SQL may have then. *)
RowsAt(rank) ==
    CASE rank = 0 -> {Absent}
      [] rank = 1 -> Inserted
      [] OTHER -> {chosen[rank - 1].row}

(* What somebody was promised, wherever. *)
Promised == Max({stable, IF plain.first = "acknowledged" THEN 1 ELSE 0})

SawAbsent(d) == Reached(d) >= Promised /\ Absent \in RowsAt(Reached(d))

Observed(d) == stable' = Max({stable, Reached(d)})

-----------------------------------------------------------------------------

(* In the bugs the table was once plain, or the partition, of which the id is no part, was deleted. *)
Init ==
    /\ data = [r \in Replicas |->
            IF Is("older tombstone in the partition") THEN [Empty EXCEPT !.del = 3]
            ELSE IF Is("older ghost in the partition") THEN [Empty EXCEPT !.b = <<3, 9>>]
            ELSE Empty]
    /\ accepted = [r \in Replicas |-> None]
    /\ committed = [r \in Replicas |-> 0]
    /\ chosen = <<>>
    /\ plain = [first |-> "sent", second |-> "unsent"]
    /\ op = [o \in Ops |-> [at |-> "new", kind |-> None, answer |-> None, in |-> Home, first |-> None]]
    /\ stable = 0
    /\ wrong = {}

Deliver(which, r) ==
    /\ which \in Sent
    /\ ~Has(r, Insert(which))
    /\ data' = [data EXCEPT ![r] = Both(@, Insert(which))]
    /\ UNCHANGED <<accepted, committed, chosen, plain, op, stable, wrong>>

Acknowledges(S, which) ==
    2 * Cardinality({r \in S : Has(r, Insert(which))})
        > IF Is("insert acknowledged by one replica") THEN 0 ELSE Cardinality(S)

(* At home, or in the other datacenter, which promises nothing to those who read at home. *)
Acknowledge ==
    /\ \/ /\ plain.first = "sent"
          /\ \E S \in {Home, Away} :
              /\ Acknowledges(S, 1)
              /\ stable' = IF S = Home THEN Max({stable, 1}) ELSE stable
          /\ plain' = [plain EXCEPT !.first = "acknowledged"]
       \/ /\ plain.second = "sent"
          /\ Acknowledges(Home, 2)
          /\ stable' = Max({stable, 1})
          /\ plain' = [plain EXCEPT !.second = "acknowledged"]
    /\ UNCHANGED <<data, accepted, committed, chosen, op, wrong>>

(* Its client is told that the INSERT is in doubt. It may land at any later time. *)
Doubt ==
    /\ plain.first = "sent"
    /\ "key" \in Kinds \/ Is("id drawn again")
    /\ plain' = [plain EXCEPT !.first = "in doubt", !.second = IF Is("id drawn again") THEN "sent" ELSE @]
    /\ UNCHANGED <<data, accepted, committed, chosen, op, stable, wrong>>

-----------------------------------------------------------------------------
(* Reads. What they find differing they write to those that they read, before they are answered. *)

(* Cassandra repairs the columns that were selected, and no others. *)
Repaired(r, d, kind) ==
    IF Is("read without repair") THEN data[r]
    ELSE IF Is("read of the hidden column alone") /\ kind # "select"
    THEN Both(data[r], [Empty EXCEPT !.x = d.x, !.del = d.del])
    ELSE IF Is("select of some columns") /\ kind = "select"
    THEN Both(data[r], [Empty EXCEPT !.b = d.b, !.x = d.x, !.del = d.del])
    ELSE Both(data[r], d)

Repair(S, d, kind) == data' = [r \in Replicas |-> IF r \in S THEN Repaired(r, d, kind) ELSE data[r]]

(* The two replicas of a quorum are not read at one moment: one may be read before an insert, the other after an *)
(* update of it that arrived earlier than the insert. Such a row has no hidden column, and is skipped.           *)
Seen(d) == IF d.x > 0 \/ Is("hidden column not looked at") THEN Shown(d) ELSE Absent

(* Whether the row was so at some moment since it had got to `rank`. *)
WasSo(row, rank) == \E k \in rank .. Last : row \in RowsAt(k)

At(o, at) == op' = [op EXCEPT ![o].at = at]

(* A statement that was already answered, in a planted bug, gets no second answer. *)
Answer(o, answer) ==
    op' = [op EXCEPT ![o].at = "done", ![o].answer = IF @ = None THEN answer ELSE @]

Answer0(o, d) ==
    /\ Answer(o, "0")
    /\ wrong' = IF SawAbsent(d) \/ op[o].answer # None THEN wrong ELSE wrong \cup {"0 for a row that was there"}

Answer2627(o, d) ==
    /\ Answer(o, "2627")
    /\ wrong' = IF RowsAt(Reached(d)) = {Absent} THEN wrong \cup {"2627 for a row that was not there"} ELSE wrong

(* A user who writes the id knows it, so its drawer was answered. *)
MayBeKeyed == plain.first # "sent" \/ Is("key inserted before its drawer was answered")

(* A session that has read the row at home, or whose INSERT was acknowledged there, knows that a quorum has it or had *)
(* it, and need not read it before an UPDATE. A DELETE needs no read either: its tombstone covers all columns. An     *)
(* INSERT writes all columns.                                                                                         *)
Begin(o, kind) ==
    /\ op[o].at = "new"
    /\ kind \in Kinds
    /\ \/ kind = "delete"
       \/ kind = "key" /\ MayBeKeyed
       \/ kind = "update" /\ (Is("condition without a read") \/ stable > 0)
    /\ \E in \in IF Is("conditions in both datacenters") THEN {Home, Away} ELSE {Home} :
        op' = [op EXCEPT ![o].kind = kind, ![o].in = in,
                         ![o].at = IF kind = "key" /\ Away # {} /\ ~Is("key inserted without looking elsewhere")
                                   THEN "look elsewhere" ELSE "condition"]
    /\ UNCHANGED <<data, accepted, committed, chosen, plain, stable, wrong>>

Only0 == Away = {} \/ Is("count of 0 without looking elsewhere")

LookFirst(o, kind, r) ==
    /\ op[o].at = "new"
    /\ kind \in Kinds \cap {"select", "update"}
    /\ op' = [op EXCEPT ![o].kind = kind, ![o].at = "look",
                        ![o].first = [replica |-> r, cells |-> data[r], stable |-> stable, promised |-> Promised]]
    /\ UNCHANGED <<data, accepted, committed, chosen, plain, stable, wrong>>

(* If the row is missing, the condition is not even tried: it might see a row that one replica has. *)
LookSecond(o, r) ==
    LET first == op[o].first
        d == Both(first.cells, data[r])
        seen == [op[o] EXCEPT !.first = None]
    IN /\ op[o].at = "look"
       /\ r # first.replica
       /\ Repair({first.replica, r}, d, op[o].kind)
       /\ Observed(d)
       /\ IF op[o].kind = "select"
          THEN /\ op' = [op EXCEPT ![o] = [seen EXCEPT !.at = "done"]]
               /\ wrong' = IF WasSo(Seen(d), first.stable) THEN wrong ELSE wrong \cup {"read what never was"}
          ELSE IF Shown(d).x \/ Is("condition though the read found no row")
          THEN op' = [op EXCEPT ![o] = [seen EXCEPT !.at = "condition"]] /\ UNCHANGED wrong
          ELSE IF Only0
          THEN /\ op' = [op EXCEPT ![o] = [seen EXCEPT !.at = "done", !.answer = "0"]]
               /\ wrong' = IF WasSo(Absent, first.promised) THEN wrong
                           ELSE wrong \cup {"0 for a row that was there"}
          ELSE op' = [op EXCEPT ![o] = [seen EXCEPT !.at = "look elsewhere"]] /\ UNCHANGED wrong
       /\ UNCHANGED <<accepted, committed, chosen, plain>>

(* At EACH_QUORUM. With one datacenter this is the read that an INSERT needs before it is answered with 2627. *)
LookElsewhere(o, Q) ==
    LET d == Merged(Q \cup Away) IN
    /\ op[o].at = "look elsewhere"
    /\ Repair(Q \cup Away, d, op[o].kind)
    /\ Observed(d)
    /\ IF op[o].kind = "key"
       THEN IF Shown(d).x THEN Answer2627(o, d) ELSE (At(o, "condition") /\ UNCHANGED wrong)
       ELSE IF Shown(d).x THEN At(o, "condition") /\ UNCHANGED wrong
       ELSE Answer0(o, d)
    /\ UNCHANGED <<accepted, committed, chosen, plain>>

-----------------------------------------------------------------------------
(* Conditions *)

Written(kind, o, time) ==
    CASE kind = "update" -> [Empty EXCEPT !.b = <<time, o>>]
      [] kind = "delete" -> [Empty EXCEPT !.del = time]
      [] kind = "key" ->
            [a |-> <<time, o>>, b |-> IF Is("key inserted without the columns left out") THEN Missing ELSE <<time, o>>,
             x |-> time, del |-> 0]

Changed(row, kind, o) ==
    CASE kind = "update" -> [row EXCEPT !.b = o]
      [] kind = "delete" -> Absent
      [] kind = "key" -> [a |-> o, b |-> IF Is("key inserted without the columns left out") THEN 0 ELSE o, x |-> TRUE]

Top == Max({0} \cup {accepted[r].ballot : r \in {s \in Replicas : accepted[s] # None}}
               \cup {chosen[i].ballot : i \in 1 .. Len(chosen)})

LastCommit(Q) == Max({committed[r] : r \in Q})

Underway(Q) == {accepted[r] : r \in {s \in Q : accepted[s] # None /\ accepted[s].ballot > LastCommit(Q)}}

IsChosen(p) == \E i \in 1 .. Len(chosen) : chosen[i].time = p.time

(* A round begins by finishing what is under way, and with the last commit on all of its replicas. *)
Settled(Q) == Underway(Q) = {} /\ \A r \in Q : committed[r] = LastCommit(Q)

(* What the row was before a proposal that was computed when the row had got to `rank`. *)
Before(rank) ==
    LET k == Max({rank, Last, IF Promised > 0 THEN 1 ELSE 0})
        none == chosen = <<>> /\ rank = 0 /\ Promised = 0
    IN IF none THEN Absent ELSE CHOOSE row \in RowsAt(k) : TRUE

(* A row of an INSERT in doubt may have been read, and is still replaced by an INSERT of its key that found nothing *)
(* before: neither Paxos nor a read before it orders what was sent plainly. Its drawer was told of the doubt.       *)
Errors(p) ==
    LET exists == Before(p.from) # Absent
        replaces == exists /\ (chosen # <<>> \/ p.from > 0 \/ plain.first = "acknowledged")
    IN (IF p.kind # "key" /\ ~exists THEN {"1 for a row that was not there"} ELSE {})
       \cup (IF p.kind = "key" /\ replaces THEN {"inserted over a row"} ELSE {})
       \cup (IF op[p.op].answer = "0" THEN {"applied after 0"} ELSE {})
       \cup (IF \E i \in 1 .. Len(chosen) : chosen[i].op = p.op THEN {"applied twice"} ELSE {})

Choose(p) ==
    /\ chosen' = Append(chosen, [ballot |-> p.ballot, time |-> p.time, op |-> p.op, kind |-> p.kind,
                                 row |-> Changed(Before(p.from), p.kind, p.op)])
    /\ wrong' = wrong \cup Errors(p)

QuorumsOf(o) == IF op[o].in = Home THEN Quorums ELSE {Away}

Holds(o, d) ==
    CASE op[o].kind = "update" -> Shown(d).x \/ Is("condition that null passes")
      [] op[o].kind = "delete" -> Shown(d).x
      [] op[o].kind = "key" -> Shown(d) = Absent

Propose(o, Q, S, clock) ==
    LET d == Merged(Q)
        ballot == Max({clock, Top + 2})
        p == [ballot |-> ballot, time |-> ballot, op |-> o, kind |-> op[o].kind, from |-> Reached(d)]
    IN /\ op[o].at = "condition"
       /\ Settled(Q)
       /\ Holds(o, d)
       /\ accepted' = [r \in Replicas |-> IF r \in S THEN p ELSE accepted[r]]
       /\ IF S \in QuorumsOf(o)
          THEN Choose(p) /\ At(o, "chosen")
          ELSE UNCHANGED <<chosen, wrong>> /\ At(o, "proposed")
       /\ UNCHANGED <<data, committed, plain, stable>>

(* The condition does not hold. Paxos repairs nothing that was written plainly. *)
Refuse(o, Q) ==
    LET d == Merged(Q) IN
    /\ op[o].at = "condition"
    /\ Settled(Q)
    /\ ~Holds(o, d)
    /\ IF op[o].kind = "key" /\ ~Is("duplicate key without a read after it")
       THEN At(o, "look elsewhere") /\ UNCHANGED <<stable, wrong>>
       ELSE IF op[o].kind = "key"
       THEN Answer2627(o, d) /\ Observed(d)
       ELSE IF Only0
       THEN Answer0(o, d) /\ Observed(d)
       ELSE At(o, "look elsewhere") /\ UNCHANGED <<stable, wrong>>
    /\ UNCHANGED <<data, accepted, committed, chosen, plain>>

(* Anybody's round finishes a proposal that it finds. What it writes keeps the timestamp of the first ballot, as in *)
(* Cassandra's second variant of Paxos.                                                                             *)
Finish(Q) ==
    /\ Underway(Q) # {}
    /\ LET found == CHOOSE p \in Underway(Q) : \A q \in Underway(Q) : q.ballot <= p.ballot
           again == [found EXCEPT !.ballot = Top + 2]
       IN /\ ~IsChosen(found)
          /\ accepted' = [r \in Replicas |-> IF r \in Q THEN again ELSE accepted[r]]
          /\ Choose(again)
          /\ op' = [op EXCEPT ![found.op].at = IF @ = "proposed" THEN "chosen" ELSE @]
    /\ UNCHANGED <<data, committed, plain, stable>>

WrittenBy(i) == Written(chosen[i].kind, chosen[i].op, chosen[i].time)

(* By whoever proposed or finished it, or by a later round that finds it accepted or committed elsewhere. *)
Commit(i, r) ==
    LET last == Max({committed[r], chosen[i].ballot}) IN
    /\ data' = [data EXCEPT ![r] = Both(@, WrittenBy(i))]
    /\ committed' = [committed EXCEPT ![r] = last]
    /\ accepted' = [accepted EXCEPT ![r] = IF @ # None /\ @.ballot <= last THEN None ELSE @]
    /\ <<data', committed'>> # <<data, committed>>
    /\ UNCHANGED <<chosen, plain, op, stable, wrong>>

Answer1(o) ==
    /\ op[o].at = "chosen"
    /\ \E i \in 1 .. Len(chosen) :
        /\ chosen[i].op = o
        /\ 2 * Cardinality({r \in op[o].in : Has(r, WrittenBy(i))})
            > IF Is("answered when one replica has the commit") THEN 0 ELSE Cardinality(op[o].in)
        /\ stable' = Max({stable, i + 1})
    /\ Answer(o, "1")
    /\ UNCHANGED <<data, accepted, committed, chosen, plain, wrong>>

(* What the bugs do where the protocol says "in doubt". *)
Misjudge(o, Q) ==
    \/ /\ Is("doubt decided by a serial read")
       /\ op[o].at = "condition"
       /\ op[o].kind # "key"
       /\ op[o].answer = None
       /\ Settled(Q)
       /\ op' = [op EXCEPT ![o].answer = "0"]
       /\ UNCHANGED <<data, accepted, committed, chosen, plain, stable, wrong>>
    \/ /\ Is("condition repeated")
       /\ op[o].at \in {"chosen", "proposed"}
       /\ At(o, "condition")
       /\ UNCHANGED <<data, accepted, committed, chosen, plain, stable, wrong>>

Next ==
    \/ \E r \in Replicas : \E which \in {1, 2} : Deliver(which, r)
    \/ Acknowledge
    \/ Doubt
    \/ \E o \in Ops :
        \/ \E kind \in Kinds : Begin(o, kind)
        \/ \E r \in Home : \E kind \in Kinds : LookFirst(o, kind, r)
        \/ \E r \in Home : LookSecond(o, r)
        \/ \E Q \in Quorums : LookElsewhere(o, Q) \/ Misjudge(o, Q)
        \/ \E Q \in QuorumsOf(o) :
            \/ Refuse(o, Q)
            \/ \E S \in QuorumsOf(o) \cup {{r} : r \in op[o].in} : \E clock \in Clocks : Propose(o, Q, S, clock)
        \/ Answer1(o)
    \/ \E Q \in Quorums : Finish(Q)
    \/ \E i \in 1 .. Len(chosen) : \E r \in Replicas : Commit(i, r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised. A read is at a quorum of the home datacenter, at any time. *)

IsWhole(row) == row = Absent \/ (row.a # 0 /\ row.x)

(* In another datacenter an update may arrive before the insert. Therefore a reader skips rows without the hidden *)
(* column.                                                                                                        *)
NoGhost ==
    /\ \A Q \in Quorums : IsWhole(Shown(Merged(Q)))
    /\ \A r \in Away :
        LET row == Shown(data[r]) IN row.x \/ Is("hidden column not looked at elsewhere") => IsWhole(row)

(* What was acknowledged or seen stays: no update is lost, no deleted row comes back, no row disappears. *)
NothingUndone == \A Q \in Quorums : Reached(Merged(Q)) >= stable

(* A read shows what T-SQL has after what it saw. *)
RowsRight ==
    \A Q \in Quorums : LET d == Merged(Q) IN Reached(d) = 0 \/ Shown(d) \in RowsAt(Reached(d))

AnswersRight == wrong = {}
=============================================================================
