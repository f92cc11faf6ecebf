"""Exact numbers as options take them: no float, no exponent, no sign."""

from decimal import Decimal

import click

from agentpolicy.base.numbers import exact


class Exact(click.ParamType[Decimal]):
    """A plain decimal number above 0, read exactly."""

    name = "number"

    def convert(
        self, value: str | Decimal, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        """Read what was typed."""
        if isinstance(value, Decimal):
            return value
        try:
            number = exact(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if number <= 0:
            self.fail(f"{value} is not above 0", param, ctx)
        return number


MONEY = NUMBER = Exact()
COUNT = click.IntRange(min=1)
