------------------------------ MODULE Sequence ------------------------------
(* How ids get from the global level to a caller, and how tails and reseeds     *)
(* take them back: ARCHITECTURE.md, "How an id is made". One action is one      *)
(* linearizable statement on one partition, with the reads that it was computed *)
(* from; what may happen between such a read and its statement is covered by    *)
(* statements that land late (Late).                                            *)
(*                                                                              *)
(* Every compare-and-set either answers at once, or ends unknown: then it lands *)
(* at any later time at which its condition holds, or never, whatever became of *)
(* its sender.                                                                  *)
EXTENDS Integers, FiniteSets, Sequences

CONSTANTS
    Claimers,    \* allocators; each keeps to one stripe and has one claim under way
    Home,        \* claimer -> <<datacenter, stripe>>
    Homes,       \* every stripe of every datacenter; each has a reserve partition of its own
    Space,       \* ordinals 0 .. Space-1
    GrantSizes,
    BlockSizes,
    Joined,      \* whether the reserves are there at the beginning
    Tails,       \* whether claimers give back and take tails
    Prefetch,    \* whether a claimer claims a second block ahead of need
    Unknowns,    \* how often an outcome is unknown, in all
    Crashes,
    Reseeds,
    Advances,    \* how often an operator advances the sequence past an id
    Drops,       \* how often it is dropped; it may then be created again
    Losses,      \* how often a reserve partition is deleted
    Reclaims,    \* whether operators give back what dead processes did not use
    None,
    Defect       \* "none", or the planted bug

VARIABLES
    global,      \* the partition at SERIAL: inc, origin, next, floor, grants, acks, dropped; where each generation began
    reserve,     \* home -> the partition at LOCAL_SERIAL
    claimer,     \* claimer -> what its process has in memory
    asked,       \* what operators advance it past, and the entries that they wait for
    late,        \* statements whose outcome is unknown and that have not landed
    left,        \* budgets of what goes wrong
    issued,      \* history: ordinals that callers got
    wrong,       \* history: which promises an issue broke
    done         \* history: nothing before it may be issued any more: a reseed was complete, or an operator was promised

vars == <<global, reserve, claimer, asked, late, left, issued, wrong, done>>

Is(defect) == Defect = defect
Dcs == {h[1] : h \in Homes}
StripesOf(dc) == {h \in Homes : h[1] = dc}
Range(lo, hi) == lo .. (hi - 1)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a < b THEN b ELSE a

(* A sequence that is created again begins another generation. Positions go on; in the program they begin at 0 again, *)
(* and mean other ids: an allocator of another generation would make its own of them.                                *)
GenOf(inc) == IF Drops = 0 THEN 1 ELSE Cardinality({k \in 1 .. Len(global.gens) : global.gens[k].first <= inc})
SameGen(one, other) == GenOf(one) = GenOf(other)
IdAt(position, inc, gen) ==
    IF Drops = 0 THEN position ELSE position - global.gens[GenOf(inc)].base + global.gens[gen].base

(* Whether there is anything for which rows that are left behind matter. *)
Raises == Reseeds + Advances + Drops > 0

-----------------------------------------------------------------------------
(* Reads *)

GrantsOf(home, inc) ==
    {g \in global.grants :
        /\ g.inc = inc
        /\ g.home[1] = home[1]
        /\ (g.home[2] = home[2] \/ Is("stripes share grant numbers"))}

GrantAt(home, inc, no) == {g \in GrantsOf(home, inc) : g.no = no}

HighestGrant(home, inc) ==
    IF GrantsOf(home, inc) = {} THEN 0
    ELSE (CHOOSE g \in GrantsOf(home, inc) : \A other \in GrantsOf(home, inc) : other.no <= g.no).no

RowAt(r, inc, lo) == {w \in r.rows : w.inc = inc /\ w.lo = lo}

Unknown == <<None, 0, 0>> \* The token of what nobody knows the holder of.

