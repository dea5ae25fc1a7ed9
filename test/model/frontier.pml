/* The frontier of a lane: producers, rotation with seals, carry, prune and claims on one lane of a ring of three slots.
 * Every entry whose transaction committed is handed out, and only once. (over 400 lines because a model is one whole)
 *
 * An entry is known by the transaction that wrote it: each producer writes one. A snapshot is the set of transactions
 * that had ended, and the next id (window.hpp keeps the same as xmin, xmax and who was running). What is one step here
 * and several in the code is so because locks that are held in between keep all others from seeing the difference.
 * A claim that rolls back changes nothing, and is left out; so are the ids that claims and maintenance use up.
 *
 * What is modelled                                  is built in
 *   write_current                                   ring/generation.cpp  open_current
 *   rotate                                          ring/rotation.cpp    rotate, seal_unsealed, turn_to
 *   prune                                           ring/prune.cpp       drain, empty
 *   claim                                           queue/lane_claim.cpp LaneWalk; core/window.cpp
 *   carry                                           not built yet: queue-engine.md 7, "make room"
 *
 * Sizes: PRODUCERS, ROTATIONS, KEEPS (a carry or a prune each), CLAIMS (beside all that). ABORTS: producers and
 * rotations may roll back. CLAIM_AT_ONCE: a claim is one step, for larger sizes. RESET: the frontier is dropped once, at any moment, and rebuilt by the next claim.
 *
 * Broken on purpose, each must be found:
 *   STALE_SEAL            prune leaves the seal, and a slot is opened with one
 *   EARLY_SEAL            the seal is read before the generation is written
 *   NO_SECOND_LOOK        a producer does not read the generation again once it has the lock
 *   SNAPSHOT_FIRST        a claim takes its snapshot before it has the lane
 *   FORGET_RUNNING        a window begins at done's next id: what was running then is forgotten
 *   DONE_IS_NOW           an exhausted window is closed with the snapshot of now
 *   CARRY_WITHOUT_LANE    carry does not lock the lane
 *   REBUILD_TRUSTS        a rebuilt window is not tested against the evidence of emission (with RESET)
 * Shown to happen: REACH_WRAP, three rotations that turn, so that a slot is used again; REACH_CARRY, an entry is carried.
 */
#ifndef PRODUCERS
#define PRODUCERS 3
#endif
#ifndef ROTATIONS
#define ROTATIONS 3
#endif
#ifndef KEEPS
#define KEEPS 3
#endif
#ifndef CLAIMS
#define CLAIMS 1
#endif
#define SLOTS 3
#define XIDS (PRODUCERS + 1)
#define BIT(x) (1 << (x))
#define HAS(set, x) ((set & BIT(x)) != 0)
#define CURRENT (generation % SLOTS)
#ifdef STALE_SEAL
#define MAY_OPEN(s) true
#define SEAL_OF_EMPTIED(s) seal[s]
#else
#define SEAL_OF_EMPTIED(s) 0
#define MAY_OPEN(s) (seal[s] == 0)
#endif
#ifdef CARRY_WITHOUT_LANE
#define LANE_FOR_CARRY true
#define UNLANE_FOR_CARRY skip
#else
#define LANE_FOR_CARRY !lane -> lane = true
#define UNLANE_FOR_CARRY lane = false
#endif
#ifdef REACH_CARRY
#define MAY_BE_CARRIED false
#else
#define MAY_BE_CARRIED true
#endif
#ifdef FORGET_RUNNING
#define SEEN_BY_DONE(x) (x < w_done_next)
#else
#define SEEN_BY_DONE(x) (x < w_done_next && HAS(w_done, x))
#endif
#ifdef EARLY_SEAL
#define SEAL_LATE false
#else
#define SEAL_LATE true
#endif
#ifdef NO_SECOND_LOOK
#define SECOND_LOOK false
#else
#define SECOND_LOOK true
#endif
#ifdef REBUILD_TRUSTS
#define RECHECKED false
#else
#define RECHECKED w_recheck
#endif

