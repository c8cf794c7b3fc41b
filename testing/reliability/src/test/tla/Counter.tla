------------------------------- MODULE Counter -------------------------------
(* How an increment of a counter gets to be counted once, and stays counted     *)
(* once while its rows are folded and the slot of its writer is taken away:     *)
(* ARCHITECTURE.md, "How an increment is counted". One counter, one slot.       *)
(*                                                                              *)
(* A row is <<epoch, number>>. Sums are sets of rows: what is in two places is  *)
(* counted twice. A write is sent once, and reaches each replica at any later   *)
(* time, or never. Of two writes to a base, the one up to the later version     *)
(* wins, whichever arrives first.                                               *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Replicas,
    Epochs,      \* 1 .. how often the slot is leased
    Writing,     \* the epochs whose holders increment
    Numbers,     \* 1 .. the increments of an epoch
    Deciders,    \* processes that settle ended epochs
    Folds,       \* how often somebody folds
    Reads,       \* how often somebody reads a sum
    None,
    Defect       \* "none", or the planted bug

VARIABLES
    lease,       \* the epoch of the slot's lease; 0 before the first
    visible,     \* the lease that plain reads at a majority are sure to see
    writer,      \* epoch -> what its holder knows
    sent,        \* writes that are under way, for ever
    replica,     \* replica -> what it stores
    decided,     \* the settlement's partition
    decider,     \* decider -> what it has read
    reader,      \* a read of a sum
    left,        \* budgets
    wrong        \* history: what a read showed that it must not

vars == <<lease, visible, writer, sent, replica, decided, decider, reader, left, wrong>>

Is(defect) == Defect = defect
Rows == Epochs \X Numbers
Nothing == [upto |-> 0, sum |-> {}]
Max(S) == CHOOSE x \in S : \A y \in S : y <= x

-----------------------------------------------------------------------------
(* What a replica stores, and what a read of several replicas sees *)

Empty == [rows |-> {},
          base |-> [e \in Epochs |-> Nothing],
          gone |-> [e \in Epochs |-> 0],       \* deleted up to this number
          settled |-> Nothing,                  \* upto: the first epoch that is not settled
          goneEpochs |-> 0]                     \* everything of the epochs before this one is deleted

Later(one, other) == IF other.upto > one.upto THEN other ELSE one

Merge(p, q) ==
    [rows |-> p.rows \cup q.rows,
     base |-> [e \in Epochs |-> Later(p.base[e], q.base[e])],
     gone |-> [e \in Epochs |-> Max({p.gone[e], q.gone[e]})],
     settled |-> Later(p.settled, q.settled),
     goneEpochs |-> Max({p.goneEpochs, q.goneEpochs})]

Live(view, e) == e >= view.goneEpochs
Seen(view) == {row \in view.rows : Live(view, row[1]) /\ row[2] > view.gone[row[1]]}

(* How often a row is in the sum. *)
Count(view, row) ==
    (IF row \in view.settled.sum THEN 1 ELSE 0)
    + Cardinality({e \in Epochs : Live(view, e) /\ row \in view.base[e].sum})
    + (IF row \in Seen(view) THEN 1 ELSE 0)

(* The last number of an epoch up to which nothing is missing in a view. *)
Prefix(view, e) ==
    LET have == {row[2] : row \in {seen \in Seen(view) : seen[1] = e}}
        from == view.base[e].upto
    IN IF Is("gaps ignored") THEN Max({from} \cup have)
       ELSE Max({from} \cup {n \in have : \A m \in (from + 1) .. n : m \in have})

Summed(view, e) ==
    view.base[e].sum \cup {row \in Seen(view) : row[1] = e /\ row[2] <= Prefix(view, e)}

Apply(r, m) ==
    CASE m.kind = "row" -> [r EXCEPT !.rows = @ \cup {m.row}]
      [] m.kind = "fold" ->
            [r EXCEPT !.base[m.epoch] = IF Is("the last to arrive wins") THEN m.base ELSE Later(@, m.base),
                      !.gone[m.epoch] = IF m.deletes THEN Max({@, m.base.upto}) ELSE @]
      [] m.kind = "settle" ->
            [r EXCEPT !.settled = Later(@, m.settled),
                      !.goneEpochs = Max({@, m.settled.upto})]

-----------------------------------------------------------------------------
(* The lease. A take is visible to everybody once its taker has its answer, or once any plain read at a majority *)
(* has seen it.                                                                                                 *)

Init ==
    /\ lease = 0
    /\ visible = 0
    /\ writer = [e \in Epochs |-> [holds |-> FALSE, number |-> 0, acknowledged |-> 0, confirmed |-> 0]]
    /\ sent = {}
    /\ replica = [r \in Replicas |-> Empty]
    /\ decided = Nothing
    /\ decider = [d \in Deciders |-> [at |-> "idle", end |-> 0, before |-> Nothing, view |-> Empty, read |-> None,
                                      wanted |-> Nothing]]
    /\ reader = [at |-> "idle", view |-> Empty, read |-> None, must |-> {}]
    /\ left = [folds |-> Folds, reads |-> Reads]
    /\ wrong = {}

Looks == IF Is("looked at anywhere") THEN 0 .. lease ELSE {visible, lease}
SeenLease(v) == visible' = IF v = lease THEN lease ELSE visible

Take ==
    /\ lease + 1 \in Epochs
    /\ lease' = lease + 1
    /\ UNCHANGED <<visible, writer, sent, replica, decided, decider, reader, left, wrong>>

(* The taker has its answer. *)
Begin(e) ==
    /\ e <= lease
    /\ e \in Writing \/ visible < e
    /\ ~writer[e].holds
    /\ writer[e].number = 0
    /\ writer' = [writer EXCEPT ![e].holds = TRUE]
    /\ visible' = Max({visible, e})
    /\ UNCHANGED <<lease, sent, replica, decided, decider, reader, left, wrong>>

-----------------------------------------------------------------------------
(* Increments *)

(* The next row is sent when the one before is acknowledged. *)
Send(e) ==
    /\ writer[e].holds
    /\ e \in Writing
    /\ writer[e].number = writer[e].acknowledged
    /\ writer[e].number + 1 \in Numbers
    /\ writer' = [writer EXCEPT ![e].number = @ + 1]
    /\ sent' = sent \cup {[kind |-> "row", row |-> <<e, writer[e].number + 1>>]}
    /\ UNCHANGED <<lease, visible, replica, decided, decider, reader, left, wrong>>

Has(r, row) == row \in replica[r].rows

Acknowledge(e) ==
    LET next == writer[e].acknowledged + 1 IN
    /\ writer[e].holds
    /\ next <= writer[e].number
    /\ Cardinality({r \in Replicas : Has(r, <<e, next>>)}) * 2 > Cardinality(Replicas)
    /\ writer' = [writer EXCEPT ![e].acknowledged = next]
    /\ UNCHANGED <<lease, visible, sent, replica, decided, decider, reader, left, wrong>>

Confirm(e) ==
    /\ writer[e].holds
    /\ writer[e].confirmed < writer[e].acknowledged
    /\ \E v \in Looks :
        /\ SeenLease(v)
        /\ writer' = IF v = e \/ Is("confirmed without looking")
                     THEN [writer EXCEPT ![e].confirmed = writer[e].acknowledged]
                     ELSE [writer EXCEPT ![e].holds = FALSE]
    /\ UNCHANGED <<lease, sent, replica, decided, decider, reader, left, wrong>>

Deliver(m, r) ==
    /\ replica' = [replica EXCEPT ![r] = Apply(@, m)]
    /\ replica' # replica
    /\ UNCHANGED <<lease, visible, writer, sent, decided, decider, reader, left, wrong>>

-----------------------------------------------------------------------------
(* Folds, by anybody, of what any replica has *)

Fold(r, e) ==
    LET view == replica[r]
        base == [upto |-> Prefix(view, e), sum |-> Summed(view, e)]
    IN /\ left.folds > 0
       /\ Live(view, e)
       /\ base.upto > view.base[e].upto
       /\ sent' = sent \cup
            IF Is("folded in two steps")
            THEN {[kind |-> "fold", epoch |-> e, base |-> base, deletes |-> FALSE],
                  [kind |-> "fold", epoch |-> e, base |-> base, deletes |-> TRUE]}
            ELSE {[kind |-> "fold", epoch |-> e, base |-> base, deletes |-> TRUE]}
       /\ left' = [left EXCEPT !.folds = @ - 1]
       /\ UNCHANGED <<lease, visible, writer, replica, decided, decider, reader, wrong>>

-----------------------------------------------------------------------------
(* Settlements *)

(* First the slot is looked at, then what was decided, then the rows, of two replicas, each at a time of its own. *)
Look(d) ==
    /\ decider[d].at = IF Is("rows read before the look") THEN "read" ELSE "idle"
    /\ \E v \in Looks :
        LET end == IF Is("held epoch settled") THEN v + 1 ELSE v IN
        /\ SeenLease(v)
        /\ end > decided.upto
        /\ decider' = [decider EXCEPT ![d].end = end, ![d].before = decided,
                                      ![d].at = IF Is("rows read before the look") THEN "decide" ELSE "looked"]
    /\ UNCHANGED <<lease, writer, sent, replica, decided, reader, left, wrong>>

