"""What the guided run shows: a repository is begun, then four promises, each as commands.

The people: alice owns both agents' rules, pat is the platform owner, ria reviews, and ci is the
gate, whose verdicts count.
"""

from collections.abc import Mapping
from datetime import timedelta

from agentpolicy.base.instant import Instant, day_of
from agentpolicy.workflows.demo.documents import BAND_PATH, FIRST_POLICY
from agentpolicy.workflows.demo.evidence import LATE
from agentpolicy.workflows.demo.play import Edit, Promise, Step

PEOPLE = ("alice", "pat", "ria", "ci")
WAIVER_DAYS = 14
_ALICE, _PAT, _RIA, _CI = (f"--key ../keys/{person}" for person in PEOPLE)
_JUDGE = (
    "agentpolicy gate band --agent refund-agent --baseline ../runs/refund-baseline.jsonl "
    "--candidate ../runs/refund-candidate.jsonl"
)
_RECORD = f"--record {_CI}"
_VERDICT = {"verdict": r"recorded sha256:([0-9a-f]{8})"}


def story_values(at: Instant) -> Mapping[str, str]:
    """Give the values that depend on the day the story is told."""
    last_day = day_of(at) + timedelta(days=WAIVER_DAYS)
    return {
        "last_day": last_day.isoformat(),
        "day_after": (last_day + timedelta(days=1)).isoformat(),
    }


BEGINNING = Promise(
    "First, a policy repository",
    (
        Step("Rules live in git, so it begins with a repository.", "git init -q -b main"),
        Step(
            "Alice owns the rules of two agents, pat is the platform owner, ria reviews, ci is the "
            "gate. Their SSH keys become the trust root; its digest, the pin, is what servers and "
            "CI trust before they read anything.",
            "agentpolicy init --person alice=../keys/alice.pub --person pat=../keys/pat.pub "
            "--person ria=../keys/ria.pub --person ci=../keys/ci.pub --platform-owner pat "
            "--reviewer ria --gate ci --owner bands/refund-agent=alice "
            "--owner budgets/schedule-meeting=alice",
            ("wrote policies/roles.yaml", "pinned the trust root"),
        ),
        Step(
            "Git itself will ask before every commit and push.",
            "agentpolicy hook install",
            ("pre-commit: installed", "pre-push: installed"),
        ),
        Step(
            "Alice writes a tolerance band for the refund agent, a budget for scheduling runs and "
            "a tool catalogue, and signs them.",
            f"agentpolicy sign {_ALICE}",
            ("alice signed as agent-owner",),
            files=FIRST_POLICY,
        ),
        Step(
            "A first policy has nothing to be stricter than, so the platform owner must agree.",
            f'agentpolicy approve --role platform-owner {_PAT} --reason "first policy"',
            ("pat signed as platform-owner",),
        ),
        Step(
            "Both signatures lie beside the files, so the commit goes through.",
            'git commit -m "First policy"',
            ("First policy",),
        ),
    ),
)

TIGHTENING = Promise(
    "Tightening a rule needs only its owner",
    (
        Step(
            "Alice asks for answers that are more alike.",
            "agentpolicy diff",
            ("tighter: ", "0.94 is higher than 0.92", "agent-owner (alice)"),
            edit=Edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94"),
        ),
        Step(
            "She signs; the version number in the file is counted on for her.",
            f"agentpolicy sign {_ALICE}",
            ("alice signed as agent-owner", "tighter, version 2"),
        ),
        Step(
            "Nobody else is asked: a stricter rule accepts nothing that the old one refused.",
            'git commit -m "Ask for more alike answers"',
            ("Ask for more alike answers",),
        ),
    ),
)

