------------------------------ MODULE CounterMC ------------------------------
EXTENDS Counter, TLC

CONSTANTS r1, r2, r3, d1, d2

Alike == Permutations(Replicas) \cup Permutations(Deciders)
=============================================================================