ReadOne(d, r) ==
    /\ decider[d].at = IF Is("rows read before the look") THEN "idle" ELSE "looked"
    /\ decider' = [decider EXCEPT ![d].view = replica[r], ![d].read = r, ![d].at = "half"]
    /\ UNCHANGED <<lease, visible, writer, sent, replica, decided, reader, left, wrong>>

ReadOther(d, r) ==
    /\ decider[d].at = "half"
    /\ r # decider[d].read
    /\ decider' = [decider EXCEPT ![d].view = Merge(@, replica[r]), ![d].read = None,
                                  ![d].at = IF Is("rows read before the look") THEN "read" ELSE "decide"]
    /\ UNCHANGED <<lease, visible, writer, sent, replica, decided, reader, left, wrong>>

Wanted(d) ==
    LET before == decider[d].before
        ended == {e \in Epochs : e >= before.upto /\ e < decider[d].end}
    IN [upto |-> decider[d].end,
        sum |-> before.sum \cup UNION {Summed(decider[d].view, e) : e \in ended}]

Idle(d) == [decider[d] EXCEPT !.at = "idle", !.end = 0, !.before = Nothing, !.view = Empty]

Decide(d) ==
    /\ decider[d].at = "decide"
    /\ decided' = IF decided = decider[d].before \/ Is("decided without comparing") THEN Wanted(d) ELSE decided
    /\ decider' = [decider EXCEPT ![d] = Idle(d)]
    /\ UNCHANGED <<lease, visible, writer, sent, replica, reader, left, wrong>>