LOOSENING = Promise(
    "Loosening a rule needs the platform owner as well",
    (
        Step(
            "Alice finds 0.94 too strict and goes below where it was.",
            f"agentpolicy sign {_ALICE}",
            ("looser, version 3",),
            edit=Edit(BAND_PATH, "threshold: 0.94", "threshold: 0.90"),
        ),
        Step(
            "Her signature alone is not enough. Git refuses, and says whose is missing and what "
            "to type.",
            'git commit -m "Allow less alike answers"',
            (
                "needs the signature of platform-owner (pat)",
                "next: agentpolicy approve",
            ),
            exits=1,
        ),
        Step(
            "Pat agrees, and signs exactly these bytes: the approval is void for any others.",
            f'agentpolicy approve --role platform-owner {_PAT} --reason "calibrated on 240 pairs"',
            ("pat signed as platform-owner", "looser, version 3"),
        ),
        Step(
            "Now the same commit goes through.",
            'git commit -m "Allow less alike answers"',
            ("Allow less alike answers",),
        ),
    ),
)

WAIVER = Promise(
    "A waiver lets one known crossing pass, and ends by itself",
    (
        Step(
            "A new version of the refund agent reads the whole refund policy before it answers "
            f"{LATE}, and uses more tokens than the band allows. CI judges it and records the "
            "verdict.",
            f"{_JUDGE} {_RECORD}",
            ("FAIL", f"{LATE}: token_ratio.max", "recorded sha256:"),
            exits=1,
            keeps={**_VERDICT, "failed": r"recorded (sha256:[0-9a-f]{64})"},
        ),
        Step(
            "The extra tokens are intended, so alice asks for a waiver. The measured value and "
            "the limit are copied from the recorded verdict, never typed.",
            f"agentpolicy waiver new --from-verdict {{verdict}} --field token_ratio.max "
            f'--fixture {LATE} --reason "reads the whole refund policy" '
            "--change-link https://git.example.com/acme/agents/pull/31 --owner alice "
            f"--expires-on {{last_day}} --id {LATE}-tokens",
            (f"wrote policies/waivers/{LATE}-tokens.yaml", "measured"),
        ),
        Step("She signs it.", f"agentpolicy sign {_ALICE}", ("alice signed as proposer",)),
        Step(
            "A waiver's owner never approves it; the reviewer does.",
            f'agentpolicy approve --role reviewer {_RIA} --reason "one case, two weeks"',
            ("ria signed as reviewer",),
        ),
        Step(
            "It is a policy file like the others, and lands like them.",
            f'git commit -m "Waive the tokens of {LATE}"',
            (f"Waive the tokens of {LATE}",),
        ),
        Step(
            "The same runs pass now, and the verdict names the waiver and the days it has left.",
            f"{_JUDGE} {_RECORD}",
            ("PASS WITH 1 WAIVER", f"waiver {LATE}-tokens", "recorded sha256:"),
            keeps=_VERDICT,
        ),
        Step(
            "The day after its last day they fail again. No job has to run for that: the date in "
            "the file decides.",
            f"{_JUDGE} --as-of {{day_after}}",
            ("FAIL", f"{LATE}: token_ratio.max", "expired"),
            exits=1,
        ),
    ),
)

VERDICTS = Promise(
    "Every verdict is signed, and names the policy it was judged under",
    (
        Step(
            "CI judges 100 scheduling runs. More than nine in ten succeed, and still they fail: "
            "too many went past a soft limit. The three that lack a value are neither passed nor "
            "dropped.",
            f"agentpolicy gate budget --budget schedule-meeting "
            f"--runs ../runs/schedule-meeting.jsonl {_RECORD}",
            (
                "FAIL",
                "past soft",
                "outcome ",
                "incorrect",
                "amber pass  ",
                "green pass",
                "undecided",
                "recorded sha256:",
            ),
            exits=1,
        ),
        Step(
            "Verdicts are kept in a log on a branch of its own. It shows the two on the refund "
            "agent: the same runs, judged under two policies.",
            "agentpolicy audit query --agent refund-agent",
            ("VERDICT", "fail", "{verdict}"),
            keeps={"commit": r"pass_with_waivers .* ([0-9a-f]{8}) "},
        ),
        Step(
            "The policy is named by its commit, so git shows which rules were in force.",
            "git log -1 --oneline {commit}",
            (f"Waive the tokens of {LATE}",),
        ),
        Step(
            "Every record is signed and chained, so changing or dropping one would show.",
            "agentpolicy audit verify",
            ("ok:",),
        ),
    ),
)

STORY = (BEGINNING, TIGHTENING, LOOSENING, WAIVER, VERDICTS)
