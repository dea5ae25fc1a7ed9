"""Draws the samples: one picture a question, PNG. Each point is the median of the rounds; bars and bands show least to most."""
import collections
import statistics

from harness import CELLS, OURS, parted

COLOURS = {'awa_ring': '#0b6e99', 'skip_locked': '#c8553d'}
OTHERS = ('#6a994e', '#8d6a9f', '#bc9c22', '#5c6b73', '#9c6644', '#3d5a80', '#d08c60', '#2a9d8f', '#b5838d', '#7f5539',
          '#e9c46a', '#457b9d', '#a3b18a')
LABELS = {'awa_ring': 'awa_ring', 'skip_locked': 'SKIP LOCKED table', 'plain_insert': 'plain INSERT', 'copy': 'COPY', 'pgq': 'PgQ',
          'without_waiting_for_the_disk': 'awa_ring, not waiting for the disk', 'table_with_notify': 'table and NOTIFY',
          'table_polled_each_100_ms': 'table, polled each 100 ms'}


def label(contestant):
    return LABELS.get(contestant, contestant.replace('_', ' '))


class Picture:
    """The samples by cell, contestant and figure, and a way to draw them."""

    def __init__(self, samples):
        self.values = {}  # cell -> contestant -> figure -> values of the rounds
        for cell, contestant, _, figure, value in samples:
            self.values.setdefault(cell, {}).setdefault(contestant, collections.defaultdict(list))[figure].append(value)
        self._colours = dict(COLOURS)

    def has(self, cell, figure):
        return any(figure in of for of in self.values.get(cell, {}).values())

    def colour(self, contestant):
        return self._colours.setdefault(contestant, OTHERS[(len(self._colours) - len(COLOURS)) % len(OTHERS)])

    def contestants(self, cells, figure):
        """All that have the figure in any of the cells, ours first."""
        found = dict.fromkeys(name for cell in cells for name, of in self.values.get(cell, {}).items() if figure in of)
        return sorted(found, key=lambda name: name != OURS)

    def of(self, cell, contestant, figure):
        """Median, and how far it is to the least and the most; or nothing."""
        values = self.values.get(cell, {}).get(contestant, {}).get(figure)
        if not values:
            return None
        middle = statistics.median(values)
        return middle, middle - min(values), max(values) - middle

    def course(self, cell, figure):
        """contestant -> [(value, median, least, most)], in the order of the values."""
        courses = collections.defaultdict(list)
        for name, of in self.values.get(cell, {}).items():
            contestant, value = parted(name)
            if value is not None and figure in of:
                courses[contestant].append((value, statistics.median(of[figure]), min(of[figure]), max(of[figure])))
        return {name: sorted(courses[name]) for name in sorted(courses, key=lambda name: name != OURS)}


def number(value):
    return f'{value:,.0f}' if value >= 100 else f'{value:,.3g}'


def bars(picture, sheet, title, groups, figure, unit):
    """groups: (cell, its name). An axis of its own for each, a bar a contestant, with the spread."""
    groups = [group for group in groups if picture.has(group[0], figure)]
    contestants = picture.contestants([cell for cell, _ in groups], figure)
    named = {}
    upper, lower = sheet.subfigures(2, 1, height_ratios=(10, 1))
    for axes, (cell, name) in zip(upper.subplots(1, len(groups), squeeze=False)[0], groups):
        there = [contestant for contestant in contestants if picture.of(cell, contestant, figure)]
        for x, contestant in enumerate(there):
            middle, below, above = picture.of(cell, contestant, figure)
            named[label(contestant)] = axes.bar(x, middle, 0.85, color=picture.colour(contestant), yerr=[[below], [above]],
                                                capsize=3, ecolor='#333333')
            axes.annotate(number(middle), (x, middle + above), xytext=(0, 3), textcoords='offset points', ha='center', fontsize=8)
        axes.set_xticks([])
        axes.set_xlim(-0.7, max(len(there), 2) - 0.3)
        axes.set_xlabel(name)
        axes.yaxis.set_major_formatter(lambda value, _: number(value))
        axes.margins(y=0.1)
        axes.grid(axis='y', alpha=0.3)
        axes.set_axisbelow(True)
    sheet.axes[0].set_ylabel(unit)
    lower.legend(named.values(), named.keys(), loc='center', ncol=min(len(named), 6), frameon=False)
    upper.suptitle(title)


def lines(picture, sheet, title, cell, figure, x_label, unit, steps=False, y_log=False, target=None):
    """A line a contestant, with the spread as a band. steps: the values stand side by side, whatever is between them. target: what
    ours may be, as a multiple of its first point."""
    axes = sheet.subplots()
    for contestant, points in picture.course(cell, figure).items():
        values, middle, least, most = zip(*points)
        x = range(len(values)) if steps else values
        axes.plot(x, middle, color=picture.colour(contestant), marker='o', markersize=4, label=label(contestant))
        axes.fill_between(x, least, most, color=picture.colour(contestant), alpha=0.2, linewidth=0)
        if steps:
            axes.set_xticks(x, [f'{value:,.0f}' for value in values])
        if target and contestant == OURS:
            axes.axhline(middle[0] * target, color=picture.colour(contestant), linestyle=':', linewidth=1,
                         label=f'to stay below: {target} × the first')
    if y_log:
        axes.set_yscale(y_log[0], **y_log[1])
        axes.yaxis.set_major_formatter(lambda value, _: number(value))
    if not y_log or y_log[0] != 'log':
        axes.set_ylim(bottom=0)
    axes.set_xlabel(x_label)
    axes.set_ylabel(unit)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    axes.set_title(title)