byte generation = 0;
byte next_xid = 1;
byte ended = 0;          /* transactions that committed or rolled back */
byte committed = 0;

/* of each slot */
byte rows[SLOTS];        /* entries that take up room: in progress and rolled back ones as well */
byte visible[SLOTS];     /* entries that are committed in it */
byte tombs[SLOTS];       /* of these, those that were carried away */
byte emitted[SLOTS];     /* of these, those that a claim has handed out */
byte seal[SLOTS];        /* 0 = none */
bool drained[SLOTS];
byte writers[SLOTS];     /* transactions that hold its leaf ROW EXCLUSIVE */

bool lane = false;       /* lane lock */
bool ring = false;       /* ring state lock */

/* the stored frontier */
bool stored = true;
bool exhausted = true;
byte done = 0, done_next = 1, cur = 0, cur_next = 1, at = 0;
bool recheck = false;

byte taken[XIDS];        /* how often each entry was handed out */

/* Writes entry x into the slot that is current, and keeps its leaf locked. One step for lock, second look and row: a lock
 * that the second look gives back at once keeps nobody from anything. */
inline write_current(g, x) {
    g = generation;
    do
    :: atomic {
        if
        :: generation == g || !SECOND_LOOK ->
            writers[g % SLOTS]++;
            rows[g % SLOTS] = rows[g % SLOTS] | BIT(x);
            break
        :: else -> g = generation
        fi
       }
    od
}

/* Producers are all alike: the first takes the first id. */
proctype Producer(byte x) {
    byte g;
    d_step { next_xid == x -> next_xid++ };
    write_current(g, x);
    atomic {
        if
        :: committed = committed | BIT(x); visible[g % SLOTS] = visible[g % SLOTS] | BIT(x)
#ifdef ABORTS
        :: true
#endif
        fi;
        ended = ended | BIT(x);
        writers[g % SLOTS]--
    }
}

/* Slots that are not current, hold something and have no seal may hold anything; they are sealed now. Then the next slot
 * on that is empty, unsealed and free of writers is opened; then the one we turned away from is sealed. */
inline begin_rotation() {
    !ring -> ring = true; at_work = true;
    from = CURRENT; s = 0;
    do
    :: s < SLOTS && rows[from] != 0 ->
        if :: s != from && rows[s] != 0 && seal[s] == 0 -> unsealed = unsealed | BIT(s) :: else fi;
        s++
    :: else -> break
    od;
    seal_of_unsealed = (unsealed != 0 -> next_xid : 0);
    early_seal = (SEAL_LATE -> 0 : next_xid)
}

inline turn() {
    s = 1;
    do
    :: s < SLOTS && !turned && rows[from] != 0 ->
        to = (from + s) % SLOTS;
        if
        :: writers[to] == 0 && rows[to] == 0 && MAY_OPEN(to) -> generation = generation + s; turned = true
        :: else -> s++
        fi
    :: else -> break
    od;
    /* Read at once after the generation was written: the least that it can be. */
    seal_of_from = (SEAL_LATE -> next_xid : early_seal)
}

inline end_rotation() {
    if
    :: s = 0;
       do
       :: s < SLOTS -> if :: HAS(unsealed, s) -> seal[s] = seal_of_unsealed :: else fi; s++
       :: else -> break
       od;
       if :: turned -> seal[from] = seal_of_from; drained[to] = false :: else fi
#ifdef ABORTS
    :: turned -> skip /* rolled back: the generation stays, the seals do not */
#endif
    fi;
    s = 0; from = 0; to = 0; unsealed = 0; seal_of_unsealed = 0; seal_of_from = 0; early_seal = 0; turned = false;
    at_work = false; ring = false
}

/* Steps between which nobody could see a difference are one. */
inline rotate() {
    atomic {
        begin_rotation();
        if :: unsealed == 0 && SEAL_LATE -> turn() :: else -> to_turn = true fi;
        if :: !to_turn && !turned -> end_rotation() :: else fi
    }
    if :: to_turn -> atomic { turn(); to_turn = false } :: else fi;
    if :: at_work -> atomic { end_rotation() } :: else fi
}