(* Where a join finds grants, the rows of those who hold them are lost. Instead of them, a row for each incarnation. *)
(* Its key is no claim's: a process that has issued all of a claim removes whatever row is under the claim's key.    *)
LostClaims(home, inc) ==
    LET granted == {i \in 1 .. inc : SameGen(i, inc) /\ GrantsOf(home, i) # {}}
        First(i) == (CHOOSE g \in GrantsOf(home, i) : \A other \in GrantsOf(home, i) : g.no <= other.no).lo
    IN IF Is("lost claims not recorded") THEN {}
       ELSE {[inc |-> i, lo |-> IF Is("lost claims under the key of the first") THEN First(i) ELSE -1, end |-> -1,
              tok |-> Unknown] : i \in granted}

-----------------------------------------------------------------------------
(* Statements: when their condition holds, and what they do then *)

SameIncarnation(r, m) == r.inc = m.inc

HasRow(r, row) == \E w \in RowAt(r, row.inc, row.lo) : w.tok = row.tok
WithoutToken(rows, row) == {w \in rows : w.inc # row.inc \/ w.lo # row.lo \/ w.tok # row.tok}

Applies(m) ==
    IF m.op = "grant" THEN
        /\ (global.inc = m.inc \/ Is("grant without incarnation"))
        /\ global.next = m.next
        /\ GrantAt(m.home, m.inc, m.no) = {}
    ELSE LET r == reserve[m.home] IN
        CASE m.op = "join" -> r.inc = 0
          [] m.op = "adopt" -> r.inc = m.from
          [] m.op = "absorb" ->
                /\ r.inc > 0
                /\ (SameIncarnation(r, m) \/ Is("absorb without incarnation"))
                /\ (r.no = m.no - 1 \/ Is("absorb without grant number"))
                /\ r.nlo = -1
          [] m.op = "claim" ->
                /\ SameIncarnation(r, m)
                /\ r.next = m.next
                /\ r.hi = m.hi
                /\ (m.nlo = -1 \/ r.nlo = m.nlo)
                /\ RowAt(r, m.inc, m.lo) = {}
          [] m.op = "take" ->
                /\ SameIncarnation(r, m)
                /\ (r.free = m.seen \/ Is("take without comparing free"))
          [] m.op = "back" ->
                /\ r.inc > 0
                /\ (SameIncarnation(r, m) \/ Is("give-back without incarnation"))
                /\ (r.free = m.seen \/ Is("give-back without comparing free"))
                /\ (\/ \E w \in RowAt(r, m.row.inc, m.row.lo) : w.tok = m.row.tok
                    \/ Is("tail returned twice"))
          [] m.op = "forget" -> HasRow(r, m.row)

WithRow(rows, row) == {w \in rows : w.inc # row.inc \/ w.lo # row.lo} \cup {row}
WithoutRow(rows, row) == {w \in rows : w.inc # row.inc \/ w.lo # row.lo}

Emptied(r, inc, no) ==
    [r EXCEPT !.inc = inc, !.next = 0, !.hi = 0, !.nlo = -1, !.nhi = -1, !.no = no,
              !.free = IF Is("adopt keeps the tails") THEN @ ELSE {}]

After(r, m) ==
    CASE m.op = "join" -> [Emptied(r, m.inc, m.no) EXCEPT !.rows = m.lost]
      [] m.op = "adopt" -> Emptied(r, m.inc, m.no)
      [] m.op = "absorb" -> [r EXCEPT !.nlo = m.lo, !.nhi = m.end, !.no = m.no]
      [] m.op = "claim" ->
            LET row == [inc |-> m.inc, lo |-> m.lo, end |-> m.end, tok |-> m.tok] IN
            IF m.nlo = -1
            THEN [r EXCEPT !.next = m.end, !.rows = WithRow(@, row)]
            ELSE [r EXCEPT !.next = m.end, !.hi = m.nhi, !.nlo = -1, !.nhi = -1, !.rows = WithRow(@, row)]
      [] m.op = "take" ->
            LET row == [inc |-> m.inc, lo |-> m.lo, end |-> m.end, tok |-> m.tok] IN
            [r EXCEPT !.free = m.seen \ Range(m.lo, m.end), !.rows = WithRow(@, row)]
      [] m.op = "back" ->
            [r EXCEPT !.free = m.seen \cup m.ids, !.rows = WithoutRow(@, m.row)]
      [] m.op = "forget" -> [r EXCEPT !.rows = WithoutToken(@, m.row)]

Perform(m) ==
    IF m.op = "grant" THEN
        /\ global' = [global EXCEPT
                !.next = m.end,
                !.grants = @ \cup {[inc |-> m.inc, home |-> m.home, no |-> m.no, lo |-> m.next, hi |-> m.end]}]
        /\ UNCHANGED reserve
    ELSE
        /\ reserve' = [reserve EXCEPT ![m.home] = After(@, m)]
        /\ UNCHANGED global

Answered(m) == Applies(m) /\ Perform(m) /\ UNCHANGED <<late, left>>

Unanswered(m) ==
    /\ left.unknowns > 0
    /\ m \notin late
    /\ left' = [left EXCEPT !.unknowns = @ - 1]
    /\ late' = late \cup {m}
    /\ UNCHANGED <<global, reserve>>

Late(m) ==
    /\ Applies(m)
    /\ Perform(m)
    /\ late' = late \ {m}
    /\ UNCHANGED <<claimer, left, issued, wrong, done>>

-----------------------------------------------------------------------------
(* The datacenter's reserve. Any process of the datacenter may do these; nothing *)
(* about them is kept in memory.                                                 *)

Maintain(m) == (Answered(m) \/ Unanswered(m)) /\ UNCHANGED <<claimer, issued, wrong, done>>

Join(home) ==
    /\ reserve[home].inc = 0
    /\ Maintain([op |-> "join", home |-> home, inc |-> global.inc,
                 no |-> IF Is("reserve re-created at grant 0") THEN 0 ELSE HighestGrant(home, global.inc),
                 lost |-> LostClaims(home, global.inc)])

Adopt(home) ==
    LET r == reserve[home] IN
    /\ r.inc > 0
    /\ r.inc < global.inc
    /\ Maintain([op |-> "adopt", home |-> home, from |-> r.inc, inc |-> global.inc,
                 no |-> HighestGrant(home, global.inc)])

Grant(home) ==
    LET r == reserve[home] IN
    /\ r.inc > 0
    /\ r.inc = global.inc
    /\ ~global.dropped
    /\ r.nlo = -1
    /\ global.next < Space
    /\ GrantAt(home, r.inc, r.no + 1) = {}
    /\ \E size \in GrantSizes :
        Maintain([op |-> "grant", home |-> home, inc |-> r.inc, no |-> r.no + 1, next |-> global.next,
                  end |-> IF Is("grant without clipping") THEN global.next + size
                          ELSE Min(global.next + size, Space)])

Absorb(home) ==
    LET r == reserve[home] IN
    /\ r.inc > 0
    /\ r.nlo = -1
    /\ \E g \in GrantAt(home, r.inc, r.no + 1) :
        Maintain([op |-> "absorb", home |-> home, inc |-> g.inc, no |-> g.no, lo |-> g.lo, end |-> g.hi])

(* Deleted or truncated, claim rows and all. One thing is assumed, and breaks promises where it does not hold: that *)
(* no join of the same reserve is under way (computed before earlier grants, it would take them again).             *)
Lose(home) ==
    /\ left.losses > 0
    /\ reserve[home].inc > 0
    /\ \A m \in late : m.op # "join" \/ m.home # home
    /\ left' = [left EXCEPT !.losses = @ - 1]
    /\ reserve' = [reserve EXCEPT ![home] =
            [inc |-> 0, next |-> 0, hi |-> 0, nlo |-> -1, nhi |-> -1, no |-> 0, free |-> {}, rows |-> {}]]
    /\ UNCHANGED <<global, claimer, late, issued, wrong, done>>

-----------------------------------------------------------------------------
(* A claimer *)

(* `kept` are claims of which nothing more will be issued, or may not be: their rows may stand or land, and as the   *)
(* process runs, nobody else may remove them. `life` tells a process from those before it, which crashed.           *)
Empty == [inc |-> 0, cur |-> None, nxt |-> None, closing |-> {}, doubt |-> None, top |-> 0, last |-> 0, kept |-> {},
          gen |-> 1, life |-> 1]

RowOf(m) == [inc |-> m.inc, lo |-> m.lo, end |-> m.end, tok |-> m.tok]
Keep(s, row) == IF Raises THEN [s EXCEPT !.kept = @ \cup {row}] ELSE s

TokensInUse(c) ==
    {w.tok : w \in UNION {reserve[h].rows : h \in Homes}}
    \cup {m.tok : m \in {n \in late : n.op \in {"claim", "take"}}}
    \cup {b.row.tok : b \in claimer[c].closing}
    \cup {b.row.tok : b \in {claimer[c].cur, claimer[c].nxt} \ {None}}
    \cup {m.row.tok : m \in {n \in late : n.op \in {"back", "forget"}}}
    \cup {row.tok : row \in claimer[c].kept}

(* Never used before, as far as anything that is left can tell. *)
FreshToken(c) ==
    LET life == claimer[c].life IN
    IF Is("token per process") THEN <<"process", 0, 0>>
    ELSE <<c, life, CHOOSE n \in 1 .. 20 :
                 /\ <<c, life, n>> \notin TokensInUse(c)
                 /\ \A k \in 1 .. (n - 1) : <<c, life, k>> \in TokensInUse(c)>>

(* Whether the process that drew this token has crashed. *)
Gone(token) == token # Unknown /\ token[2] < claimer[token[1]].life

Closed(s) == {s.cur, s.nxt} \ {None}

(* No id of its blocks is issued from here on. *)
Dropped(s) ==
    [s EXCEPT !.closing = @ \cup Closed(s), !.cur = IF Is("tail served after its return") THEN @ ELSE None, !.nxt = None]

(* What a process does with a range that is its own: a block, published in the order of the claims. *)
Accepted(s, m, end) ==
    LET block == [inc |-> m.inc, lo |-> m.lo, end |-> end, try |-> 1, row |-> [RowOf(m) EXCEPT !.end = end]]
        known == [s EXCEPT !.doubt = None]
        moved == IF m.inc > s.inc THEN [Dropped(known) EXCEPT !.inc = m.inc, !.top = 0, !.last = 0] ELSE known
    IN
    IF m.inc < s.inc THEN [known EXCEPT !.closing = @ \cup {block}]
    ELSE IF m.lo < moved.top /\ ~Is("tail taken below what was served") THEN known
    ELSE IF moved.cur = None THEN [moved EXCEPT !.cur = block, !.top = end]
    ELSE [moved EXCEPT !.nxt = block, !.top = end]

Wants(s) == s.doubt = None /\ s.nxt = None /\ (s.cur = None \/ Prefetch)

Send(c, m) ==
    /\ \/ /\ Answered(m)
          /\ claimer' = [claimer EXCEPT ![c] = Accepted(@, m, m.end)]
       \/ /\ Unanswered(m)
          /\ claimer' = [claimer EXCEPT ![c] =
                IF Is("served before proof") THEN Accepted(@, m, m.end)
                ELSE IF Is("claim in doubt not remembered") THEN [@ EXCEPT !.doubt = m]
                ELSE Keep([@ EXCEPT !.doubt = m], RowOf(m))]
    /\ UNCHANGED <<issued, wrong, done>>

Claim(c) ==
    LET s == claimer[c]
        r == reserve[Home[c]]
        rolls == r.next = r.hi /\ r.nlo # -1
        lo == IF rolls THEN r.nlo ELSE r.next
        hi == IF rolls THEN r.nhi ELSE r.hi
    IN
    /\ Wants(s)
    /\ r.inc > 0
    /\ r.inc >= s.inc
    /\ (GenOf(r.inc) = s.gen \/ Is("claimed across generations"))
    /\ lo < hi
    /\ \E size \in BlockSizes :
        LET m == [op |-> "claim", home |-> Home[c], inc |-> r.inc, next |-> r.next, hi |-> r.hi,
                  nlo |-> IF rolls THEN r.nlo ELSE -1, nhi |-> IF rolls THEN r.nhi ELSE -1, lo |-> lo,
                  end |-> IF Is("claim without clipping") THEN lo + size ELSE Min(lo + size, hi),
                  tok |-> FreshToken(c), try |-> 1]
        IN Send(c, m)

(* The front of a span, or all of it; above everything that this claimer has issued or holds. *)
Take(c) ==
    LET s == claimer[c]
        r == reserve[Home[c]]
    IN
    /\ Tails
    /\ Wants(s)
    /\ r.inc > 0
    /\ r.inc >= s.inc
    /\ (GenOf(r.inc) = s.gen \/ Is("claimed across generations"))
    /\ \E lo \in r.free :
        /\ lo - 1 \notin r.free
        /\ (r.inc > s.inc \/ lo >= s.top \/ Is("tail taken below what was served"))
        /\ \E size \in BlockSizes :
            LET end == CHOOSE e \in (lo + 1) .. (lo + size) :
                    /\ Range(lo, e) \subseteq r.free
                    /\ e = lo + size \/ e \notin r.free
            IN Send(c, [op |-> "take", home |-> Home[c], inc |-> r.inc, seen |-> r.free, lo |-> lo, end |-> end,
                        tok |-> FreshToken(c), try |-> 1])

Forgotten(c) == claimer' = [claimer EXCEPT ![c].doubt = None]

(* The row is the evidence. Absent, the same statement is sent again or the range is given up. *)
Prove(c) ==
    LET s == claimer[c]
        m == s.doubt
        r == reserve[Home[c]]
        rows == RowAt(r, m.inc, m.lo)
    IN
    /\ m # None
    /\ \/ /\ Is("proof by position")
          /\ m.op = "claim"
          /\ r.inc = m.inc
          /\ r.next >= m.end
          /\ claimer' = [claimer EXCEPT ![c] = Accepted(@, m, m.end)]
          /\ UNCHANGED <<global, reserve, late, left>>
       \/ /\ rows # {}
          /\ \E w \in rows : IF w.tok = m.tok
                THEN claimer' = [claimer EXCEPT ![c] = Accepted(@, m, w.end)]
                ELSE Forgotten(c)
          /\ UNCHANGED <<global, reserve, late, left>>
       \/ /\ rows = {}
          /\ Forgotten(c)
          /\ UNCHANGED <<global, reserve, late, left>>
       \/ /\ rows = {}
          /\ LET again == [m EXCEPT !.try = @ + 1] IN
             \/ /\ Answered(again)
                /\ claimer' = [claimer EXCEPT ![c] = Accepted(@, again, again.end)]
             \/ /\ Unanswered(again)
                /\ claimer' = [claimer EXCEPT ![c].doubt = again]
    /\ UNCHANGED <<issued, wrong, done>>

Issue(c) ==
    LET s == claimer[c]
        b == s.cur
        id == IdAt(b.lo, b.inc, s.gen)
        more == [b EXCEPT !.lo = @ + 1]
    IN
    /\ b # None
    /\ issued' = issued \cup {id}
    /\ wrong' = wrong
            \cup (IF id \in issued THEN {"twice"} ELSE {})
            \cup (IF id < s.last THEN {"order"} ELSE {})
            \cup (IF id < done THEN {"recalled"} ELSE {})
    /\ claimer' = [claimer EXCEPT
            ![c].cur = IF more.lo < more.end THEN more ELSE s.nxt,
            ![c].nxt = IF more.lo < more.end THEN @ ELSE None,
            ![c].last = id + 1]
    \* A claim of which everything was issued loses its row, in the next claim's batch or by itself; the sooner, the
    \* less there is to protect it.
    /\ reserve' = IF more.lo < more.end THEN reserve
                  ELSE [reserve EXCEPT ![Home[c]].rows = WithoutRow(@, b.row)]
    /\ UNCHANGED <<global, late, left, done>>

(* On close, or while idle: it stops serving first. What it gave up may be taken again, by itself too. *)
Close(c) ==
    /\ Tails
    /\ claimer[c].cur # None
    /\ claimer' = [claimer EXCEPT ![c] = [Dropped(@) EXCEPT !.top = claimer[c].last]]
    /\ UNCHANGED <<global, reserve, late, left, issued, wrong, done>>

GiveBack(c) ==
    /\ Tails
    /\ \E b \in claimer[c].closing :
        LET r == reserve[Home[c]]
            m == [op |-> "back", home |-> Home[c], inc |-> b.inc, seen |-> r.free, row |-> b.row,
                  ids |-> Range(b.lo, b.end), try |-> b.try]
        IN
        \/ /\ Answered(m)
           /\ claimer' = [claimer EXCEPT ![c].closing = @ \ {b}]
        \/ /\ Unanswered(m)
           /\ claimer' = [claimer EXCEPT ![c].closing = (@ \ {b}) \cup {[b EXCEPT !.try = @ + 1]}]
        \/ /\ b.try > 1 \* After an unknown outcome it may leave it at that.
           /\ claimer' = [claimer EXCEPT ![c] = Keep([@ EXCEPT !.closing = @ \ {b}], b.row)]
           /\ UNCHANGED <<global, reserve, late, left>>
    /\ UNCHANGED <<issued, wrong, done>>

(* Of an older incarnation nothing is given back: the row alone goes. That is the process's acknowledgement. *)
Forget(c) ==
    /\ \E b \in claimer[c].closing :
        LET m == [op |-> "forget", home |-> Home[c], row |-> b.row]
            ended == [claimer[c] EXCEPT !.closing = @ \ {b}]
        IN
        /\ b.inc < global.inc
        /\ \/ /\ IF Applies(m) THEN Perform(m) ELSE UNCHANGED <<global, reserve>>
              /\ claimer' = [claimer EXCEPT ![c] = ended]
              /\ UNCHANGED <<late, left>>
           \/ /\ Unanswered(m)
              /\ claimer' = [claimer EXCEPT ![c] =
                    IF Is("removal in doubt not remembered") THEN ended ELSE Keep(ended, b.row)]
    /\ UNCHANGED <<issued, wrong, done>>

(* What may have been left behind is removed once it can not land any more: its incarnation is past, for the process *)
(* and for the reserve. Before that, a claim that was given up is removed where it stands, and stays in mind.        *)
Leftover(c) ==
    LET s == claimer[c]
        r == reserve[Home[c]]
    IN
    \E row \in s.kept :
        /\ \/ /\ row.inc < s.inc \/ Is("leftovers of the current incarnation removed")
              /\ \/ row.inc < r.inc
                 \/ Is("leftovers removed before the reserve moved")
                 \/ Is("leftovers of the current incarnation removed")
              /\ claimer' = [claimer EXCEPT ![c].kept = @ \ {row}]
           \/ /\ HasRow(r, row)
              /\ \A b \in s.closing \cup Closed(s) : b.row # row
              /\ IF s.doubt = None THEN TRUE ELSE s.doubt.tok # row.tok
              /\ UNCHANGED claimer
        /\ reserve' = [reserve EXCEPT ![Home[c]].rows = WithoutToken(@, row)]
        /\ UNCHANGED <<global, late, left, issued, wrong, done>>

(* The process looks for a newer incarnation from time to time. *)
Notice(c) ==
    /\ claimer[c].inc < global.inc
    /\ claimer[c].cur # None \/ claimer[c].nxt # None \/ claimer[c].kept # {}
    /\ claimer' = [claimer EXCEPT ![c] = [Dropped(@) EXCEPT !.inc = global.inc, !.top = 0, !.last = 0]]
    /\ UNCHANGED <<global, reserve, late, left, issued, wrong, done>>

Crash(c) ==
    /\ left.crashes > 0
    /\ claimer[c] # [Empty EXCEPT !.gen = claimer[c].gen, !.life = claimer[c].life]
    /\ left' = [left EXCEPT !.crashes = @ - 1]
    /\ claimer' = [claimer EXCEPT ![c] = [Empty EXCEPT !.gen = claimer[c].gen, !.life = claimer[c].life + 1]]
    /\ UNCHANGED <<global, reserve, late, issued, wrong, done>>

(* The allocator of a sequence that was dropped fails; its application asks for another one, which knows what the *)
(* sequence is now. One that is opened by an old copy of it is like one from before.                              *)
Reopen(c) ==
    LET s == claimer[c] IN
    /\ s.gen # GenOf(global.inc)
    /\ s.cur = None
    /\ s.nxt = None
    /\ s.doubt = None
    /\ s.closing = {}
    /\ claimer' = [claimer EXCEPT ![c] =
            [Empty EXCEPT !.inc = global.inc, !.gen = GenOf(global.inc), !.kept = s.kept, !.life = s.life]]
    /\ UNCHANGED <<global, reserve, late, left, issued, wrong, done>>

