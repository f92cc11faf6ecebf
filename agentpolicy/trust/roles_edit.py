"""The common changes of a trust root, as edits of what it says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import Value
from agentpolicy.trust.keys import parse_public_key

_Fields = dict[str, Value]


@dataclass(frozen=True, slots=True)
class RolesEdit:
    """What is to be different; everything that is not named stays."""

    add_people: Sequence[tuple[str, str]] = ()
    """Names with the line of their public key."""
    add_keys: Sequence[tuple[str, str]] = ()
    remove_people: Sequence[str] = ()
    """They lose every role and their keys are retired; their keys stay listed, as nobody else's."""
    retire: Sequence[tuple[str, str]] = ()
    """Names with the fingerprint of a key of theirs, or its first characters."""
    compromised: Sequence[tuple[str, str]] = ()
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All the people of a role."""
    thresholds: Mapping[str, int] = field(default_factory=dict)
    replaces: str = ""
    """Digest of the trust root whose quorum was lost, where the pin is to replace it."""
    owners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All the owners of a document; none take its entry away."""


def edited(tree: Mapping[str, Value], edit: RolesEdit, version: int) -> Mapping[str, Value]:
    """Give what the trust root says after the edit, at its next version.

    Raises:
        InputError: somebody or some key that is named is not there, or is there already.
    """
    people = {name: _fields(person) for name, person in _fields(tree["people"]).items()}
    for name, line in edit.add_people:
        if name in people:
            raise _refused(f"{name} is listed already", f"--add-key {name}=KEY.pub")
        people[name] = {"handle": f"@{name}", "keys": (_new_key(line, version),)}
    for name, line in edit.add_keys:
        person = _person(people, name)
        person["keys"] = (*_keys(person), _new_key(line, version))
    for name, fingerprint in edit.retire:
        _change_key(_person(people, name), name, fingerprint, {}, version)
    for name, fingerprint in edit.compromised:
        _change_key(_person(people, name), name, fingerprint, {"compromised": True}, version)
    for name in edit.remove_people:
        person = _person(people, name)
        person["keys"] = tuple(_retired(key, version) for key in _keys(person))
    new = {**tree, "people": people, "roles": _roles(tree, edit)}
    owners = dict(_owners(tree, edit))
    if owners or "owners" in tree:
        new["owners"] = owners
    if not owners:
        new.pop("owners", None)
    if edit.replaces:
        told = tree.get("resets", ())
        assert isinstance(told, tuple)
        new["resets"] = (*told, {"version": version, "replaces": edit.replaces})
    return {**new, "roles_version": version}


def _roles(tree: Mapping[str, Value], edit: RolesEdit) -> Mapping[str, Value]:
    roles = {role: _fields(fields) for role, fields in _fields(tree["roles"]).items()}
    for role, people in edit.roles.items():
        before = roles.get(role, {"threshold": 1})
        roles[role] = {"people": tuple(people), "threshold": before["threshold"]}
    for role, threshold in edit.thresholds.items():
        if role not in roles:
            raise _refused(f"there is no role {role}", f"--role {role}=NAME")
        roles[role]["threshold"] = threshold
    for role, fields in list(roles.items()):
        fields["people"] = _without(fields["people"], edit.remove_people)
        if not fields["people"] and role != "platform-owner":
            del roles[role]
    return roles


def _owners(tree: Mapping[str, Value], edit: RolesEdit) -> Iterator[tuple[str, Value]]:
    owners = _fields(tree.get("owners", {}))
    owners.update({name: tuple(people) for name, people in edit.owners.items()})
    for name, people in owners.items():
        left = _without(people, edit.remove_people)
        if people and not left:
            raise _refused(f"{name} would have no owner left", f"--owner {name}=NAME")
        if left:
            yield name, left


def _without(people: Value, gone: Sequence[str]) -> tuple[Value, ...]:
    assert isinstance(people, tuple)
    return tuple(name for name in people if name not in gone)


def _new_key(line: str, version: int) -> Mapping[str, Value]:
    return {"public": line, "since": version}


def _change_key(
    person: _Fields, name: str, fingerprint: str, more: Mapping[str, Value], version: int
) -> None:
    """Retire the one key of a person that the fingerprint names."""
    keys = _keys(person)
    wanted = fingerprint.removeprefix("SHA256:")
    of = [parse_public_key(str(key["public"])).fingerprint.removeprefix("SHA256:") for key in keys]
    named = [number for number, one in enumerate(of) if wanted and one.startswith(wanted)]
    if len(named) != 1:
        words = f"{fingerprint} names {'no' if not named else 'more than one'} key of {name}"
        raise _refused(words, f"FINGERPRINT of: {', '.join(f'SHA256:{one}' for one in of)}")
    keys[named[0]] = {**_retired(keys[named[0]], version), **more}
    person["keys"] = tuple(keys)


def _retired(key: Mapping[str, Value], version: int) -> Mapping[str, Value]:
    """End a key with this version; one that has ended, or ends by then, stays as it is."""
    until = key.get("until")
    return key if isinstance(until, int) and until <= version else {**key, "until": version}


def _person(people: Mapping[str, _Fields], name: str) -> _Fields:
    if name not in people:
        raise _refused(f"{name} is not listed", f"--add-person {name}=KEY.pub")
    return people[name]


def _keys(person: Mapping[str, Value]) -> list[Mapping[str, Value]]:
    keys = person["keys"]
    assert isinstance(keys, tuple)
    return [_fields(key) for key in keys]


def _fields(value: Value) -> _Fields:
    assert isinstance(value, Mapping)
    return dict(value)


def _refused(words: str, option: str) -> InputError:
    return InputError(Problem("roles-edit", words, f"agentpolicy roles propose {option}"))