proctype Rotator() {
    byte n, s, from, to, unsealed, seal_of_unsealed, seal_of_from, early_seal;
    bool turned, to_turn, at_work;
    for (n : 1 .. ROTATIONS) { rotate() }
}

/* An unspent entry of a slot that is not current goes to the current one, under the same transaction id. */
inline carry() {
    atomic {
        LANE_FOR_CARRY;
        s = 0;
        do
        :: s < SLOTS && x == 0 ->
            y = 1;
            do
            :: y < XIDS && x == 0 ->
                if
                :: s != CURRENT && HAS(visible[s], y) && !HAS(tombs[s], y) && !HAS(emitted[s], y) -> x = y; origin = s
                :: else
                fi;
                y++
            :: else -> break
            od;
            s++
        :: else -> break
        od;
        y = 0; s = 0;
        if :: x == 0 -> UNLANE_FOR_CARRY :: else fi
    }
    if
    :: x != 0 ->
        write_current(g, x);
        atomic {
            if
            :: g % SLOTS != origin && !HAS(visible[g % SLOTS], x) ->
                visible[g % SLOTS] = visible[g % SLOTS] | BIT(x); tombs[origin] = tombs[origin] | BIT(x);
                assert(MAY_BE_CARRIED)
            :: else
            fi;
            writers[g % SLOTS]--;
            x = 0; g = 0; origin = 0;
            UNLANE_FOR_CARRY
        }
    :: else
    fi
}

inline prove(s) {
    proven = !ring && s != CURRENT && writers[s] == 0 && rows[s] != 0 && (visible[s] & ~tombs[s] & ~emitted[s]) == 0
}

/* Proven, marked as drained in a transaction of its own, proven again, emptied. Readers are left out: a claim that has
 * looked and not yet read is in the model; one that keeps a slot while it reads only delays this. */
inline prune() {
    atomic {
        if :: s = 0 :: s = 1 :: s = 2 fi;
        prove(s);
        if :: proven -> drained[s] = true :: else -> s = 0 fi
    }
    if
    :: proven ->
        atomic {
            prove(s);
            if
            :: proven ->
                rows[s] = 0; visible[s] = 0; tombs[s] = 0; emitted[s] = 0; drained[s] = false;
                seal[s] = SEAL_OF_EMPTIED(s)
            :: else
            fi;
            s = 0; proven = false
        }
    :: else
    fi
}

proctype Keeper() {
    byte n, s, x, y, g, origin;
    bool proven;
    for (n : 1 .. KEEPS) {
        if :: carry() :: prune() fi
    }
}

/* What a claim sees, all at one moment. */
inline look() {
    l_ended = ended; l_next = next_xid; s = 0;
    do
    :: s < SLOTS -> l_visible[s] = visible[s]; l_tombs[s] = tombs[s]; l_seal[s] = seal[s]; l_drained[s] = drained[s]; s++
    :: else -> break
    od;
    /* the stored frontier, or a rebuilt one: nothing is done, all that is seen now is to be looked at again */
    w_exhausted = exhausted && stored; w_recheck = recheck || !stored;
    w_done = (stored -> done : 0); w_done_next = (stored -> done_next : 1);
    w_cur = (stored -> cur : l_ended); w_cur_next = (stored -> cur_next : l_next);
    w_at = (stored -> at : 0);
    is_latest = !stored
}

