"""The trust root: people, keys, roles, owners, protected refs (`roles.yaml`)."""

from typing import Annotated

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    SOME_DIGEST,
    UNIQUE,
    AsTuple,
    Digest,
    Distinct,
    Name,
    Names,
    PolicyModel,
    Text,
    Texts,
    Version,
    YesNo,
    root,
    version,
)
from agentpolicy.documents.models.sources import TOLERANCE_BAND

RefName = Annotated[str, Field(pattern=r"^refs/heads/[^\s~^:?*\[\\]+$", strict=True)]
Refs = Annotated[
    tuple[RefName, ...],
    Field(min_length=1, json_schema_extra=UNIQUE),
    Distinct,
    AsTuple,
]


KeyLine = Annotated[str, Field(min_length=1, max_length=4000, strict=True)]
"""A line of a `.pub` file: the largest RSA key OpenSSH makes takes 2772 characters of it."""


class Key(PolicyModel):
    """A public key, and the roles versions at which it may sign."""

    public: Annotated[
        KeyLine, root("roles/key-public", "The OpenSSH public key.", example="ssh-ed25519 AAAA…")
    ]
    since: Annotated[
        Version, root("roles/key-since", "The first roles version it may sign at.", example=1)
    ]
    until: Annotated[
        Version | None,
        root("roles/key-until", "The roles version from which it may not.", example=4),
    ] = None
    compromised: Annotated[
        YesNo | None,
        root(
            "roles/key-compromised",
            "Whether somebody else may have it; what stands on it is then approved anew.",
            example=True,
        ),
    ] = None


Keys = Annotated[tuple[Key, ...], Field(min_length=1), AsTuple]


class Person(PolicyModel):
    """A person, known by any of their keys."""

    handle: Annotated[
        Text | None,
        root("roles/handle", "The name code review knows the person by.", example="@alice"),
    ] = None
    keys: Annotated[
        Keys,
        root(
            "roles/keys",
            "The keys the person signs with.",
            example=[{"public": "ssh-ed25519 AAAA…", "since": 1}],
        ),
    ]


class Role(PolicyModel):
    """Who holds a role and how many of them must sign."""

    people: Annotated[
        Names,
        root(
            "roles/role-people",
            "The people who hold the role.",
            source=TOLERANCE_BAND,
            example=["pat"],
        ),
    ]
    threshold: Annotated[
        Version, root("roles/threshold", "How many different people must sign.", example=1)
    ]


class RoleSet(PolicyModel):
    """The roles there are."""

    platform_owner: Annotated[Role, Field(alias="platform-owner")]
    """Who may loosen."""
    reviewer: Role | None = None
    """Who approves waivers and text re-baselines."""
    gate: Role | None = None
    """Whose verdicts admit a release; its people hold no other role."""


class Reset(PolicyModel):
    """A trust root that the pin alone put in the place of another, whose quorum was lost."""

    version: Annotated[
        Version, root("roles/reset-version", "The roles version that began anew.", example=4)
    ]
    replaces: Annotated[
        Digest,
        root("roles/reset-replaces", "The roles.yaml it took over from.", example=SOME_DIGEST),
    ]


Resets = Annotated[tuple[Reset, ...], Field(min_length=1), AsTuple]
Owned = Annotated[str, Field(pattern=r"^(bands|budgets)/[a-z0-9][a-z0-9._-]*$", strict=True)]


class Roles(PolicyModel):
    """The trust root. Any change needs the platform owners' quorum."""

    roles_version: Annotated[Version, version("roles/version")]
    repository: Annotated[
        str,
        Field(pattern=r"^[0-9a-f]{32}$", strict=True),
        root(
            "roles/repository",
            "The random id approvals are bound to.",
            example="5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5",
        ),
    ]
    url: Annotated[
        Text | None,
        root(
            "roles/url",
            "Where alone approvals may be given.",
            example="https://git.example.com/acme/agents",
        ),
    ] = None
    protected: Annotated[
        Refs,
        root(
            "roles/protected",
            "The protected refs; the first is the policy ref.",
            example=["refs/heads/main"],
        ),
    ]
    guarded: Annotated[
        Texts | None,
        root(
            "roles/guarded",
            "Files outside policies/ under the same quorum.",
            example=[".github/workflows/agentpolicy.yml"],
        ),
    ] = None
    resets: Annotated[
        Resets | None,
        root(
            "roles/resets",
            "Where the pin, and no quorum, put this trust root in the place of another.",
            example=[{"version": 4, "replaces": SOME_DIGEST}],
        ),
    ] = None
    people: dict[Name, Person]
    roles: RoleSet
    owners: Annotated[
        dict[Owned, Names] | None,
        root(
            "roles/owners",
            "Who owns which band or budget.",
            source=TOLERANCE_BAND,
            example={"bands/refund-agent": ["alice"]},
        ),
    ] = None
