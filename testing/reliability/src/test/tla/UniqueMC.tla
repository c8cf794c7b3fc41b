------------------------------- MODULE UniqueMC -------------------------------
EXTENDS Unique, TLC

(* Two rows at the beginning, and one whose values does not count; rows from 4 are inserted. *)
Three == 1 :> "a" @@ 2 :> "b" @@ 3 :> Null
NoRows == <<>>

(* Insert, exchange, update, write the same value, delete. *)
Mixed ==
    1 :> (4 :> "a") @@ 2 :> (1 :> "b" @@ 2 :> "a") @@ 3 :> (1 :> "c") @@ 4 :> (1 :> "a") @@ 5 :> (2 :> Gone)

(* A value that does not count becomes one that does, and back; and a value goes from a deleted row to another. *)
Nulls ==
    1 :> (3 :> "c") @@ 2 :> (3 :> "a") @@ 3 :> (1 :> Null) @@ 4 :> (1 :> Gone @@ 3 :> "a") @@ 5 :> (4 :> "c")

Inserts == 1 :> (1 :> "a") @@ 2 :> (2 :> "a") @@ 3 :> (3 :> "b")

(* What must be able to happen, denied. *)
NotAllDone == ~\A w \in Writers : at[w] = "done"
NobodyRefused == \A w \in Writers : at[w] # "refused"
=============================================================================