-----------------------------------------------------------------------------
(* Reseed, advance, drop and create: an operator's. Each is one compare-and-set on all that was read at SERIAL. *)

Reseed ==
    /\ left.reseeds > 0
    /\ ~global.dropped
    /\ left' = [left EXCEPT !.reseeds = @ - 1]
    /\ global' = [global EXCEPT !.inc = @ + 1, !.origin = global.next]
    /\ UNCHANGED <<reserve, claimer, late, issued, wrong, done>>

Tok(b) == IF b = None THEN {} ELSE {b.row.tok}

ServesOfLost(home, c, inc) ==
    /\ Home[c] = home
    /\ \E b \in Closed(claimer[c]) : b.inc = inc /\ b.row \notin reserve[home].rows

(* An operator vouches that the process is gone for good; of lost claims, that nobody is left who held one. What a *)
(* running process leaves behind is its own to remove.                                                             *)
Release(home) ==
    /\ \E w \in reserve[home].rows :
        /\ w.inc < global.inc
        /\ IF w.tok = Unknown THEN \A c \in Claimers : ~ServesOfLost(home, c, w.inc) ELSE Gone(w.tok)
        /\ reserve' = [reserve EXCEPT ![home].rows = @ \ {w}]
    /\ UNCHANGED <<global, claimer, late, left, issued, wrong, done>>

(* An operator gives back what a process did not use that is gone for good. *)
Reclaim(home) ==
    /\ Reclaims
    /\ \E w \in reserve[home].rows :
        LET r == reserve[home] IN
        /\ Gone(w.tok)
        /\ (w.inc = r.inc \/ Is("reclaim without incarnation"))
        /\ Maintain([op |-> "back", home |-> home, inc |-> r.inc, seen |-> r.free, row |-> w, try |-> 0,
                     ids |-> IF Is("reclaim of what was used") THEN Range(w.lo, w.end)
                             ELSE Range(w.lo, w.end) \ issued])

(* Once adopted, a reserve has no new claims of older incarnations; so both stay true. *)
Ack(dc) ==
    /\ global.acks[dc] < global.inc
    /\ \A h \in StripesOf(dc) :
        /\ \/ reserve[h].inc = global.inc
           \/ Is("acknowledged before adopting")
           \/ reserve[h].inc = 0 /\ Is("acknowledged without a reserve")
        /\ \/ \A w \in reserve[h].rows : w.inc = global.inc \/ ~SameGen(w.inc, global.inc)
           \/ Is("acknowledged with holders")
    /\ global' = [global EXCEPT !.acks[dc] = global.inc]
    /\ UNCHANGED <<reserve, claimer, late, left, issued, wrong, done>>

(* Whether every datacenter that was granted ids before this incarnation, in its generation, has acknowledged it. *)
Settled(inc) ==
    \A g \in global.grants : (g.inc < inc /\ SameGen(g.inc, inc)) => global.acks[g.home[1]] >= inc

Complete ==
    /\ done < global.origin
    /\ (Settled(global.inc) \/ Is("complete without acknowledgements"))
    /\ done' = global.origin
    /\ UNCHANGED <<global, reserve, claimer, late, left, issued, wrong>>

(* advancePast(id): where the incarnation began after it, nothing is left to do but to wait. *)
RecallPast(id) ==
    LET target == IF Is("recall up to the id alone") THEN id ELSE id + 1
        recalled == IF Is("recall judged by next") THEN target <= global.next ELSE target <= global.origin
        raised == [global EXCEPT !.inc = @ + 1, !.next = Max(@, target), !.origin = Max(global.next, target)]
        after == IF recalled THEN global ELSE raised
    IN
    /\ left.advances > 0
    /\ ~global.dropped
    /\ left' = [left EXCEPT !.advances = @ - 1]
    /\ global' = after
    /\ asked' = asked \cup {[past |-> id + 1, inc |-> after.inc, origin |-> after.origin]}
    /\ UNCHANGED <<reserve, claimer, late, issued, wrong, done>>

(* It returns: what was asked is promised, and that nothing before the floor is issued. *)
RaiseFloor(a) ==
    LET floor == IF SameGen(a.inc, global.inc) THEN Max(global.floor, a.origin) ELSE global.floor IN
    /\ ~global.dropped
    /\ \/ global.floor >= a.origin
       \/ ~SameGen(a.inc, global.inc)
       \/ Settled(a.inc)
       \/ Is("floor without acknowledgements")
    /\ global' = [global EXCEPT !.floor = floor]
    /\ asked' = asked \ {a}
    /\ done' = Max(done, Max(a.past, floor))
    /\ UNCHANGED <<reserve, claimer, late, left, issued, wrong>>

Drop ==
    /\ left.drops > 0
    /\ ~global.dropped
    /\ left' = [left EXCEPT !.drops = @ - 1]
    /\ global' = [global EXCEPT !.inc = @ + 1, !.origin = global.next, !.dropped = TRUE]
    /\ UNCHANGED <<reserve, claimer, late, issued, wrong, done>>

(* Once the drop is acknowledged. From here on nothing of the old generation may be issued. *)
CreateAgain ==
    /\ global.dropped
    /\ (Settled(global.inc) \/ Is("created again without acknowledgements"))
    /\ global' = [global EXCEPT !.inc = @ + 1, !.origin = global.next, !.floor = global.next, !.dropped = FALSE,
            !.gens = Append(@, [first |-> global.inc + 1, base |-> global.next])]
    /\ done' = Max(done, global.next)
    /\ UNCHANGED <<reserve, claimer, late, left, issued, wrong>>

