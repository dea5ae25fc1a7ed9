/* The proofs of prune, and slots that are used again: no open attempt and no waiting job is ever emptied away, no attempt is
 * ended twice, and a handle from before a slot was emptied opens nothing in what is there now.
 *
 * Two claim slots; one queue slot that is not current, with the entries of JOBS jobs. Job and receipt have one number:
 * each job is claimed once. Rows of the claim plane are known by it. A slot's ROW EXCLUSIVE holders are counted; prune's
 * SHARE is a flag that keeps them out; what needs ACCESS EXCLUSIVE waits for all of them.
 *
 * What is modelled       is built in
 *   Claimer              queue/claim_rows.cpp write_claim, ring/generation.cpp open_current; under the lane lock
 *   Completer            receipt/completion.cpp, completion_rows.cpp
 *   Rotator              ring/rotation.cpp for the claim ring
 *   PruneClaims          ring/prune.cpp empty, ring/proofs.cpp claim_proof
 *   PruneQueue           ring/prune.cpp drain and empty, ring/proofs.cpp queue_proof
 *
 * DOUBLED: a closure that was written twice, by damage: its slot may not be emptied, nor hide an open receipt.
 *
 * Broken on purpose, each must be found:
 *   FIRST_PROOF      the proof from before the writers were kept out is believed
 *   NO_SHARE         writers are not kept out while the slot is proven
 *   SUMS_ONLY        the claim proof compares numbers and not sets (with DOUBLED)
 *   SETS_ONLY        the claim proof compares sets and not numbers (with DOUBLED)
 *   ENTRIES_ONLY     the queue proof does not ask for claims that refer to the slot
 *   LOOK_FIRST       a completion takes its snapshot before its key
 *   SLOT_IS_ENOUGH   a completion believes the slot of its handle: what is there must be its claim
 * Shown to happen: REACH_REUSE, a claim slot is used a second time.
 */
#ifndef JOBS
#define JOBS 3
#endif
#ifndef ROTATIONS
#define ROTATIONS 2
#endif
#ifndef PRUNES
#define PRUNES 2
#endif
#define SLOTS 2
#define BIT(x) (1 << (x))
#define HAS(set, x) ((set & BIT(x)) != 0)
#define CURRENT (generation % SLOTS)
#define ALL (BIT(JOBS) - 1)
#ifdef SLOT_IS_ENOUGH
#define BELIEVED(s) (claims[s] != 0)
#else
#define BELIEVED(s) false
#endif
#ifdef SUMS_ONLY
#define SETS_AGREE(s) true
#else
#define SETS_AGREE(s) (claims[s] == closures[s])
#endif
#ifdef SETS_ONLY
#define SUMS_AGREE true
#else
#define SUMS_AGREE (n_claims == n_closures + n_doubled)
#endif
#ifdef ENTRIES_ONLY
#define NO_OPEN_CLAIM true
#else
#define NO_OPEN_CLAIM ((claims[0] & ~closures[0]) == 0 && (claims[1] & ~closures[1]) == 0)
#endif
#ifdef NO_SHARE
#define KEPT_OUT(s) true
#define SHARE_HELD false
#else
#define KEPT_OUT(s) (writers[s] == 0)
#define SHARE_HELD true
#endif
#ifdef FIRST_PROOF
#define PROOF_HOLDS(s) true
#else
#define PROOF_HOLDS(s) (SETS_AGREE(s) && SUMS_AGREE)
#endif

byte generation = 0;

/* of each claim slot */
byte rows[SLOTS];       /* what takes up room, whoever wrote it and however that ended */
byte claims[SLOTS];     /* committed claims */
byte closures[SLOTS];   /* of these, the closed ones */
byte doubled[SLOTS];    /* of these, those with two closures */
byte writers[SLOTS];
bool share[SLOTS];

/* of the queue slot */
byte entries = ALL;
byte emitted = 0;       /* committed emissions */
byte completed = 0;     /* committed history */
byte queue_writers = 0;
bool queue_share = false;

bool key[JOBS];         /* attempt keys */
byte handle[JOBS];      /* slot + 1 of a committed claim: what a worker carries */
byte ended[JOBS];       /* how often a completion was accepted */

#ifdef REACH_REUSE
#define UNUSED(g) (g < SLOTS)
#else
#define UNUSED(g) true
#endif