/* The first entry of the window behind `at`, in the slots that may hold any. */
inline find() {
    xmin = 1;
    do :: xmin < w_done_next && HAS(w_done, xmin) -> xmin++ :: else -> break od;
    found = 0; y = w_at + 1;
    do
    :: y < XIDS && found == 0 ->
        if
        :: y < w_cur_next && HAS(w_cur, y) && !SEEN_BY_DONE(y) ->
            s = 0;
            do
            :: s < SLOTS && found == 0 ->
                if
                :: !l_drained[s] && !(l_seal[s] != 0 && xmin >= l_seal[s]) && HAS(l_visible[s], y) && HAS(rows[s], y) &&
                   !HAS(l_tombs[s], y) && !(RECHECKED && HAS(emitted[s], y)) -> found = y; found_in = s
                :: else
                fi;
                s++
            :: else -> break
            od
        :: else
        fi;
        y++
    :: else -> break
    od
}

inline open_window() { w_exhausted = false; w_recheck = false; w_cur = l_ended; w_cur_next = l_next; w_at = 0; is_latest = true }
inline close_window() {
    w_exhausted = true; w_done = w_cur; w_done_next = w_cur_next; w_recheck = false; w_cur = 0; w_cur_next = 1; w_at = 0;
#ifdef DONE_IS_NOW
    w_done = l_ended; w_done_next = l_next;
#endif
}

/* Read, prove, write, commit: the lane is locked, nobody can tell these apart. */
inline take() {
    if :: w_exhausted -> open_window() :: else fi;
    find();
    if
    :: found == 0 ->
        close_window();
        if :: !is_latest -> open_window(); find() :: else fi
    :: else
    fi;
    if
    :: found != 0 ->
        taken[found]++;
        assert(taken[found] == 1);
        emitted[found_in] = emitted[found_in] | BIT(found);
        stored = true; exhausted = false; recheck = w_recheck;
        done = w_done; done_next = w_done_next; cur = w_cur; cur_next = w_cur_next; at = found
    :: else ->
        if
        :: true /* writes nothing: the next claim finds out again */
        :: /* many were passed over, or rolled back: it stores how far it came */
           if :: !w_exhausted -> close_window() :: else fi;
           stored = true; exhausted = true; recheck = false;
           done = w_done; done_next = w_done_next; cur = w_cur; cur_next = w_cur_next; at = 0
        fi
    fi;
    y = 0; found = 0; found_in = 0; xmin = 0; w_at = 0; w_done = 0; w_cur = 0; w_done_next = 0; w_cur_next = 0;
    w_exhausted = false; w_recheck = false; is_latest = false; l_ended = 0; l_next = 0; s = 0;
    do
    :: s < SLOTS -> l_visible[s] = 0; l_tombs[s] = 0; l_seal[s] = 0; l_drained[s] = false; s++
    :: else -> break
    od;
    s = 0; lane = false
}

inline claim() {
#ifdef SNAPSHOT_FIRST
    atomic { look() };
    atomic { !lane -> lane = true };
    atomic { take() }
#else
#ifdef CLAIM_AT_ONCE
    atomic { !lane -> lane = true; look(); take() }
#else
    atomic { !lane -> lane = true; look() };
    atomic { take() }
#endif
#endif
}

proctype Claimer(byte claims) {
    byte s, y, l_ended, l_next, l_visible[SLOTS], l_tombs[SLOTS], l_seal[SLOTS];
    bool l_drained[SLOTS], w_exhausted, w_recheck, is_latest;
    byte w_done, w_done_next, w_cur, w_cur_next, w_at, xmin, found, found_in;
    byte n;
    for (n : 1 .. claims) { claim() }
}

#ifdef RESET
proctype Reset() { d_step { stored = false; exhausted = true; done = 0; done_next = 1; cur = 0; cur_next = 1; at = 0; recheck = false } }
#endif

init {
    byte n;
    atomic {
        for (n : 1 .. PRODUCERS) { run Producer(n) }
        run Rotator(); run Keeper(); run Claimer(CLAIMS);
#ifdef RESET
        run Reset()
#endif
    }
    (_nr_pr == 1);
    run Claimer(PRODUCERS + 2);
    (_nr_pr == 1);
    for (n : 1 .. PRODUCERS) { assert(HAS(committed, n) == (taken[n] == 1)) }
#ifdef REACH_WRAP
    assert(generation < ROTATIONS)
#endif
}