-----------------------------------------------------------------------------
Init ==
    /\ global = [inc |-> 1, origin |-> 0, next |-> 0, floor |-> 0, grants |-> {}, acks |-> [dc \in Dcs |-> 1],
                dropped |-> FALSE, gens |-> <<[first |-> 1, base |-> 0]>>]
    /\ reserve = [h \in Homes |->
            [inc |-> IF Joined THEN 1 ELSE 0, next |-> 0, hi |-> 0, nlo |-> -1, nhi |-> -1, no |-> 0,
             free |-> {}, rows |-> {}]]
    /\ claimer = [c \in Claimers |-> Empty]
    /\ asked = {}
    /\ late = {}
    /\ left = [unknowns |-> Unknowns, crashes |-> Crashes, reseeds |-> Reseeds, advances |-> Advances, drops |-> Drops,
              losses |-> Losses]
    /\ issued = {}
    /\ wrong = {}
    /\ done = 0

Steps ==
    \/ \E c \in Claimers :
        \/ Claim(c) \/ Take(c) \/ Prove(c) \/ Issue(c) \/ Close(c) \/ GiveBack(c) \/ Forget(c) \/ Leftover(c)
        \/ Notice(c) \/ Crash(c) \/ Reopen(c)
    \/ \E h \in Homes : Join(h) \/ Adopt(h) \/ Grant(h) \/ Absorb(h) \/ Release(h) \/ Reclaim(h) \/ Lose(h)
    \/ \E dc \in Dcs : Ack(dc)
    \/ \E m \in late : Late(m)
    \/ Reseed
    \/ Drop
    \/ CreateAgain
    \/ Complete