proctype Claimer() {
    byte j, g;
    for (j : 0 .. (JOBS - 1)) {
        if
        :: true ->
            g = generation;
            do
            :: atomic {
                !share[g % SLOTS];
                if
                :: generation == g -> writers[g % SLOTS]++; rows[g % SLOTS] = rows[g % SLOTS] | BIT(j); break
                :: else -> g = generation
                fi
               }
            od;
            /* The entry waits, and its lane is ours: its slot is still there. */
            atomic { !queue_share -> assert(HAS(entries, j)); queue_writers++ };
            atomic {
                if
                :: assert(UNUSED(g)); claims[g % SLOTS] = claims[g % SLOTS] | BIT(j); emitted = emitted | BIT(j); handle[j] = g % SLOTS + 1
                :: true /* rolled back */
                fi;
                writers[g % SLOTS]--; queue_writers--
            }
        :: true
        fi
    }
}

inline look() {
    seen = (HAS(claims[s], j) || BELIEVED(s)) && !HAS(closures[s], j)
}

/* Two of them try to complete each job. */
proctype Completer(byte j) {
    byte s;
    bool seen;
end_never_claimed:
    atomic { handle[j] != 0 -> s = handle[j] - 1 };
#ifdef LOOK_FIRST
    atomic { look() };
#endif
    atomic { !key[j] -> key[j] = true };
    atomic {
        !share[s] -> writers[s]++;
#ifndef LOOK_FIRST
        look()
#endif
    }
    if
    :: seen ->
        d_step { rows[s] = rows[s] | BIT(j) };
        atomic { !queue_share -> queue_writers++ };
        atomic {
            assert(HAS(entries, j)); /* the body of the job is read from there for ever after */
            if
            :: ended[j]++; assert(ended[j] == 1); closures[s] = closures[s] | BIT(j); completed = completed | BIT(j)
            :: true /* rolled back */
            fi;
            queue_writers--
        }
    :: else
    fi;
    d_step { writers[s]--; key[j] = false }
}

inline count(set, n) {
    n = 0; i = 0;
    do :: i < JOBS -> if :: HAS(set, i) -> n++ :: else fi; i++ :: else -> break od;
    i = 0
}

inline prove_claims(s) {
    count(claims[s], n_claims); count(closures[s], n_closures); count(doubled[s], n_doubled);
    first = SETS_AGREE(s) && SUMS_AGREE;
    proven = PROOF_HOLDS(s);
    n_claims = 0; n_closures = 0; n_doubled = 0
}

/* One process turns the claim ring, empties claim slots and the queue slot, in any order: ring state and slot rows keep
 * two of them from being at work at once. */
proctype Rotator() {
    byte n;
    for (n : 1 .. ROTATIONS) {
        /* the other slot is locked, empty, and opened */
        atomic {
            if
            :: rows[CURRENT] != 0 && rows[(generation + 1) % SLOTS] == 0 && writers[(generation + 1) % SLOTS] == 0 &&
               !share[(generation + 1) % SLOTS] -> generation++
            :: else
            fi
        }
    }
}

proctype PruneClaims() {
    byte n, s, i, n_claims, n_closures, n_doubled;
    bool first, proven;
    for (n : 1 .. PRUNES) {
        atomic {
            s = (generation + 1) % SLOTS;
            if :: rows[s] != 0 -> prove_claims(s) :: else fi
        }
        if
        :: first ->
            atomic {
                proven = false;
                if :: s != CURRENT && KEPT_OUT(s) -> share[s] = SHARE_HELD; prove_claims(s) :: else fi;
                first = false
            }
            atomic {
                if
                :: proven && s != CURRENT && writers[s] == 0 -> /* ACCESS EXCLUSIVE: of all leaves, or of none */
                    assert(claims[s] == closures[s]);
                    assert(doubled[s] == 0);
                    rows[s] = 0; claims[s] = 0; closures[s] = 0
                :: true /* not to be had in time, or rolled back */
                fi;
                share[s] = false; proven = false; s = 0
            }
        :: else
        fi
    }
}

proctype PruneQueue() {
    byte n;
    bool proven;
    for (n : 1 .. PRUNES) {
        atomic {
            if
            :: queue_writers == 0 && entries != 0 -> queue_share = true; proven = (entries & ~emitted) == 0 && NO_OPEN_CLAIM
            :: else
            fi
        }
        atomic {
            if
            :: proven && queue_writers == 0 ->
                assert(emitted == ALL && completed == ALL);
                entries = 0
            :: true
            fi;
            queue_share = false; proven = false
        }
    }
}

#ifdef DOUBLED
proctype Damage() {
    byte s;
    atomic {
        if :: s = 0 :: s = 1 fi;
        if
        :: HAS(closures[s], 0) && !share[s] -> doubled[s] = doubled[s] | BIT(0)
        :: else
        fi
    }
}
#endif

init {
    byte j;
    atomic {
        run Claimer(); run Rotator(); run PruneClaims(); run PruneQueue();
        for (j : 0 .. (JOBS - 1)) {
            run Completer(j);
            if :: j == 0 -> run Completer(j) :: else fi
        }
#ifdef DOUBLED
        run Damage()
#endif
    }
}
