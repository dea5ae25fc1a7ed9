"""What the cells of the benchmark share: how one is declared, sessions, pgbench, samples.

A cell is a function that measures its contestants once; it is called once a round. Contestants of one cell do equal work and take
turns, so that what else the machine does meets all of them.
"""
import contextlib
import copy
import csv
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Callable, NamedTuple, Optional

HERE = pathlib.Path(__file__).resolve().parent
OURS = 'awa_ring'
# About 60 bytes of jsonb a job.
ONE = '{"order": 104729, "customer": "c-10482", "note": "benchmark"}'


class Target(NamedTuple):
    """What is to be reached: a figure of a contestant, or its ratio to the same figure of `against`, round by round."""
    figure: str
    against: Optional[str] = None
    at_least: Optional[float] = None
    at_most: Optional[float] = None
    of: str = OURS


@dataclass
class Cell:
    """title: what is measured, with its conditions. figures: name -> unit, the first is the one that is compared. rounds: no more
    than so many; prepare: called once, before the first round; usual: measured unless cells are named; drawn: figures that only
    the plots show."""
    name: str
    title: str
    figures: dict
    run: Callable
    targets: tuple = ()
    rounds: Optional[int] = None
    prepare: Optional[Callable] = None
    usual: bool = True
    drawn: tuple = ()
    prepared: bool = field(default=False, compare=False)


CELLS = {}


def cell(title, figures, **how):
    """Declares a cell; its name is that of the function, which takes a Bench."""
    def declare(run):
        CELLS[run.__name__] = Cell(run.__name__, title, figures, run, **how)
        return run
    return declare


def at(contestant, value):
    """The name of a contestant of a series, whose figures depend on a value: one name for each value."""
    return f'{contestant}_at_{value}'


def parted(name):
    """The contestant and the value that `at` put together; None: there is no value."""
    contestant, found, value = name.rpartition('_at_')
    return (contestant, float(value)) if found else (name, None)


class Result(NamedTuple):
    """Of one run of pgbench. latency in ms, on average; wal in bytes, of everything that went on meanwhile; commands: of each
    line of the script, in ms, on average."""
    transactions: int
    per_second: float
    latency: float
    wal: int
    commands: tuple = ()