Next ==
    \/ Steps /\ UNCHANGED asked
    \/ \E id \in Range(0, Space - 1) : RecallPast(id)
    \/ \E a \in asked : RaiseFloor(a)

Spec == Init /\ [][Next]_vars

(* Everybody does its part in the end. Nobody need claim, and no late statement need land. *)
Answers ==
    /\ \A c \in Claimers :
        /\ WF_vars(Prove(c) /\ UNCHANGED asked)
        /\ WF_vars(Notice(c) /\ UNCHANGED asked)
        /\ WF_vars(Forget(c) /\ UNCHANGED asked)
        /\ WF_vars(Leftover(c) /\ UNCHANGED asked)
    /\ \A h \in Homes :
        /\ WF_vars((Join(h) \/ Adopt(h)) /\ UNCHANGED asked)
        /\ WF_vars(Release(h) /\ UNCHANGED asked)
    /\ \A dc \in Dcs : WF_vars(Ack(dc) /\ UNCHANGED asked)
    /\ WF_vars(Complete /\ UNCHANGED asked)

FairSpec == Spec /\ Answers

-----------------------------------------------------------------------------
(* What must hold *)

NoIdTwice == "twice" \notin wrong
ProcessOrder == "order" \notin wrong
NothingRecalledIsIssued == "recalled" \notin wrong

