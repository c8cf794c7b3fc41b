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

Alike == {f \in Permutations(Claimers) : \A c \in Claimers : Home[f[c]] = Home[c]}
=============================================================================
