"""Who may sign as what, read from one trust root. People count, never keys.

Whether a key may sign is decided by roles versions, never by dates.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.values import dataclass, field, replace
from agentpolicy.documents.document import Document, Value
from agentpolicy.trust.keys import PublicKey, parse_public_key

GATE = "gate"
_NOBODY: frozenset[str] = frozenset()
_BASELINE = "baselines/"


@dataclass(frozen=True, slots=True)
class ListedKey:
    """Whose key it is, and from which roles version until which it counts."""

    person: str
    since: int
    until: int | None
    """The first version at which it counts no more; None: it was not retired."""
    compromised: bool = False
    """Whether somebody else may have it."""
    pointer: str = ""
    """Where it is listed, as a JSON pointer."""

    def lives_at(self, version: int) -> bool:
        """Say whether the key counts at a roles version."""
        return self.since <= version and (self.until is None or version < self.until)


@dataclass(frozen=True, slots=True)
class Authority:
    """What one trust root grants at its own version. Made by `authority_of`."""

    version: int
    """The roles version whose live keys count."""
    repository: str
    """The random id approvals are bound to."""
    url: str | None
    """Where alone approvals may be given; None: anywhere."""
    protected: tuple[str, ...]
    guarded: tuple[str, ...]
    """Paths outside `policies/` that need the platform owners."""
    resets: tuple[tuple[int, str], ...]
    """Where the pin alone put a trust root in the place of another: version, replaced digest."""
    people: frozenset[str]
    """Everybody listed, with a live key or without."""
    _keys: Mapping[PublicKey, ListedKey] = field(repr=False)
    _holders: Mapping[str, frozenset[str]] = field(repr=False)
    _thresholds: Mapping[str, int] = field(repr=False)
    _owners: Mapping[str, frozenset[str]] = field(repr=False)
    earlier: tuple["Authority", ...] = field(default=(), repr=False)
    """The trust roots that were in force before this one, oldest first, as far as known."""
    in_force_at: Mapping[str, int] = field(default_factory=dict, repr=False)
    """The roles version in force at each known policy commit, by its id."""

    @property
    def policy_ref(self) -> str:
        """Give the one ref whose policies are in force: the first protected one."""
        return self.protected[0]

    def person_of(self, key: PublicKey) -> str | None:
        """Say whose live key this is; None where it is nobody's, or no longer, or not yet."""
        listed = self._keys.get(key)
        return listed.person if listed and listed.lives_at(self.version) else None

    @property
    def compromised(self) -> frozenset[PublicKey]:
        """Give the keys that somebody else may have."""
        return frozenset(key for key, listed in self._keys.items() if listed.compromised)

    @property
    def listed_keys(self) -> Mapping[PublicKey, ListedKey]:
        """Give every key that is listed, live or not, in the order of the file."""
        return self._keys

    def counts(self, fingerprint: str) -> bool:
        """Say whether the key of this fingerprint is somebody's live key."""
        live = (key for key, listed in self._keys.items() if listed.lives_at(self.version))
        return any(key.fingerprint == fingerprint for key in live)

    def listed_person_of(self, key: PublicKey) -> str | None:
        """Say whose key this is or ever was, here or in an earlier trust root."""
        roots = (self, *reversed(self.earlier))
        return next((found.person for root in roots if (found := root.listing_of(key))), None)

    def listing_of(self, key: PublicKey) -> ListedKey | None:
        """Give how this trust root alone lists a key, live or not; None where it does not."""
        return self._keys.get(key)

    def following(
        self, earlier: tuple["Authority", ...], in_force_at: Mapping[str, int]
    ) -> "Authority":
        """Give the same trust root, knowing those before it and when which was in force."""
        return replace(self, earlier=earlier, in_force_at=in_force_at)

    def people_in(self, role: str) -> frozenset[str]:
        """Give the people of a role who have a live key; nobody where there is no such role."""
        return self._holders.get(role, _NOBODY)

    def threshold(self, role: str) -> int:
        """Say how many different people of a role must sign; at least 1."""
        return self._thresholds.get(role, 1)

    def owners_of(self, owned_as: str) -> frozenset[str]:
        """Give the owners of `bands/…`, `budgets/…` or `baselines/…`, live or not.

        A baseline follows the band of its agent. Empty where nobody is entered as owner, which is
        another case than owners who cannot sign any more.
        """
        if owned_as.startswith(_BASELINE):
            owned_as = "bands/" + owned_as.removeprefix(_BASELINE)
        return self._owners.get(owned_as, _NOBODY)


