"""Queues for Node beside awa_ring and the SKIP LOCKED table, all from node-postgres: one session, one call after the other.

The client is a good part of these figures, for all of them; what the server alone can do is in the cells over pgbench.
"""
import json
import os
import subprocess

from harness import cell

FIGURES = {'jobs_per_second': '1/s', 'wal_per_job': 'bytes'}
HISTORY = 'history: graphile-worker none, pg-boss the row that stays'


def measure(bench, contestant, action, size, times):
    """Runs bench/peers/measure.mjs for a contestant and records what it says."""
    folder = os.environ.get('AWA_NODE')
    if not folder:
        raise RuntimeError('AWA_NODE must name the folder into which bench/peers/install installed the modules')
    command = ['node', f'{folder}/measure.mjs', contestant, bench.cell.name, str(bench.seconds), action, str(size), str(times)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f'{contestant} failed in {bench.cell.name}:\n{run.stderr[-3000:]}')
    done = json.loads(run.stdout)
    bench.record(contestant, jobs_per_second=done['done'] / done['seconds'], wal_per_job=done['wal'] / done['done'])


@cell(f'from Node, claim + complete, two commits, batch 1, one worker, 1,000 waiting jobs and fewer; {HISTORY}', FIGURES)
def node_work_1(bench):
    for contestant in bench.turns('awa_ring', 'skip_locked', 'graphile_worker', 'pg_boss'):
        measure(bench, contestant, 'work', 1, 1000)


@cell(f'from Node, claim + complete, two commits, batch 128, one worker, 12,800 waiting jobs and fewer; {HISTORY}', FIGURES)
def node_work_128(bench):
    for contestant in bench.turns('awa_ring', 'skip_locked', 'pg_boss'):
        measure(bench, contestant, 'work', 128, 12_800)


@cell('from Node, enqueue of one job', FIGURES)
def node_enqueue_1(bench):
    for contestant in bench.turns('awa_ring', 'skip_locked', 'graphile_worker', 'pg_boss'):
        measure(bench, contestant, 'enqueue', 1, 100_000 * bench.seconds)


@cell('from Node, enqueue of 1,000 jobs a call', FIGURES)
def node_enqueue_1000(bench):
    for contestant in bench.turns('awa_ring', 'skip_locked', 'graphile_worker', 'pg_boss'):
        measure(bench, contestant, 'enqueue', 1000, 100 * bench.seconds)
