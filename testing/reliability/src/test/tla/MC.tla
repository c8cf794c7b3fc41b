--------------------------------- MODULE MC ---------------------------------
(* Who lives where in the configurations, and which claimers are alike. *)
EXTENDS Sequence, TLC

CONSTANTS c1, c2, c3

OneHome == {<<"dc1", 1>>}
TwoStripes == {<<"dc1", 1>>, <<"dc1", 2>>}
TwoDcs == {<<"dc1", 1>>, <<"dc2", 1>>}
TwoDcsThreeStripes == {<<"dc1", 1>>, <<"dc1", 2>>, <<"dc2", 1>>}

AllInOne == [c \in Claimers |-> <<"dc1", 1>>]
LastInStripe2 == [c \in Claimers |-> IF c = c3 THEN <<"dc1", 2>> ELSE <<"dc1", 1>>]
LastInDc2 == [c \in Claimers |-> IF c = c3 THEN <<"dc2", 1>> ELSE <<"dc1", 1>>]
OneEach == [c \in Claimers |-> IF c = c1 THEN <<"dc1", 1>> ELSE IF c = c2 THEN <<"dc1", 2>> ELSE <<"dc2", 1>>]

(* What must be able to happen, denied: where TLC does not refute it, a configuration sees too little. *)
NoIdPastAnAdvance == asked # {} \/ \A id \in issued : done = 0 \/ id < done
NoIdOfTheNextGeneration == Len(global.gens) = 1 \/ \A id \in issued : id < global.gens[2].base
NoRaiseCompleteAfterALossAndACrash == done = 0 \/ left.crashes = Crashes \/ left.losses = Losses

(* Without Tails nobody but an operator gives anything back. *)
NothingReclaimed == \A h \in Homes : reserve[h].free = {}

Alike == {f \in Permutations(Claimers) : \A c \in Claimers : Home[f[c]] = Home[c]}
=============================================================================