def authority_of(roles: Document) -> Authority:
    """Read what a trust root grants, if it does not contradict itself.

    Reading the same document again costs nothing.

    Raises:
        InputError: with everything that is wrong with it: a key that cannot be read or is listed
            twice, a threshold nobody can reach, somebody who is not listed, a gate that holds
            another role.
    """
    return _authority_of(roles)


@lru_cache(maxsize=32)
def _authority_of(roles: Document) -> Authority:
    reading = _Reading(roles)
    problems = (*reading.key_problems(), *reading.role_problems(), *reading.owner_problems())
    if problems:
        raise InputError(*problems)
    return reading.authority()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One key as it is listed, and where it stands."""

    listed: ListedKey
    public: str

    @property
    def person(self) -> str:
        return self.listed.person

    @property
    def pointer(self) -> str:
        return self.listed.pointer


class _Reading:
    """A trust root being read: each method reports one kind of contradiction, with its place."""

    def __init__(self, roles: Document) -> None:
        self._roles = roles
        self._tree = roles.tree
        self._people = _map(roles.tree["people"])
        self._entries = tuple(_entries(self._people))
        self._owners = {name: _texts(who) for name, who in _map(roles.tree.get("owners")).items()}
        self._live = frozenset(
            entry.person for entry in self._entries if entry.listed.lives_at(roles.version)
        )

    def key_problems(self) -> Iterator[Problem]:
        """Report keys that cannot be read, that never count, or that are listed twice."""
        seen: dict[PublicKey, _Entry] = {}
        for entry in self._entries:
            since, until = entry.listed.since, entry.listed.until
            if until is not None and until <= since:
                words = f"this key of {entry.person} counts from {since} until {until}"
                yield self._problem("key-never-live", f"{words}: never", _LATER, entry.pointer)
            if entry.listed.compromised and (until is None or until > self._roles.version):
                words = f"a compromised key of {entry.person} would still count"
                hint = f"retire it with this version: until: {self._roles.version}"
                yield self._problem("key-compromised-live", words, hint, entry.pointer)
            try:
                key = parse_public_key(entry.public)
            except ValueError as error:
                words = f"this key of {entry.person} cannot be used: {error}"
                yield self._problem("key-unreadable", words, _PASTE, f"{entry.pointer}/public")
                continue
            first = seen.setdefault(key, entry)
            if first is not entry:
                yield self._listed_twice(first, entry, key)

    def role_problems(self) -> Iterator[Problem]:
        """Report strangers in roles, thresholds out of reach, and gates with a second role."""
        for role, fields in self._roles_map():
            people = _texts(fields["people"])
            yield from self._strangers(people, f"/roles/{role}/people", f"role {role}")
            threshold, live = fields["threshold"], len(self._live & set(people))
            if not isinstance(threshold, int) or not 1 <= threshold <= live:
                words = f"{role} asks for {threshold} people, and {live} of its people can sign"
                hint = f"threshold: 1 is the least, {live} the most" if live else _LIVE_KEY
                pointer = f"/roles/{role}/threshold"
                yield self._problem("threshold-unreachable", words, hint, pointer)
        yield from self._gate_problems()

    def owner_problems(self) -> Iterator[Problem]:
        """Report owners who are not listed, and entries that name nobody."""
        for name, people in self._owners.items():
            pointer = f"/owners/{_escaped(name)}"
            yield from self._strangers(people, pointer, f"owner of {name}")
            if not people:
                hint = f"name an owner, or remove the entry of {name}"
                yield self._problem("owner-missing", f"{name} has no owner", hint, pointer)

    def authority(self) -> Authority:
        """Put together what a sound trust root grants."""
        tree = self._tree
        url = tree.get("url")
        roles = dict(self._roles_map())
        return Authority(
            version=self._roles.version,
            repository=str(tree["repository"]),
            url=None if url is None else str(url),
            protected=_texts(tree["protected"]),
            guarded=_texts(tree.get("guarded", ())),
            resets=tuple(_resets(tree.get("resets", ()))),
            people=frozenset(self._people),
            _keys={parse_public_key(entry.public): entry.listed for entry in self._entries},
            _holders={
                role: self._live & set(_texts(fields["people"])) for role, fields in roles.items()
            },
            _thresholds={role: _number(fields["threshold"]) for role, fields in roles.items()},
            _owners={name: frozenset(people) for name, people in self._owners.items()},
        )

    def _roles_map(self) -> Iterator[tuple[str, Mapping[str, Value]]]:
        for role, fields in _map(self._tree["roles"]).items():
            yield role, _map(fields)

    def _listed_twice(self, first: _Entry, again: _Entry, key: PublicKey) -> Problem:
        where = self._roles.positions.get(f"{first.pointer}/public")
        line = f" (line {where.line})" if where else ""
        if first.person == again.person:
            words = f"the key {key.fingerprint} of {first.person} is listed twice{line}"
            hint = "keep one entry; a key that was retired does not come back"
        else:
            words = f"the key {key.fingerprint} of {again.person} is also {first.person}'s{line}"
            hint = "give each person a key of their own: ssh-keygen -t ed25519"
        return self._problem("key-listed-twice", words, hint, f"{again.pointer}/public")

    def _strangers(self, people: tuple[str, ...], pointer: str, what: str) -> Iterator[Problem]:
        for number, person in enumerate(people):
            if person not in self._people:
                words = f"{person}, {what}, is not listed under people"
                hint = f"add {person} with a key under people, or take the name out here"
                yield self._problem("person-unknown", words, hint, f"{pointer}/{number}")

    def _gate_problems(self) -> Iterator[Problem]:
        """A gate says that others passed, so its people decide nothing else."""
        others = {
            f"role {role}": _texts(fields["people"])
            for role, fields in self._roles_map()
            if role != GATE
        } | {f"owner of {name}": people for name, people in self._owners.items()}
        gate = _map(_map(self._tree["roles"]).get(GATE)).get("people", ())
        for number, person in enumerate(_texts(gate)):
            for what, people in others.items():
                if person in people:
                    words = f"{person} of role {GATE} is also {what}"
                    hint = "let the gate sign with a key, and under a name, of its own"
                    pointer = f"/roles/{GATE}/people/{number}"
                    yield self._problem("gate-not-separate", words, hint, pointer)

    def _problem(self, code: str, message: str, hint: str, pointer: str) -> Problem:
        positions = self._roles.positions
        position = positions.get(pointer) or positions.get("")
        return Problem(code, message, hint, self._roles.path, position)


_LATER = "until names the first roles version at which the key counts no more; set it above since"
_PASTE = "paste the line of the person's .pub file, such as that of ssh-keygen -t ed25519"
_LIVE_KEY = "give somebody in it a key that counts at this roles version"


def _entries(people: Mapping[str, Value]) -> Iterator[_Entry]:
    for person, fields in people.items():
        keys = _map(fields)["keys"]
        assert isinstance(keys, tuple), "the schema says so"
        for number, item in enumerate(keys):
            key = _map(item)
            until = key.get("until")
            listed = ListedKey(
                person,
                _number(key["since"]),
                None if until is None else _number(until),
                compromised=key.get("compromised") is True,
                pointer=f"/people/{_escaped(person)}/keys/{number}",
            )
            yield _Entry(listed, str(key["public"]))


def _resets(listed: Value) -> Iterator[tuple[int, str]]:
    assert isinstance(listed, tuple), "the schema says so"
    for item in listed:
        reset = _map(item)
        yield _number(reset["version"]), str(reset["replaces"])


def _escaped(name: str) -> str:
    """Write a key as one step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _map(value: Value | None) -> Mapping[str, Value]:
    if value is None:
        return {}
    assert isinstance(value, Mapping), "the schema says so"
    return value


def _texts(value: Value) -> tuple[str, ...]:
    assert isinstance(value, tuple), "the schema says so"
    return tuple(str(item) for item in value)


def _number(value: Value) -> int:
    assert isinstance(value, int), "the schema says so"
    return value
