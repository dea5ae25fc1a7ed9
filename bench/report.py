"""Makes Markdown tables of samples: every cell, and what of the targets is reached."""
import collections
import statistics

from harness import CELLS, OURS, parted


def spread(values, form=',.4g'):
    """Median (least to most)."""
    def shown(value):
        return f'{value:,.0f}' if abs(value) >= 1000 else f'{value:{form}}'
    middle = shown(statistics.median(values))
    return middle if len(values) == 1 else f'{middle} ({shown(min(values))} to {shown(max(values))})'


def by_cell(samples):
    """cell -> contestant -> figure -> {round: value}"""
    table = {}
    for cell, contestant, round_, figure, value in samples:
        table.setdefault(cell, {}).setdefault(contestant, collections.defaultdict(dict))[figure][round_] = value
    return table


def ratios(of, to):
    """Round by round; a cell with one round is compared with any number of rounds by their medians."""
    both = [of[round_] / to[round_] for round_ in of if to.get(round_)]
    return both or [statistics.median(of.values()) / statistics.median(to.values())]


def shown_name(contestant):
    name, value = parted(contestant)
    return name.replace('_', ' ') + ('' if value is None else f' at {value:,.10g}')


def cell_table(cell, contestants):
    """A line a contestant, a column a figure; the first figure with the ratio of ours to the other's, in a series of that at the
    least value to the other."""
    figures = {name: unit for name, unit in cell.figures.items()
               if name not in cell.drawn and any(name in of for of in contestants.values())}
    contestants = {name: of for name, of in sorted(contestants.items(), key=lambda item: parted(item[0])[1] or 0)
                   if any(figure in of for figure in figures)}
    least = {}
    for name in contestants:
        least.setdefault(parted(name)[0], name)
    series = any(parted(name)[1] is not None for name in contestants)
    first = next(iter(figures))
    yield f'**`{cell.name}`**: {cell.title}.'
    yield ''
    yield '| contestant | ' + ' | '.join(f'{name.replace("_", " ")} ({unit})' for name, unit in figures.items()) + \
        (' | of the least |' if series else ' | ours : theirs |')
    yield '| --- |' + ' ---: |' * (len(figures) + 1)
    ours = contestants.get(OURS, {}).get(first)
    for contestant, values in contestants.items():
        ratio = ''
        if series and least[parted(contestant)[0]] != contestant and first in values:
            ratio = spread(ratios(values[first], contestants[least[parted(contestant)[0]]][first]), '.2f')
        elif ours and not series and contestant != OURS and first in values:
            ratio = spread(ratios(ours, values[first]), '.2f')
        shown = [spread(list(values[figure].values())) if figure in values else '' for figure in figures]
        yield f'| {shown_name(contestant)} | ' + ' | '.join(shown) + f' | {ratio} |'
    yield ''


def target_line(cell, target, contestants):
    """Whether it is reached; None if it was not measured."""
    values = contestants.get(target.of, {}).get(target.figure)
    if target.against:
        other = contestants.get(target.against, {}).get(target.figure)
        measured = ratios(values, other) if values and other else None
    else:
        measured = list(values.values()) if values else None
    if not measured:
        return None
    middle = statistics.median(measured)
    wanted, reached = ((f'≥ {target.at_least:g}', middle >= target.at_least) if target.at_least is not None
                       else (f'≤ {target.at_most:g}', middle <= target.at_most))
    what = f'{shown_name(target.of)}: {target.figure.replace("_", " ")}'
    what += f', of {shown_name(target.against)}' if target.against else f', {cell.figures[target.figure]}'
    return f'| `{cell.name}` | {what} | {wanted} | {spread(measured, ".3g")} | {"yes" if reached else "**no**"} |'


def tables(samples):
    """All lines of the report."""
    yield 'Each figure is the median of the rounds (least to most); ratios are taken round by round.'
    yield ''
    table = by_cell(samples)
    lines = [line for name, contestants in table.items() for target in CELLS[name].targets
             if (line := target_line(CELLS[name], target, contestants))]
    if lines:
        yield from ('| cell | what | to reach | measured | reached |', '| --- | --- | --- | --- | --- |', *lines, '')
    for name, contestants in table.items():
        yield from cell_table(CELLS[name], contestants)
