"""The facts a text states: its numbers, amounts, dates and identifiers, each as often as it does.

Which texts are facts, and which are the same one, is fixed with this version of the tool. A
number is one by value, an amount by value and currency, a date by day. An identifier is a word
with a digit, an address or a link, to the letter. Numbers in words and negations are not seen.
"""

import re
import unicodedata
from collections import Counter
from datetime import date
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.runs.normalisation import instant_text

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]*\.[0-9]+|[0-9]+"
_SYMBOL = "[$€£¥₹]"
_CODE = "(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|BRL|MXN|KRW|ZAR|SGD|HKD)"
_JOINT = r"[-./:@#]"
_APART = rf"(?<!\w)(?<!\w{_JOINT})"
"""Where a fact may begin: not within a word."""
_FACT = re.compile(
    rf"""
    (?P<instant>{_APART}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[Tt ][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}
        (?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{{2}}:[0-9]{{2}})(?!\w))
  | (?P<iso>{_APART}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?!\w|{_JOINT}\w))
  | (?P<month>{_APART}(?:{_MONTH}\ {_DAY}|{_DAY}\ (?:of\ )?{_MONTH})
        (?:,?\ [0-9]{{4}}(?!\w|-\w))?(?!\w))
  | (?P<amount>{_APART}(?P<sign>[-\u2212])?(?:(?P<before>{_SYMBOL}|{_CODE})\ ?)?
        (?P<number>{_NUMBER})(?P<after>\ ?(?:%|{_SYMBOL}|{_CODE}\b))?(?!\w|{_JOINT}\w))
  | (?P<word>\w+(?:{_JOINT}+\w+)*)
    """,
    re.VERBOSE,
)


def facts_of(text: str) -> Counter[str]:
    """Count the facts of a text, by one spelling for each."""
    found: Counter[str] = Counter()
    for match in _FACT.finditer(unicodedata.normalize("NFKC", text)):
        fact = _fact(match)
        if fact:
            found[fact] += 1
    return found


def _fact(match: re.Match[str]) -> str:
    """Spell one fact; a word that is none gives nothing."""
    shown = match[0]
    if match["instant"]:
        return f"instant {instant_text(shown) or shown}"
    if match["iso"]:
        return f"date {shown}"
    if match["month"]:
        return f"date {_date(shown)}"
    if match["number"]:
        unit = (match["before"] or match["after"] or "").strip()
        value = Decimal(("-" if match["sign"] else "") + match["number"].replace(",", ""))
        return f"{unit or 'number'} {plain(value)}"
    if "@" in shown or "://" in shown or any(letter.isdigit() for letter in shown):
        return f"identifier {shown}"
    return ""


def _date(shown: str) -> str:
    """Write a date with a month's name as digits; one without a year keeps month and day."""
    words = re.findall(r"[0-9]+|[A-Z][a-z]+", shown)
    month = next(
        _MONTHS.index(word[:3].lower()) + 1 for word in words if word[:3].lower() in _MONTHS
    )
    day, *year = (int(word) for word in words if word.isdigit())
    if not year:
        return f"--{month:02}-{day:02}"
    try:
        return date(year[0], month, day).isoformat()
    except ValueError:
        return shown
