/* Attempt keys: whoever works on a receipt works on it alone, whichever keys it took; and nobody waits in a circle.
 *
 * Receipts 0 and 1 are of batch 0, receipt 2 of batch 1, both of stripe 0; receipt 3 is of batch 2, of stripe 1. Each call
 * picks some receipts, and one of the plans of core/key_plan.cpp, one after the other as receipt/attempt_keys.cpp tries
 * them. Which plan a call prefers is a matter of numbers there, and free here.
 *   coarse   the stripes, exclusive
 *   fine     stripes shared; batches of many receipts (here: two) exclusive, others shared with each receipt exclusive
 *   finest   stripes and batches shared, each receipt exclusive
 * Keys are taken in the order of level and number. Coarse keys in exclusive mode are only tried: a call that does not get
 * one gives back all that it took, and goes on to the next plan. Who tries for stripes queues for a key of its own. Keys
 * last until the end of the transaction. A transaction may claim first (it holds a lane and then takes keys) or last (it
 * holds keys and only tries the lane). That every wait ends with a time limit is left out: a circle is one even so.
 *
 * Sizes: CALLS; RECEIPTS, the first so many; LANES: transactions that claim as well.
 *
 * Broken on purpose, each must be found:
 *   SINGLE_RECEIPT   a call for one receipt of a batch takes that receipt's key only
 *   NO_STRIPE        fine plans take no stripes
 *   NO_BATCH         receipts are locked without their batch
 *   UNORDERED        keys are taken in any order of their numbers
 *   LANE_LAST_WAITS  who holds keys waits for a lane (with LANES)
 */
#ifndef CALLS
#define CALLS 3
#endif
#ifndef RECEIPTS
#define RECEIPTS 4
#endif
#define KEYS 9       /* 0, 1: stripes; 2, 3, 4: batches; 5..8: receipts */
#define BIT(x) (1 << (x))
#define HAS(set, x) ((set & BIT(x)) != 0)
#define NONE 0
#define SHARED 1
#define ALONE 2
#define STRIPE_OF(r) (r == 3 -> 1 : 0)
#define BATCH_OF(r) (r < 2 -> 2 : r + 1)

#ifdef NO_STRIPE
#define STRIPE_MODE NONE
#else
#define STRIPE_MODE SHARED
#endif
#ifdef NO_BATCH
#define BATCH_MODE NONE
#else
#define BATCH_MODE SHARED
#endif
#ifdef SINGLE_RECEIPT
#define IS_SINGLE(r) (r >= 2 || (wanted & 3) != 3)
#else
#define IS_SINGLE(r) false
#endif
#ifdef UNORDERED
#define KEY(i) (backwards -> KEYS - 1 - i : i)
#else
#define KEY(i) (i)
#endif
#ifdef LANE_LAST_WAITS
#define LANE_IS_TRIED false
#else
#define LANE_IS_TRIED true
#endif

byte shared[KEYS];   /* how many hold it shared */
bool alone[KEYS];
bool turn, lane;
byte busy[4];        /* how many work on a receipt */

/* mode[k] for the plan */
inline make_plan() {
    k = 0;
    do :: k < KEYS -> mode[k] = NONE; k++ :: else -> break od;
    r = 0;
    do
    :: r < 4 ->
        if
        :: HAS(wanted, r) && plan == 0 -> mode[STRIPE_OF(r)] = ALONE
        :: HAS(wanted, r) && plan != 0 && IS_SINGLE(r) -> mode[5 + r] = ALONE
        :: HAS(wanted, r) && plan != 0 && !IS_SINGLE(r) ->
            mode[STRIPE_OF(r)] = STRIPE_MODE;
            if
            :: plan == 1 && r < 2 && (wanted & 3) == 3 -> mode[BATCH_OF(r)] = ALONE
            :: else -> mode[BATCH_OF(r)] = BATCH_MODE; mode[5 + r] = ALONE
            fi
        :: else
        fi;
        r++
    :: else -> break
    od;
    r = 0; k = 0
}

inline give_back() {
    k = 0;
    do
    :: k < KEYS ->
        if :: held[k] == SHARED -> shared[k]-- :: held[k] == ALONE -> alone[k] = false :: else fi;
        held[k] = NONE; k++
    :: else -> break
    od;
    k = 0
}

/* Takes the next key of the plan; no more keys: i == KEYS. A wait is a step that is not there yet. */
inline take_next() {
    atomic {
        do
        :: i < KEYS && (mode[KEY(i)] == NONE || held[KEY(i)] >= mode[KEY(i)]) -> i++
        :: else -> break
        od;
        if
        :: i < KEYS ->
            k = KEY(i);
            if
            :: mode[k] == SHARED -> !alone[k] -> shared[k]++; held[k] = SHARED
            :: mode[k] == ALONE && k >= 5 -> !alone[k] -> alone[k] = true; held[k] = ALONE
            :: mode[k] == ALONE && k < 5 && !alone[k] && shared[k] == held[k] -> /* SHARED is 1: our own */
                shared[k] = 0; alone[k] = true; held[k] = ALONE
            :: mode[k] == ALONE && k < 5 -> got = false /* time is up */
            fi;
            i++; k = 0
        :: else
        fi
    }
}

proctype Call(byte wanted) {
    byte mode[KEYS], held[KEYS];
    byte plan, k, i, r;
    bool got, lane_first, lane_last, has_lane, backwards;
    atomic {
        if :: plan = 0 :: plan = 1 fi;
#ifdef LANES
        if :: lane_first = true :: lane_last = true :: true fi;
#endif
#ifdef UNORDERED
        if :: backwards = true :: true fi;
#endif
    }
    if :: lane_first -> atomic { !lane -> lane = true; has_lane = true } :: else fi;
    do
    :: plan < 3 && !got ->
        atomic {
            if :: plan == 0 -> !turn -> turn = true :: else fi;
            make_plan(); got = true; i = 0
        }
        do :: i < KEYS && got -> take_next() :: else -> break od;
        atomic {
            i = 0;
            if :: !got -> give_back() :: else fi;
            if :: plan == 0 -> turn = false :: else fi;
            plan++
        }
    :: else -> break
    od;
    if
    :: got ->
        atomic {
            r = 0;
            do :: r < 4 -> if :: HAS(wanted, r) -> busy[r]++; assert(busy[r] == 1) :: else fi; r++ :: else -> break od;
            r = 0
        }
        if
        :: lane_last && LANE_IS_TRIED -> if :: atomic { !lane -> lane = true; has_lane = true } :: true fi
        :: lane_last && !LANE_IS_TRIED -> atomic { !lane -> lane = true; has_lane = true }
        :: else
        fi
    :: else /* in the code, 55P03 */
    fi;
    atomic {
        if
        :: got ->
            r = 0;
            do :: r < 4 -> if :: HAS(wanted, r) -> busy[r]-- :: else fi; r++ :: else -> break od
        :: else
        fi;
        give_back();
        if :: has_lane -> lane = false :: else fi
    }
}

init {
    byte n, wanted, least;
    atomic {
        least = 1;
        for (n : 1 .. CALLS) {
            /* Calls are all alike: each picks at least as much as the one before. */
            wanted = least;
            do :: wanted < BIT(RECEIPTS) - 1 -> wanted++ :: break od;
            least = wanted;
            run Call(wanted)
        }
    }
}
