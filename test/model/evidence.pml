/* A hint never decides: the stored frontier of a lane may be lost or be an older one at any time; the evidence of emission
 * says what was handed out. Every entry is handed out, and only once.
 *
 * Entries are in the order of the lane and lie in one of two slots each; one may become visible when others behind it are
 * gone already. A frontier is the set of entries that were dealt with (that window and position say so is shown in
 * frontier.pml). A claim takes up to two of the first that are left. It proves them by the newest evidence of each slot that
 * they come from: that must not be newer than the frontier, nor name a candidate. If it is, the frontier is rebuilt, and
 * each entry tested.
 *
 * Built in queue/lane_claim.cpp (LaneWalk), queue/ready_plane.cpp (contradicts, emitted), queue/claim_rows.cpp (one draw
 * for all ids of a claim, the frontier's behind those of the batches).
 *
 * Broken on purpose, each must be found:
 *   FIRST_ONLY       only the first candidate is proven
 *   FIRST_SLOT_ONLY  only the slot of the first candidate is looked at
 *   NEWEST_ONLY      the newest evidence is asked for the candidates, and not whether it is newer than the frontier
 *   REBUILD_TRUSTS   a rebuilt frontier does not test the entries
 * Shown to happen: REACH_STALE, a frontier that is not the newest is met and found out.
 */
#define ENTRIES 4
#define CLAIMS 4
#define ALL (BIT(ENTRIES) - 1)
#define BIT(x) (1 << (x))
#define HAS(set, x) ((set & BIT(x)) != 0)

#ifdef FIRST_ONLY
#define PROVEN(x) (x == first)
#else
#define PROVEN(x) true
#endif
#ifdef FIRST_SLOT_ONLY
#define LOOKED_AT(s) (s == slot_of[first])
#else
#define LOOKED_AT(s) true
#endif
#ifdef NEWEST_ONLY
#define NEWER(s) false
#else
#define NEWER(s) (newest[s] > known)
#endif
#ifdef REBUILD_TRUSTS
#define SPENT(x) false
#else
#define SPENT(x) HAS(emitted[slot_of[x]], x)
#endif

byte slot_of[ENTRIES];
byte newest[2];         /* id of the newest evidence of a slot */
byte newest_set[2];     /* the entries it names */
byte emitted[2];        /* the entries that any evidence names */
byte next_id = 1;
byte taken[ENTRIES];

byte visible = 0;
/* frontiers as they were stored, the newest last */
byte stored = 0;
byte dealt_of[CLAIMS + ENTRIES + 1], id_of[CLAIMS + ENTRIES + 1];
bool recheck_of[CLAIMS + ENTRIES + 1];

inline rebuild() { dealt = 0; recheck = (emitted[0] | emitted[1]) != 0 }

inline read() {
    x = 0; count = 0; candidates = 0; behind = dealt;
    do
    :: x < ENTRIES && count < most ->
        if
        :: HAS(visible, x) && !HAS(dealt, x) ->
            if
            :: recheck && SPENT(x)
            :: else ->
                if :: count == 0 -> first = x :: else fi;
                candidates = candidates | BIT(x); count++
            fi;
            behind = behind | BIT(x)
        :: else
        fi;
        x++
    :: else -> break
    od
}

inline prove() {
    stale = false; s = 0;
    do
    :: s < 2 ->
        x = 0; from_slot = false; named = false;
        do
        :: x < ENTRIES ->
            if
            :: HAS(candidates, x) && slot_of[x] == s && PROVEN(x) -> from_slot = true; named = named || HAS(newest_set[s], x)
            :: else
            fi;
            x++
        :: else -> break
        od;
        if :: from_slot && LOOKED_AT(s) && (NEWER(s) || named) -> stale = true :: else fi;
        s++
    :: else -> break
    od
}

inline emit() {
    x = 0; s = 0;
    do
    :: s < 2 ->
        set = 0; x = 0;
        do
        :: x < ENTRIES ->
            if
            :: HAS(candidates, x) && slot_of[x] == s -> set = set | BIT(x); taken[x]++; assert(taken[x] == 1)
            :: else
            fi;
            x++
        :: else -> break
        od;
        if :: set != 0 -> newest[s] = next_id; next_id++; newest_set[s] = set; emitted[s] = emitted[s] | set :: else fi;
        s++
    :: else -> break
    od;
    known = next_id; next_id++; /* behind those of the batches */
    stored++;
    dealt_of[stored] = behind; id_of[stored] = known; recheck_of[stored] = recheck
}

/* A claim that may commit or roll back; which frontier it meets is anybody's guess. */
inline claim(use) {
    most = (most == 1 -> 2 : 1);
    if
    :: use == 0 -> known = 0; rebuild()
    :: else -> dealt = dealt_of[use]; known = id_of[use]; recheck = recheck_of[use]
    fi;
    read();
    if
    :: count != 0 && !recheck ->
        prove();
        if
        :: stale ->
#ifdef REACH_STALE
            assert(false);
#endif
            rebuild(); read()
        :: else
        fi
    :: else
    fi;
    if
    :: count != 0 -> if :: emit() :: !last -> next_id++ /* rolled back: the ids are used up */ fi
    :: else
    fi
}

init {
    byte x, s, most, count, candidates, first, behind, set, dealt, known, use, n;
    bool recheck, stale, from_slot, named, last;
    for (n : 0 .. (ENTRIES - 1)) { if :: slot_of[n] = 0 :: slot_of[n] = 1 fi };
    if :: most = 1 :: most = 2 fi;
    for (n : 1 .. CLAIMS) {
        do :: visible != ALL -> if :: !HAS(visible, 0) -> visible = visible | BIT(0) :: !HAS(visible, 1) -> visible = visible | BIT(1)
                                 :: !HAS(visible, 2) -> visible = visible | BIT(2) :: !HAS(visible, 3) -> visible = visible | BIT(3) fi
           :: break od;
        use = stored;
        do :: use > 0 -> use-- :: break od; /* the newest, any older one, or none */
        claim(use)
    }
    /* At last with the newest, until nothing is left. */
    visible = ALL; last = true;
    for (n : 1 .. ENTRIES) { use = stored; claim(use) }
    for (n : 0 .. (ENTRIES - 1)) { assert(taken[n] == 1) }
}
