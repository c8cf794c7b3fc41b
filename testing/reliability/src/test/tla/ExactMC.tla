------------------------------- MODULE ExactMC -------------------------------
EXTENDS Exact, TLC

CONSTANTS r1, r2, r3, s1, o1, o2, o3

Alike == {f @@ g : f \in Permutations(Home), g \in Permutations(Ops)}
=============================================================================
