"""Makes a Markdown table of the samples of bench/run."""
import csv
import statistics
import sys

CELLS = {
    'work_1': 'claim + complete, batch 1, 1 client',
    'work_128': 'claim + complete, batch 128, 1 client',
    'cycle_1': 'complete_and_claim, batch 1, 1 client',
    'single_1': 'enqueue, 1 job, 1 client',
    'single_8': 'enqueue, 1 job, 8 clients',
    'many_1000': 'enqueue, 1,000 jobs, 1 client',
    'work_1x8': 'claim + complete, batch 1, 8 clients',
    'work_16x8': 'claim + complete, batch 16, 8 clients',
}
CONTESTANTS = {
    'awa_ring': 'awa_ring',
    'skip_locked': 'SKIP LOCKED table',
    'plain_insert': 'plain INSERT',
    'copy': 'COPY',
    'two_calls': 'awa_ring, two calls',
}


def main():
    samples = {}
    with open(sys.argv[1]) as file:
        for row in csv.DictReader(file):
            samples.setdefault(row['cell'], {}).setdefault(row['contestant'], []).append(row)
    if 'cycle_1' in samples and 'work_1' in samples:
        samples['cycle_1']['two_calls'] = samples['work_1']['awa_ring']
        samples['cycle_1']['skip_locked'] = samples['work_1']['skip_locked']

    print('Jobs a second: median (least to most). Ratio: of awa_ring to the other, round by round: median (least to most).')
    print('WAL: bytes a job, median.')
    print()
    print('| what | contestant | jobs/s | ratio of awa_ring to it | ms a transaction | WAL a job |')
    print('| --- | --- | ---: | ---: | ---: | ---: |')
    for cell, contestants in samples.items():
        ours = {row['round']: float(row['jobs_per_second']) for row in contestants['awa_ring']}
        for contestant, rows in contestants.items():
            rates = [float(row['jobs_per_second']) for row in rows]
            ratios = [ours[row['round']] / float(row['jobs_per_second']) for row in rows]
            ratio = '' if contestant == 'awa_ring' else (
                f'**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})')
            latency = statistics.median(float(row['latency_ms']) for row in rows)
            wal = statistics.median(float(row['wal_bytes_per_job']) for row in rows)
            print(f'| {CELLS[cell]} | {CONTESTANTS[contestant]} | {statistics.median(rates):,.0f} '
                  f'({min(rates):,.0f} to {max(rates):,.0f}) | {ratio} | {latency:.3f} | {wal:,.0f} |')


main()