def throughput(picture, sheet):
    bars(picture, sheet, 'Claim and complete, a commit each, 1 client',
         (('work_1', 'batch 1'), ('work_128', 'batch 128'), ('work_512', 'batch 512')), 'jobs_per_second', 'jobs a second')


def enqueueing(picture, sheet):
    bars(picture, sheet, 'Enqueue', (('single_1', 'one a call, 1 client'), ('single_8', 'one a call, 8 clients'),
                                     ('many_1000', '1,000 a call, 1 client')), 'jobs_per_second', 'jobs a second')


def wal(picture, sheet):
    bars(picture, sheet, 'WAL written for each job',
         (('many_1000', 'enqueue,\n1,000 a call'), ('work_1', 'claim + complete,\nbatch 1'),
          ('work_128', 'claim + complete,\nbatch 128'), ('work_512', 'claim + complete,\nbatch 512')), 'wal_per_job', 'bytes a job')


def dead_rows(picture, sheet):
    lines(picture, sheet, 'Dead rows under 2,000 jobs a second while an old transaction stays open', 'pinned', 'dead_by_time',
          'seconds since the session began to hold a snapshot and a transaction id', 'dead rows (logarithmic above 1)',
          y_log=('symlog', {'linthresh': 1}))


def pickup(picture, sheet):
    axes = sheet.subplots()
    for contestant, points in picture.course('pickup', 'by_share').items():
        share, middle, least, most = zip(*points)
        axes.plot(middle, share, color=picture.colour(contestant), label=label(contestant))
        axes.fill_betweenx(share, least, most, color=picture.colour(contestant), alpha=0.2, linewidth=0)
    axes.set_xscale('symlog', linthresh=0.1)
    axes.set_xlim(left=0)
    axes.set_xticks([0, 0.1, 0.3, 1, 3, 10, 30, 100], ['0', '0.1', '0.3', '1', '3', '10', '30', '100'])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel('milliseconds from the commit to the worker that has claimed the job (logarithmic above 0.1)')
    axes.set_ylabel('% of the jobs that were picked up by then')
    axes.grid(alpha=0.3)
    axes.legend(loc='upper center', bbox_to_anchor=(0.5, -0.14), ncol=4, frameon=False)
    axes.set_title('How soon an idle worker has a job')


def scaling(cell, title, x_label, y_log=False, target=1.3):
    def drawn(picture, sheet):
        lines(picture, sheet, title, cell, 'claim', x_label,
              'milliseconds a claim of 10 jobs' + (' (logarithmic)' if y_log else ''), steps=True, target=target,
              y_log=('log', {}) if y_log else False)
    return drawn


def ledger(picture, sheet):
    bars(picture, sheet, 'Ledger: two-leg transfers',
         (('ledger_transfer_1', '1 client'), ('ledger_transfer_8', '8 clients'), ('ledger_hot_payers', 'one account, 8 payers'),
          ('ledger_hot_receivers', 'one account, 8 receivers'), ('ledger_pinned', 'one account, old transaction')),
         ledger_figure(picture), 'transfers a second')


def ledger_figure(picture):
    """The figure that its cells compare."""
    return next((next(iter(CELLS[cell].figures)) for cell in picture.values if cell.startswith('ledger_')), '')


# Name of the file -> who draws it, the cells it is of; drawn if any of them was measured.
PICTURES = {
    'throughput': (throughput, ('work_1', 'work_128', 'work_512')),
    'enqueue': (enqueueing, ('single_1', 'single_8', 'many_1000')),
    'wal': (wal, ('many_1000', 'work_1', 'work_128', 'work_512')),
    'dead_rows': (dead_rows, ('pinned',)),
    'pickup': (pickup, ('pickup',)),
    'scaling_backlog': (scaling('scaling_backlog', 'A claim, by the backlog of its queue', 'jobs that wait'), ('scaling_backlog',)),
    'scaling_history': (scaling('scaling_history', 'A claim, by history', 'jobs that are done and still kept'), ('scaling_history',)),
    'scaling_queues': (scaling('scaling_queues', 'A claim from one queue, by the number of queues', 'queues with jobs'),
                       ('scaling_queues',)),
    'scaling_listed': (scaling('scaling_listed', 'A claim, by the number of queues it names', 'queues in the list, of which one has jobs',
                               y_log=True, target=None), ('scaling_listed',)),
    'scaling_age': (scaling('scaling_age', 'A claim, by the age of the oldest transaction',
                            'jobs that came and went since that transaction began', y_log=True), ('scaling_age',)),
    'ledger': (ledger, ('ledger_transfer_1', 'ledger_transfer_8', 'ledger_hot_payers', 'ledger_hot_receivers', 'ledger_pinned')),
}


def draw(samples, folder):
    """Every picture for which there are samples."""
    picture = Picture(samples)
    wanted = {name: drawn for name, (drawn, cells) in PICTURES.items() if any(cell in picture.values for cell in cells)}
    if not wanted:
        return
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in wanted.items():
        sheet = pyplot.figure(figsize=(9.5, 5), layout='constrained')
        drawn(picture, sheet)
        for axes in sheet.axes:
            axes.spines[['top', 'right']].set_visible(False)
        sheet.savefig(folder / f'{name}.png', dpi=120)
        pyplot.close(sheet)
