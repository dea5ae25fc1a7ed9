"""Plans of transactions, drawn from a seed alone: the same seed plans the same run, however the machine interleaves it."""
import dataclasses
import random

LEVELS = ('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
KILLS = ('terminate', 'terminate', 'socket', 'socket', 'cancel')


@dataclasses.dataclass
class Step:
    operation: object = None
    seed: int = 0
    guarded: bool = False  # in a savepoint of its own, so that it may fail alone
    control: tuple = None  # ('savepoint' | 'rollback to' | 'release', name)
    pause: float = 0.0


@dataclasses.dataclass
class Plan:
    name: str
    steps: list
    in_block: bool = False
    level: str = 'READ COMMITTED'
    old_snapshot: bool = False  # taken before the first operation, for the levels that keep it
    end: str = 'commit'         # commit, rollback, prepare
    kill: tuple = None          # (how, seconds after the start)
    finish_prepared: float = 1.0  # < 0.3: what the session prepared earlier is finished before this one
    span: bool = False          # stays open beyond the end of the round


def plan_transaction(seed, round_number, session, number, operations, may_serialize_cold, last):
    """operations: {operation: weight}. last: the last of its session in the round."""
    name = f'{round_number}.{session}.{number}'
    rng = random.Random(f'{seed}/{name}')
    choices, weights = list(operations), list(operations.values())

    def step():
        operation = rng.choices(choices, weights)[0]
        return Step(operation, rng.getrandbits(60), guarded=rng.random() < 0.15)

    def steps(depth):
        result = [step() for _ in range(rng.choice((1, 1, 2, 3)) if depth else rng.choice((1, 1, 1, 2, 3)))]
        if depth < 3 and rng.random() < 0.35:
            savepoint = f's{depth}'
            result.append(Step(control=('savepoint', savepoint)))
            result += steps(depth + 1)
            if rng.random() < 0.4:
                result.append(Step(control=('rollback to', savepoint)))
            if rng.random() < 0.5:
                result.append(Step(control=('release', savepoint)))
            if rng.random() < 0.5:
                result.append(step())
        if rng.random() < 0.12:
            result.append(Step(pause=rng.uniform(0, 0.15)))
        return result

    first = step()
    if first.operation.alone == 'only' or (first.operation.alone == 'may' and rng.random() < 0.4):
        first.guarded = False
        plan = Plan(name, [first])
    else:
        choices, weights = zip(*((o, w) for o, w in operations.items() if o.alone != 'only'))
        if first.operation.alone == 'only':
            first = step()
        plan = Plan(name, [first] + steps(0), in_block=True)
        plan.level = rng.choice(LEVELS)
        if plan.level == 'SERIALIZABLE' and not may_serialize_cold and any(s.operation and s.operation.cold for s in plan.steps):
            plan.level = 'REPEATABLE READ'
        plan.old_snapshot = rng.random() < 0.3
        end = rng.random()
        plan.end = 'rollback' if end < 0.15 else 'prepare' if end < 0.22 else 'commit'
        plan.span = last and rng.random() < 0.15
    if rng.random() < 0.05:
        plan.kill = (rng.choice(KILLS), rng.choice((0.0, 0.001, 0.003, 0.01, 0.03, 0.1)) * rng.uniform(0.5, 2))
    plan.finish_prepared = rng.random()
    return plan
