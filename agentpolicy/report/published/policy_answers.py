"""Answers about policies and who may change them."""

from agentpolicy.report.published.shapes import (
    ANYTHING,
    CLASS,
    COUNT,
    DECISION,
    DIGEST,
    FLAG,
    INSTANT,
    OID,
    PLACE,
    PROBLEM,
    PROBLEMS,
    ROLES,
    TEXT,
    Shape,
    also,
    answer,
    by_name,
    either,
    every,
    fields,
    maybe,
    one_of,
)

_FINDING = fields(
    rule=TEXT,
    effect=one_of("tighter", "looser", "incomparable", "neutral", "unknown", "record", "root"),
    document=TEXT,
    pointer=TEXT,
    old=maybe(TEXT),
    new=maybe(TEXT),
    old_text=maybe(TEXT),
    new_text=maybe(TEXT),
    location=maybe(PLACE),
    old_location=maybe(PLACE),
    reader=TEXT,
    why=TEXT,
    witness=maybe(
        fields(kind=TEXT, under=maybe(TEXT), runs=every(ANYTHING), old=TEXT, new=TEXT, text=TEXT)
    ),
)
_CHANGE = {
    "document": TEXT,
    "operation": one_of("add", "modify", "delete", "close", "ratify"),
    "class": CLASS,
    "old_sha256": maybe(DIGEST),
    "new_sha256": maybe(DIGEST),
    "old_version": COUNT,
    "new_version": COUNT,
    "approvals_needed": ROLES,
}
_PRESENT = fields(role=TEXT, person=TEXT, key=TEXT, documents=every(TEXT))
_KEY = fields(
    fingerprint=TEXT,
    algorithm=TEXT,
    public=TEXT,
    since=COUNT,
    until=maybe(COUNT),
    state=one_of("live", "retired", "compromised", "not yet"),
)
_RULE = {
    "id": TEXT,
    "document": TEXT,
    "place": maybe(TEXT),
    "pointers": every(TEXT),
    "kind": TEXT,
    "levels": every(TEXT),
    "why": TEXT,
    "required": FLAG,
    "approvals": by_name(every(TEXT)),
    "examples": every(ANYTHING),
}
_VERDICT = fields(verdict=DIGEST, commit=OID, decision=DECISION, evaluated_at=INSTANT, person=TEXT)
_UNUSABLE = fields(
    commits={**every(OID), "minItems": 1},
    problems={**every(PROBLEM), "minItems": 1},
    closed_by=maybe(OID),
    restored=maybe(FLAG),
    verdicts=every(_VERDICT),
)

POLICY_ANSWERS: dict[str, Shape] = {
    "diff": answer(
        "diff",
        **{"class": CLASS},
        approvals_needed=ROLES,
        documents=COUNT,
        fields=COUNT,
        fields_unchanged=COUNT,
        changes=every(fields(**_CHANGE)),
        derivation=every(TEXT),
        findings=every(_FINDING),
        advice=PROBLEMS,
    ),
    "check": answer(
        "check",
        admitted=FLAG,
        **{"class": CLASS},
        approvals_needed=ROLES,
        approvals_present=every(_PRESENT),
        problems=PROBLEMS,
    ),
    "roles-show": answer(
        "roles show",
        version=COUNT,
        sha256=DIGEST,
        commit=TEXT,
        pin=TEXT,
        repository=TEXT,
        url=maybe(TEXT),
        policy_ref=TEXT,
        protected=every(TEXT),
        guarded=every(TEXT),
        resets=every(fields(version=COUNT, replaces=DIGEST)),
        people=every(fields(name=TEXT, handle=maybe(TEXT), keys=every(_KEY))),
        roles=by_name(fields(people=every(TEXT), threshold=COUNT)),
        owners=by_name(every(TEXT)),
    ),
    "key-list": answer("key list", version=COUNT, keys=every(also(_KEY, person=TEXT))),
    "rules": answer("rules", rules=every(fields(**_RULE))),
    "rules-explain": answer("rules explain", **_RULE),
    "validate": answer("validate", files=COUNT, problems=PROBLEMS),
    "codeowners": {
        **answer("codeowners"),
        **either([fields(text=TEXT), fields(problems=PROBLEMS)]),
    },
    "doctor": answer(
        "doctor",
        standing=one_of("well", "note", "unknown", "unprotected"),
        findings=every(
            fields(
                about=TEXT,
                standing=one_of("well", "note", "unknown", "unprotected"),
                what=TEXT,
                why=TEXT,
                hint=TEXT,
            )
        ),
    ),
    "verify-history": answer(
        "verify-history",
        verified=FLAG,
        ref=TEXT,
        begin=OID,
        tip=OID,
        commits=COUNT,
        unusable=every(_UNUSABLE),
        verdicts_known=FLAG,
        pin=TEXT,
        pin_held_back=maybe(TEXT),
    ),
}
"""By the name of its file."""