Granted == UNION {Range(g.lo, g.hi) : g \in global.grants}

Remaining(b) == IF b = None THEN {} ELSE Range(b.lo, b.end)

(* Grants that their reserve will absorb yet. *)
Waiting(home) ==
    {g \in global.grants : g.home = home /\ g.inc = reserve[home].inc /\ g.no > reserve[home].no}

Blocks == {<<c, n>> : c \in Claimers, n \in 1 .. 2}
Block(k) == IF k[2] = 1 THEN claimer[k[1]].cur ELSE claimer[k[1]].nxt

InReserve(r) == Range(r.next, r.hi) \cup Range(r.nlo, r.nhi) \cup r.free

(* Where an ordinal may be from which it can still be issued. *)
Placed ==
    issued
    \cup UNION {InReserve(reserve[h]) : h \in Homes}
    \cup UNION {Remaining(Block(k)) : k \in Blocks}
    \cup UNION {UNION {Range(g.lo, g.hi) : g \in Waiting(h)} : h \in Homes}

RECURSIVE Sum(_, _)
Sum(Size(_), set) ==
    IF set = {} THEN 0 ELSE LET x == CHOOSE x \in set : TRUE IN Size(x) + Sum(Size, set \ {x})

SizeOf(b) == IF b = None THEN 0 ELSE b.end - b.lo
BlockSize(k) == SizeOf(Block(k))
ReserveSize(h) ==
    LET GrantSize(g) == g.hi - g.lo
        r == reserve[h]
    IN (r.hi - r.next) + (r.nhi - r.nlo) + Cardinality(r.free) + Sum(GrantSize, Waiting(h))

