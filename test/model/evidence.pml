/* A hint never decides: the stored frontier of a lane may be lost or be an older one at any time; the evidence of emission
 * says what was handed out. Every entry is handed out, and only once.
 *
 * Entries are in the order of the lane and lie in one of two slots each; one may become visible when others behind it are
 * gone already. A frontier is the set of entries that were dealt with (that window and position say so is shown in
 * frontier.pml). A claim takes one or two of the first that are left. A frontier may be used if no slot that still has an
 * entry for it holds evidence that is newer; else it is rebuilt, and each entry tested. Slots all of whose entries were
 * dealt with are not looked at: the seal says which.
 *
 * Built in queue/lane_claim.cpp (LaneWalk), queue/ready_plane.cpp (has_later_evidence, emitted), queue/claim_rows.cpp (one
 * draw for all ids of a claim, the frontier's behind those of the batches).
 *
 * Broken on purpose, each must be found:
 *   CANDIDATES_ONLY  only the slots that the candidates come from are looked at: an old frontier that goes on beside the
 *                    newer evidence is stored under a new id, and then passes for one that knows it
 *   FIRST_ONLY       only the slot of the first candidate is looked at
 *   NEWEST_ONLY      the newest evidence is asked for the candidates, and not whether it is newer than the frontier
 *   NO_PROOF         the frontier is believed
 *   REBUILD_TRUSTS   a rebuilt frontier does not test the entries
 * Shown to happen: REACH_STALE, a frontier that is not the newest is met and found out.
 */
#define ENTRIES 4
#define CLAIMS 4
#define ALL (BIT(ENTRIES) - 1)
#define BIT(x) (1 << (x))
#define HAS(set, x) ((set & BIT(x)) != 0)

#if defined(NO_PROOF)
#define DENIED(s) false
#elif defined(NEWEST_ONLY)
#define DENIED(s) ((newest_set[s] & candidates) != 0)
#elif defined(FIRST_ONLY)
#define DENIED(s) (slot_of[first] == s && newest[s] > known)
#elif defined(CANDIDATES_ONLY)
#define DENIED(s) (((members[s] & candidates) != 0 && newest[s] > known) || (newest_set[s] & candidates) != 0)
#else
#define DENIED(s) ((members[s] & ~dealt) != 0 && newest[s] > known)
#endif
#ifdef REBUILD_TRUSTS
#define SPENT(x) false
#else
#define SPENT(x) HAS(emitted[slot_of[x]], x)
#endif

byte slot_of[ENTRIES];
byte members[2];        /* the entries of a slot, visible or not */
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

inline prove() { stale = DENIED(0) || DENIED(1) }

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
    if
    :: use == 0 -> known = 0; rebuild()
    :: else -> dealt = dealt_of[use]; known = id_of[use]; recheck = recheck_of[use]
    fi;
    read();
    if
    :: count != 0 && use != 0 ->
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
    bool recheck, stale, last;
    for (n : 0 .. (ENTRIES - 1)) {
        if :: slot_of[n] = 0 :: slot_of[n] = 1 fi;
        members[slot_of[n]] = members[slot_of[n]] | BIT(n)
    }
    for (n : 1 .. (CLAIMS + ENTRIES)) {
        atomic {
            if
            :: n > CLAIMS -> /* at last all is visible, and the newest frontier is met, until nothing is left */
                visible = ALL; last = true; use = stored
            :: else ->
                x = 0;
                do
                :: x < ENTRIES -> if :: visible = visible | BIT(x) :: true fi; x++
                :: else -> break
                od;
                use = stored;
                do :: use > 0 -> use-- :: break od /* the newest, any older one, or none */
            fi;
            if :: most = 1 :: most = 2 fi;
            claim(use);
            x = 0; s = 0; most = 0; count = 0; candidates = 0; first = 0; behind = 0; set = 0; dealt = 0; known = 0; use = 0;
            recheck = false; stale = false
        }
    }
    for (n : 0 .. (ENTRIES - 1)) { assert(taken[n] == 1) }
}