class Bench:
    """A run: where it works, how long, which round it is, and the samples so far."""

    def __init__(self, work, seconds, csv_file):
        self.work, self.seconds = pathlib.Path(work), seconds
        self.round, self.cell = 0, None
        self.samples = []          # (cell, contestant, round, figure, value)
        self.kept = {}             # what cells remember from round to round
        self._file = open(csv_file, 'w', newline='')
        self._csv = csv.writer(self._file)
        self._csv.writerow(('cell', 'contestant', 'round', 'figure', 'unit', 'value'))
        self._database = ''
        self._main = self.session()

    def session(self, name='bench', dsn=None):
        """A new session that commits each statement by itself."""
        import psycopg2  # what only lists the cells does without
        connection = psycopg2.connect(self._database if dsn is None else dsn, application_name=name)
        connection.autocommit = True
        return connection

    def beside(self, name):
        """The same run in a database of its own, which is made at the first call: it has the contestants, and nothing else yet."""
        places = self.kept.setdefault('databases', {})
        if name not in places:
            self.sql(f'CREATE DATABASE {name}')
            place = places[name] = copy.copy(self)
            place.kept, place._database = {}, f'dbname={name}'
            place._main = place.session()
            place.sql((HERE / 'setup.sql').read_text())
        places[name].round, places[name].cell = self.round, self.cell
        return places[name]

    def leave(self, name):
        """Drops such a database."""
        self.kept['databases'].pop(name)._main.close()
        self.sql(f'DROP DATABASE {name}')

    def sql(self, statement, *parameters):
        """Runs a statement; its rows, if it has any."""
        with self._main.cursor() as cursor:
            cursor.execute(statement, parameters or None)
            return cursor.fetchall() if cursor.description else []

    def value(self, statement, *parameters):
        return self.sql(statement, *parameters)[0][0]

    @contextlib.contextmanager
    def transaction(self, *statements, name='held'):
        """A session that stays in a transaction, after these statements, for the body."""
        connection = self.session(name)
        try:
            with connection.cursor() as cursor:
                cursor.execute('BEGIN')
                for statement in statements:
                    cursor.execute(statement)
                yield cursor
                cursor.execute('ROLLBACK')
        finally:
            connection.close()

    def turns(self, *contestants):
        """The contestants, in every second round backwards."""
        return contestants if self.round % 2 else contestants[::-1]

    def record(self, contestant, **figures):
        """Samples of this round; a figure must be one of the cell's."""
        for figure, value in figures.items():
            unit = self.cell.figures[figure]
            self.samples.append((self.cell.name, contestant, self.round, figure, float(value)))
            self._csv.writerow((self.cell.name, contestant, self.round, figure, unit, f'{value:.6g}'))
        self._file.flush()

    def script(self, name, **replaced):
        """A file with scripts/NAME.sql in which @WORD@ is replaced; for pgbench."""
        text = (HERE / 'scripts' / f'{name}.sql').read_text()
        for word, value in replaced.items():
            text = text.replace(f'@{word.upper()}@', str(value))
        left = re.search(r'@[A-Z_]+@', text)
        assert not left, f'{name}.sql: {left[0]} is not given'
        path = self.work / f'{self.cell.name}_{name}.sql'
        path.write_text(text)
        return path

    def start_pgbench(self, script, clients=1, seconds=None, transactions=None, rate=None, log=None, settings='', commands=False,
                      **defines):
        """Starts pgbench over prepared statements, without waiting for it. settings: of its sessions, as in PGOPTIONS; commands:
        time each line of the script as well."""
        command = ['pgbench', '--no-vacuum', '--protocol=prepared', f'--client={clients}', f'--jobs={min(clients, 2)}',
                   f'--file={script}']
        command.append(f'--transactions={transactions}' if transactions else f'--time={seconds or self.seconds}')
        command += [f'--rate={rate}'] if rate else []
        command += ['--report-per-command'] if commands else []
        command += ['--log', f'--log-prefix={log}'] if log else []
        command += [f'--define={name}={value}' for name, value in defines.items()]
        command += [self._database] if self._database else []
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                                env={**os.environ, 'PGOPTIONS': settings})

    def finish_pgbench(self, process, wal=0):
        """Waits for it and reads what it says. Raises if anything went wrong."""
        output = process.communicate()[0]
        if process.returncode or re.search(r'error|aborted|failed transactions: [1-9]', output):
            raise RuntimeError(f'pgbench failed in {self.cell.name}:\n{output[-3000:]}')
        done = int(re.search(r'actually processed: (\d+)', output)[1])
        if not done:
            raise RuntimeError(f'pgbench did nothing in {self.cell.name}:\n{output[-3000:]}')
        return Result(done, float(re.search(r'^tps = ([0-9.]+)', output, re.M)[1]),
                      float(re.search(r'^latency average = ([0-9.]+)', output, re.M)[1]), wal,
                      tuple(map(float, re.findall(r'^ +([0-9.]+) +', output.partition('statement latencies')[2], re.M))))

    def pgbench(self, script, **how):
        """Runs pgbench, and notes how much WAL was written meanwhile."""
        before = self.value('SELECT pg_current_wal_insert_lsn()')
        process = self.start_pgbench(script, **how)
        result = self.finish_pgbench(process)
        return result._replace(wal=int(self.value('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)', before)))

    def keep_house(self):
        """Between rounds, as the worker would: rings turn, what is over and past its time is emptied."""
        for ring in ('claim', 'queue', 'lease'):
            self.sql(f"CALL awa.rotate('{ring}', NULL)")
            self.sql(f"CALL awa.prune('{ring}', NULL)")


def say(text):
    """A line of progress; the table alone goes to standard output."""
    print(f'== {text}', flush=True, file=sys.stderr)
