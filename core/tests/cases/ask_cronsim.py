"""Writes cronsim.tsv: the answers of the Python package cronsim to random questions.

    python3 -m venv V && V/bin/pip install cronsim==2.8 tzdata
    PYTHONTZPATH= V/bin/python core/tests/cases/ask_cronsim.py > core/tests/cases/cronsim.tsv

The questions are the same at every run: rules of the small hours mostly, asked shortly before a
change of the clock, and rules of the calendar, asked anywhere.
"""

import itertools
import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

ROWS = 400
# Clocks that change by 30 minutes, by an hour, by two, at midnight, over midnight, and never; none
# whose rules the latest releases of the zone data have changed.
ZONES = [
    "America/New_York",
    "America/Santiago",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Chatham",
    "UTC",
]
NAMES = {3: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), 4: "SUN MON TUE WED THU FRI SAT".split()}
RANGES = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)]

draw = random.Random(2026)


def item(field, first, last):
    low, high = sorted((draw.randint(first, last), draw.randint(first, last)))
    kind = draw.random()
    if kind < 0.5 or low == high:
        # A week that begins at 0 and one that ends with 7: names are for values on their own.
        names = NAMES.get(field)
        value = low - RANGES[field][0]
        return names[value] if names and value < len(names) and draw.random() < 0.3 else str(low)
    if kind < 0.8:
        return f"{low}-{high}"
    return f"{low}-{high}/{draw.randint(1, high - low + 1)}"


def field(number, star, first=None, last=None):
    """A field; with that likelihood one of stars."""
    least, most = RANGES[number]
    if draw.random() < star:
        return "*" if draw.random() < 0.7 else f"*/{draw.randint(2, max(2, (most - least) // 2))}"
    count = draw.choice((1, 1, 1, 2, 3))
    first, last = least if first is None else first, most if last is None else last
    return ",".join(item(number, first, last) for _ in range(count))


def rule(near_change):
    if near_change:
        hour = field(1, 0.3, 0, 4)
        return " ".join((field(0, 0.3), hour, field(2, 0.9), "*", field(4, 0.9)))
    return " ".join((field(0, 0.2), field(1, 0.2), field(2, 0.4), field(3, 0.5), field(4, 0.4)))


def changes(zone):
    """The hours of 2000 to 2060 in which its clock changes."""
    hour = datetime(2000, 1, 1, tzinfo=timezone.utc)
    offset = hour.astimezone(zone).utcoffset()
    while hour.year < 2060:
        day = hour + timedelta(days=1)
        if day.astimezone(zone).utcoffset() != offset:
            while hour.astimezone(zone).utcoffset() == offset:
                hour += timedelta(hours=1)
            offset = hour.astimezone(zone).utcoffset()
            yield hour
        hour = day


def answer(expression, zone, after):
    try:
        times = list(itertools.islice(CronSim(expression, after.astimezone(zone)), 5))
    except CronSimError:
        return "error"
    shown = [time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for time in times]
    return ",".join(shown + ["exhausted"] * (len(shown) < 5))


def main():
    print("expression\ttimezone\tafter\tcronsim")
    all_changes = {name: list(changes(ZoneInfo(name))) for name in ZONES}
    for _ in range(ROWS):
        name = draw.choice(ZONES)
        near = all_changes[name] if draw.random() < 0.7 else []
        if near:
            after = draw.choice(near) - timedelta(minutes=draw.randint(-120, 2880))
        else:
            after = datetime(2000, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=draw.randrange(30_000_000))
        expression = rule(bool(near))
        asked = after.strftime("%Y-%m-%dT%H:%M:%SZ")
        print(expression, name, asked, answer(expression, ZoneInfo(name), after), sep="\t")


main()
