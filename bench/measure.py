#!/usr/bin/python3
"""Measures cells on the server of PGHOST, PGPORT, PGUSER, PGDATABASE, whose database is empty; bench/run starts one.

    bench/measure.py [--work FOLDER] [--rounds N] [--seconds N] [--cell NAME]... [--all] [--list]

The report goes to standard output, and with the raw samples and the plots into the work folder.
"""
import argparse
import datetime
import os
import pathlib
import sys
import time

import cells  # noqa: F401, declares them
import plots
import report
from harness import CELLS, Bench, say


def number(text):
    value = int(text)
    if not 1 <= value <= 9999:
        raise argparse.ArgumentTypeError('a number from 1 to 9999')
    return value


def arguments():
    parser = argparse.ArgumentParser(prog='bench/run', description='Measures awa_ring beside others, in one run on a throw-away server.')
    parser.add_argument('--work', default='.', help=argparse.SUPPRESS)
    parser.add_argument('--rounds', type=number, default=5, metavar='N', help='rounds, at most (default 5)')
    parser.add_argument('--seconds', type=number, default=2, metavar='N', help='seconds a contestant and round (default 2)')
    parser.add_argument('--cell', action='append', default=[], choices=list(CELLS), metavar='NAME', help='only this cell; may be repeated')
    parser.add_argument('--all', action='store_true', help='all cells, also those that take minutes')
    parser.add_argument('--out', metavar='FOLDER', help='report.md, samples.csv and the plots go there')
    parser.add_argument('--check', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('--list', action='store_true', help='name the cells')
    return parser.parse_args()


def conditions(bench, options, began):
    """Lines that say what the figures hold for."""
    def first(path, start):
        with open(path) as file:
            return next((line.split(':', 1)[1].strip() for line in file if line.startswith(start)), 'unknown')
    memory = int(first('/proc/meminfo', 'MemTotal').split()[0]) / 1048576
    settings = bench.value("SELECT string_agg(name || ' = ' || current_setting(name), ', ' ORDER BY name) FROM pg_settings WHERE name IN "
                           "('fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size', 'wal_sync_method')")
    version = bench.value("SELECT extversion FROM pg_extension WHERE extname = 'awa_ring'")
    return [f'At most {options.rounds} rounds of {options.seconds} s a contestant, {datetime.date.today()}, in {time.time() - began:,.0f} s. '
            f'Machine: {os.cpu_count()} × {first("/proc/cpuinfo", "model name")}, {memory:.0f} GB, '
            f'load {" ".join(f"{load:.1f}" for load in os.getloadavg())} at the end.',
            f'{bench.value("SELECT version()")}. awa_ring {version}. Settings: {settings}.']


def main():
    options = arguments()
    if options.check:
        return
    if options.list:
        for cell in CELLS.values():
            print(f'{cell.name:<22} {"" if cell.usual else "(--all) "}{cell.title}')
        return
    wanted = [cell for cell in CELLS.values()
              if (cell.name in options.cell if options.cell else options.all or cell.usual)]
    work = pathlib.Path(options.work)
    bench = Bench(work, options.seconds, work / 'samples.csv')
    began = time.time()
    bench.sql((pathlib.Path(__file__).parent / 'setup.sql').read_text())
    cells.turn_rings(bench)
    for bench.round in range(1, options.rounds + 1):
        for bench.cell in wanted:
            if bench.cell.rounds and bench.round > bench.cell.rounds:
                continue
            say(f'round {bench.round} of {options.rounds}: {bench.cell.name} ({time.time() - began:.0f} s)')
            if bench.cell.prepare and not bench.cell.prepared:
                bench.cell.prepare(bench)
                bench.cell.prepared = True
            bench.cell.run(bench)
        bench.keep_house()
    say(f'measured in {time.time() - began:.0f} s')
    lines = '\n'.join([*conditions(bench, options, began), '', *report.tables(bench.samples)])
    print(lines)
    (work / 'report.md').write_text(lines + '\n')
    plots.draw(bench.samples, work / 'plots')


if __name__ == '__main__':
    try:
        main()
    except RuntimeError as failure:
        sys.exit(f'error: {failure}')
