"""The trust root in force, for people, for programs, and for git itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentpolicy.documents.document import Document, Value
from agentpolicy.trust.authority import Authority, ListedKey
from agentpolicy.trust.keys import PublicKey

GIT_NAMESPACE = "git"


@dataclass(frozen=True, slots=True)
class RolesView:
    """A trust root, the pin it follows from, and the commit it is in force at."""

    document: Document
    authority: Authority
    pin: str
    commit: str

    def state_of(self, key: ListedKey) -> str:
        """Say in a word whether a key counts, and if not, why."""
        if key.compromised:
            return "compromised"
        if key.lives_at(self.authority.version):
            return "live"
        return "retired" if key.since <= self.authority.version else "not yet"

    def keys_of(self, person: str) -> Iterator[tuple[PublicKey, ListedKey]]:
        """Give the keys of a person, in the order of the file."""
        for key, listed in self.authority.listed_keys.items():
            if listed.person == person:
                yield key, listed

    def at(self, name: str) -> Mapping[str, Value]:
        """Give one of the mappings of the file; empty where it has none."""
        found = self.document.tree.get(name, {})
        assert isinstance(found, Mapping)
        return found


def roles_text(view: RolesView) -> str:
    """Write the trust root as people read it."""
    authority = view.authority
    lines = [
        f"roles version {authority.version} in force at {view.commit}",
        f"  digest      {view.document.sha256}",
        f"  repository  {authority.repository}",
        *([f"  url         {authority.url}"] if authority.url else []),
        f"  pin         {view.pin}",
        f"  policy ref  {authority.policy_ref}",
        *(f"  protected   {ref}" for ref in authority.protected[1:]),
        *(f"  guarded     {path}" for path in authority.guarded),
        *(f"  {words}" for words in reset_words(authority)),
        "people",
    ]
    for person, fields in view.at("people").items():
        handle = _field(fields, "handle")
        lines.append(f"  {person}" + (f" ({handle})" if handle else ""))
        lines += [f"    {_key_text(view, key, listed)}" for key, listed in view.keys_of(person)]
    lines.append("roles")
    for role, fields in view.at("roles").items():
        lines.append(
            f"  {role}: {_names(_field(fields, 'people'))}; {_field(fields, 'threshold')} must sign"
        )
    if owners := view.at("owners"):
        lines.append("owners")
        lines += [f"  {name}: {_names(people)}" for name, people in owners.items()]
    return "\n".join(lines) + "\n"


def roles_json(view: RolesView) -> dict[str, object]:
    """Write the trust root for programs."""
    authority = view.authority
    return {
        "format_version": 1,
        "version": authority.version,
        "sha256": view.document.sha256,
        "commit": view.commit,
        "pin": view.pin,
        "repository": authority.repository,
        "url": authority.url,
        "policy_ref": authority.policy_ref,
        "protected": list(authority.protected),
        "guarded": list(authority.guarded),
        "resets": [{"version": at, "replaces": old} for at, old in authority.resets],
        "people": [
            {"name": name, "handle": _field(fields, "handle"), "keys": _keys_json(view, name)}
            for name, fields in view.at("people").items()
        ],
        "roles": {
            role: {
                "people": _listed(_field(fields, "people")),
                "threshold": _field(fields, "threshold"),
            }
            for role, fields in view.at("roles").items()
        },
        "owners": {name: _listed(people) for name, people in view.at("owners").items()},
    }


def reset_words(authority: Authority) -> Iterator[str]:
    """Say in a sentence each where the pin alone replaced a trust root."""
    for version, replaced in authority.resets:
        yield f"reset: version {version} replaced {replaced} by the pin alone, without its quorum"


def keys_text(view: RolesView) -> str:
    """List every key with whose it is and whether it counts."""
    keys = view.authority.listed_keys.items()
    width = max((len(listed.person) for _, listed in keys), default=0)
    lines = (f"{listed.person:<{width}}  {_key_text(view, key, listed)}" for key, listed in keys)
    return "".join(f"{line}\n" for line in lines)


def keys_json(view: RolesView) -> dict[str, object]:
    """List every key for programs."""
    people = view.at("people")
    listed = [{"person": name, **key} for name in people for key in _keys_json(view, name)]
    return {"format_version": 1, "version": view.authority.version, "keys": listed}


def allowed_signers(view: RolesView) -> str:
    """Write the live keys as git's `gpg.ssh.allowedSignersFile`, for commit signatures alone.

    A convenience for `git log --show-signature`; nothing here ever reads it.
    """
    return "".join(
        f'{listed.person} namespaces="{GIT_NAMESPACE}" {key.line}\n'
        for key, listed in view.authority.listed_keys.items()
        if view.state_of(listed) == "live"
    )


def _key_text(view: RolesView, key: PublicKey, listed: ListedKey) -> str:
    until = f" until {listed.until}" if listed.until is not None else ""
    state = view.state_of(listed)
    return f"{key.fingerprint} {key.algorithm} {state}, since {listed.since}{until}"


def _keys_json(view: RolesView, person: str) -> list[dict[str, object]]:
    return [
        {
            "fingerprint": key.fingerprint,
            "algorithm": key.algorithm,
            "public": key.line,
            "since": listed.since,
            "until": listed.until,
            "state": view.state_of(listed),
        }
        for key, listed in view.keys_of(person)
    ]


def _field(fields: Value, name: str) -> Value | None:
    assert isinstance(fields, Mapping)
    return fields.get(name)


def _listed(people: Value | None) -> list[str]:
    return [str(name) for name in people] if isinstance(people, tuple) else []


def _names(people: Value | None) -> str:
    return ", ".join(_listed(people)) or "nobody"
