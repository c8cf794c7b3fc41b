------------------------------- MODULE ExactMC -------------------------------
EXTENDS Exact, TLC

CONSTANTS r1, r2, r3, s1, o1, o2, o3

Alike == {f @@ g : f \in Permutations(Home), g \in Permutations(Ops)}

(* What must be able to happen, denied: where TLC does not refute it, a configuration sees too little. *)
NoUpdateOfAnInsertWithoutAnswer ==
    \A o \in Ops : op[o].kind # "update" \/ op[o].answer # "1" \/ plain.first # "sent"
NoProposalIsFinishedByAnother == \A i \in 1 .. Len(chosen) : chosen[i].ballot = chosen[i].time
No2627ForAnInsertInDoubt == \A o \in Ops : op[o].answer # "2627" \/ plain.first # "in doubt" \/ chosen # <<>>
NoReadRowInDoubtIsReplaced == stable # 1 \/ chosen = <<>> \/ chosen[1].kind # "key"
=============================================================================
