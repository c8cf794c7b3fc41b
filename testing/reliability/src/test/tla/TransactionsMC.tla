---------------------------- MODULE TransactionsMC ----------------------------
EXTENDS Transactions, TLC

Pair(kind1, kind2) == 1 :> kind1 @@ 2 :> kind2

(* In each, 1 and 2 are transactions, 3 is a statement, and 4 is a transaction for longer runs. *)

(* Transfers between the same rows, and a statement. *)
Transfers ==
    1 :> Pair("update", "update") @@ 2 :> Pair("update", "update") @@ 3 :> (1 :> "update")
        @@ 4 :> Pair("update", "update")

(* An absent row that two insert beside an update, and a statement that deletes it. *)
Inserts ==
    1 :> Pair("update", "insert") @@ 2 :> Pair("update", "insert") @@ 3 :> (2 :> "delete")
        @@ 4 :> Pair("check", "delete")

(* A row that is deleted beside an update, read by another transaction, and inserted again. *)
Deletes ==
    1 :> Pair("delete", "update") @@ 2 :> Pair("update", "check") @@ 3 :> (1 :> "insert")
        @@ 4 :> Pair("insert", "update")

(* A row of a drawn id beside two updates; another transaction, and a statement, write it as soon as they see it. *)
(* In the bug the id is locked like a key of the user's, and after that inserted as a drawn one.                  *)
FreshRows ==
    IF Is("placeholder for a row of a drawn id")
    THEN 1 :> (1 :> "update" @@ 3 :> "insert") @@ 2 :> (1 :> "update" @@ 3 :> "fresh") @@ 3 :> (3 :> "delete")
    ELSE 1 :> (1 :> "update" @@ 2 :> "update" @@ 3 :> "fresh") @@ 2 :> (2 :> "update" @@ 3 :> "update")
        @@ 3 :> (3 :> "delete") @@ 4 :> (1 :> "check" @@ 3 :> "check")

(* A row that both insert, one beside an update and a row of a drawn id, which a statement deletes. *)
Ends ==
    1 :> (1 :> "update" @@ 2 :> "insert" @@ 3 :> "fresh") @@ 2 :> Pair("check", "insert") @@ 3 :> (3 :> "delete")
        @@ 4 :> Pair("update", "delete")

(* What must be able to happen, denied: where TLC does not refute it, a configuration sees too little. *)
NotAllCommit == won # Clients
NobodyElseEndsIt == \A t \in Txs : at[t] # "doubt" \/ record[t] # "removed"
NoLockComesAfterTheAbort ==
    \A t \in Txs : \A r \in Locked(t) \ held[t] : record[t] # "ABORTED" \/ ~ShowsLock(data[r], t)
NoRowFreeInPartIsLocked ==
    \A t \in Txs : at[t] = "lock" /\ ~AllHeld(t) =>
        LET r == NextRow(t) IN ~IsLock(data[r]) \/ \A d \in Views(r) : ~Holds(t, r, d)
NoFreshRowIsMissing == \A t \in won \cap Txs : \A r \in Fresh(t) : Has(r, Values(t, r))
=============================================================================