(* Each in one place: then the places together hold as many as they hold different ones. *)
OnePlaceEach ==
    Cardinality(Placed) = Cardinality(issued) + Sum(ReserveSize, Homes) + Sum(BlockSize, Blocks)

OnlyGranted == Placed \subseteq Granted

BelowNext == Granted \subseteq Range(0, global.next) /\ global.next <= Space

GrantsDisjoint ==
    \A g, h \in global.grants : g = h \/ g.hi <= h.lo \/ h.hi <= g.lo

(* Past its origin an incarnation has the space to itself. *)
OlderGrantsBelowOrigin ==
    \A g \in global.grants : g.inc < global.inc => g.hi <= global.origin

(* Nothing is lost unless something went wrong: granted = issued + held + reserve + free. *)
NothingLeaksByItself ==
    (/\ left.unknowns = Unknowns
     /\ left.crashes = Crashes
     /\ left.reseeds = Reseeds
     /\ left.advances = Advances
     /\ left.drops = Drops
     /\ left.losses = Losses)
    => Granted = Placed \cup UNION {UNION {Remaining(b) : b \in claimer[c].closing} : c \in Claimers}

FloorAtMostOrigin == global.floor <= global.origin

(* The global position never goes back, nor does an incarnation or the floor. *)
NeverBack ==
    [][/\ global'.next >= global.next
       /\ global'.inc >= global.inc
       /\ global'.floor >= global.floor
       /\ global.grants \subseteq global'.grants]_vars

(* A raise completes once everybody answers. *)
RaisesComplete == done < global.origin ~> done >= global.origin
=============================================================================
