"""Commands that hold others: their help says of each one a whole sentence, and bare is help."""

import click


class Group(click.Group):
    """Lists what it holds with whole sentences, and shows its help when nothing is asked."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; nothing is cut, long sentences go on in the next line."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.summary(ctx, name)) for name in self.list_commands(ctx)]
            )

    def summary(self, ctx: click.Context, name: str) -> str:
        """Give the first paragraph of a command's help."""
        command = self.get_command(ctx, name)
        text = (command.help or "") if command else ""
        return " ".join(text.split("\n\n")[0].split())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help, as an answer and not as an error, when nothing else is typed."""
        return super().parse_args(ctx, args or ["--help"])