(* What is stored as decided, whoever decided it. *)
Settle ==
    /\ decided.upto > 0
    /\ sent' = sent \cup {[kind |-> "settle", settled |-> decided]}
    /\ sent' # sent
    /\ UNCHANGED <<lease, visible, writer, replica, decided, decider, reader, left, wrong>>

-----------------------------------------------------------------------------
(* A read of the sum at a majority: two replicas, each at a time of its own *)

Confirmed == UNION {{<<e, n>> : n \in 1 .. writer[e].confirmed} : e \in Epochs}

BeginRead(r) ==
    /\ left.reads > 0
    /\ reader.at = "idle"
    /\ reader' = [at |-> "half", view |-> replica[r], read |-> r, must |-> Confirmed]
    /\ left' = [left EXCEPT !.reads = @ - 1]
    /\ UNCHANGED <<lease, visible, writer, sent, replica, decided, decider, wrong>>

EndRead(r) ==
    /\ reader.at = "half"
    /\ r # reader.read
    /\ LET view == Merge(reader.view, replica[r]) IN
        wrong' = wrong \cup {"twice" : row \in {x \in Rows : Count(view, x) > 1}}
                       \cup {"lacks" : row \in {x \in reader.must : Count(view, x) = 0}}
    /\ reader' = [at |-> "idle", view |-> Empty, read |-> None, must |-> {}]
    /\ UNCHANGED <<lease, visible, writer, sent, replica, decided, decider, left>>

-----------------------------------------------------------------------------

Next ==
    \/ Take
    \/ \E e \in Epochs : Begin(e) \/ Send(e) \/ Acknowledge(e) \/ Confirm(e)
    \/ \E m \in sent, r \in Replicas : Deliver(m, r)
    \/ \E r \in Replicas, e \in Epochs : Fold(r, e)
    \/ \E d \in Deciders : Look(d) \/ Decide(d) \/ \E r \in Replicas : ReadOne(d, r) \/ ReadOther(d, r)
    \/ Settle
    \/ \E r \in Replicas : BeginRead(r) \/ EndRead(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised *)

Pairs == {p \in Replicas \X Replicas : p[1] # p[2]}

(* No view of any replicas contains a row twice. *)
CountedOnce ==
    /\ \A r \in Replicas : LET view == replica[r] IN \A row \in Rows : Count(view, row) <= 1
    /\ \A p \in Pairs :
        LET view == Merge(replica[p[1]], replica[p[2]]) IN \A row \in Rows : Count(view, row) <= 1

(* Every majority has each confirmed increment. *)
ConfirmedCounts ==
    LET rows == Confirmed IN
    rows = {} \/ \A p \in Pairs :
        LET view == Merge(replica[p[1]], replica[p[2]]) IN \A row \in rows : Count(view, row) = 1

(* A decision keeps every increment that was confirmed, and every one that is confirmed later. *)
DecisionsKeep == \A row \in Confirmed : row[1] < decided.upto => row \in decided.sum

ReadsRight == wrong = {}

(* What must be able to happen, denied. *)
NothingIsSettled == decided.sum = {}
NothingIsLostToADecision ==
    \A r \in Replicas : \A row \in replica[r].rows : row[1] >= decided.upto \/ row \in decided.sum
=============================================================================
