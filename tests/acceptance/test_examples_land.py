"""What is admitted lands by its owner's signature alone; what is refused does not, and says why."""

import re

import pytest
from agentpolicy.admission.decide import Admission
from agentpolicy.admission.requirements import requirements
from agentpolicy.documents.document import Snapshot
from agentpolicy.trust.authority import authority_of
from tests.admission_world import World, approval, ask, codes
from tests.golden import NOW, Example, examples

ALICE = "alice"
OWN_ROLES = ("agent-owner", "proposer")
NEEDS_MORE = {"approval-missing", "roles-missing", "reset-unpinned"}

READABLE = [example for example in examples() if not any(side.unreadable for side in example.sides)]
each = pytest.mark.parametrize("example", READABLE, ids=lambda example: example.name)


@each
def test_the_owner_alone_lands_what_is_admitted_and_nothing_else(example: Example) -> None:
    answer = landed_by_alice(example)
    if example.admitted:
        assert answer.admitted, answer.problems
    else:
        assert not answer.admitted
        assert codes(answer) & NEEDS_MORE, answer


def landed_by_alice(example: Example) -> Admission:
    """Ask whether the pair may land with all that one person can sign of it."""
    old, new = example.sides
    before, after = world(old), counted_on(world(old), world(new))
    base = authority_of(old.roles) if old.roles else None
    head = authority_of(new.roles) if new.roles else base
    assert base is not None
    assert head is not None
    given = [
        approval(before, after, ALICE, str(need.role), need.document)
        for need in requirements(old, example.report, base, head, NOW)
        if ALICE in need.people and need.role in OWN_ROLES
    ]
    return ask(before, after.approved(*given))


def world(side: Snapshot) -> World:
    files = {path: document.data.decode() for path, document in side.documents.items()}
    return World(files, guarded={path: sha256.encode() for path, sha256 in side.guarded.items()})


def counted_on(before: World, after: World) -> World:
    """Put the version of every edited document up by one, as `sign` does."""
    files = {
        path: text if before.files.get(path, text) == text else bumped(before.files[path], text)
        for path, text in after.files.items()
    }
    return World(files, guarded=after.guarded)


VERSION = re.compile(r'(\w+_version"?: )(\d+)')


def bumped(old: str, new: str) -> str:
    was, now = VERSION.search(old), VERSION.search(new)
    if was is None or now is None or was[2] != now[2]:
        return new
    return VERSION.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", new, count=1)
