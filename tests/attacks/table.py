"""The attacks that must not work, by id, and the roads by which each may be tried.

An attack test says which row it tries, and by which roads, with a marker:

    @pytest.mark.attack("A1", "commit", "push", "check", "gate")

One test may carry several markers. `make attacks` prints a line for each row.
"""

from collections.abc import Mapping

ROADS: Mapping[str, str] = {
    "read": "strict reading: `validate`, or the reader itself",
    "commit": "`git commit` with the local hooks",
    "merge": "`git merge` with the local hooks",
    "pre-push": "`git push` with the local hook",
    "push": "`git push` to a bare repository that has the server hook",
    "check": "`check`, as CI runs it",
    "history": "`verify-history`",
    "gate": "the gate itself",
    "sign": "`sign` or `approve`, which refuse to give the signature",
    "decide": "the one `decide` that all roads call, asked directly",
    "judge": "the judgement that the gate makes, asked directly",
}

ROWS: Mapping[str, str] = {
    "A1": "a threshold lowered with the agent owner's signature alone",
    "A2": "one loosening among tightenings",
    "A3": "an optional limit deleted",
    "A4": "a band, budget or waiver file deleted",
    "A5": "a band renamed away, or to another agent",
    "A6": "a write tool called read-only or idempotent",
    "A7": "an unlisted tool listed as read",
    "A8": "a grade turned from fail to warn",
    "A9": "loosened, then tightened back in one push",
    "A10": "a tightening reverted",
    "A11": "a stale branch merged, looser than today's rule",
    "A12": "a merge that takes the tree of an old ancestor",
    "A13": "a change that exists only in the merge commit",
    "A14": "a neutral change on top of an unapproved loosening",
    "A15": "the old tip made the second parent",
    "A16": "a re-baseline that changes more than texts",
    "A17": "a second budget for one task, or a variant to escape one",
    "A18": "a hard limit lowered to shrink the amber rate",
    "B1": "an old approval replayed",
    "B2": "an approval copied to another path",
    "B3": "an approval from another repository or for another ref",
    "B4": "an approver who is the author under another name or key",
    "B5": "one key for two people, or in two encodings",
    "B6": "one signature twice to reach two",
    "B7": "a key added in the change that it approves",
    "B8": "a threshold of nobody, or of more people than live",
    "B9": "a roles version skipped or repeated",
    "B10": "a retired key on a back-dated commit",
    "B11": "a git commit signature offered as an approval",
    "B12": "a good signature over another file's digest",
    "B13": "a stored approval altered or deleted",
    "B14": "a loosening signed as tighter",
    "B15": "one half of two documents approved together",
    "B16": "a lapsed or withdrawn approval",
    "B17": "one's own proposal approved",
    "B18": "the trust root rewritten by one platform owner",
    "C1": "the hook bypassed",
    "C2": "the index says one thing, the work tree another",
    "C3": "committed by -a, FILE, -p or --include",
    "C4": "brought by cherry-pick, rebase, am, fast-forward or update-ref",
    "C5": "pushed to another branch first",
    "C6": "several refs at once; the ref deleted, re-created, moved back",
    "C7": "replace refs and grafts",
    "C8": "git told by configuration what to answer",
    "C9": "a guarded file or a schema edited in the same change",
    "C10": "asked in a shallow clone",
    "C11": "the gate pointed at a commit nobody approved",
    "C12": "the gate pointed at an old, looser commit",
    "C13": "the local ref moved back, or to a fork",
    "C14": "a tag named main; grafts; poisoned objects",
    "C15": "the pin edited or unset",
    "C16": "a candidate judged against itself, or another baseline",
    "C17": "another build's or another agent's verdict shipped",
    "C18": "a run that understates its steps or its effects",
    "D1": "YAML that hides a value",
    "D2": "numbers in disguise",
    "D3": "characters that look alike or hide",
    "D4": "paths that differ by case, or cannot be typed",
    "D5": "a symlink or a submodule under policies/",
    "D6": "bombs: aliases, size, depth",
    "E1": "a waiver's date edited",
    "E2": "a waiver for everything, or for nothing in particular",
    "E3": "a waiver longer than its band allows",
    "E4": "a revoked waiver added again",
    "E5": "the clock set back",
    "E6": "an undeclared effect waived",
    "E7": "a worse value than the one waived",
    "E8": "another agent's fixture of the same id",
    "E9": "a renewal that does not say so",
    "E10": "a waiver whose verdict its owner made",
    "E11": "a commit or a record dated far ahead",
}

NOT_YET: Mapping[str, str] = {
    "E9": "renewals are not told from new waivers yet",
}
"""Rows that need what is still to come, with the reason; those that have no test print it."""
