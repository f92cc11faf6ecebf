import pytest
from agentpolicy.gitio.environment import FORCED, KEPT, git_environment


def test_variables_that_choose_the_repository_are_kept() -> None:
    chosen = dict.fromkeys((*KEPT, "PATH", "HOME"), "kept")
    assert git_environment(chosen) == {**chosen, **FORCED}


@pytest.mark.parametrize("name", ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"])
def test_pushed_objects_in_quarantine_stay_in_sight(name: str) -> None:
    assert git_environment({name: "quarantine"})[name] == "quarantine"


def test_variables_that_inject_configuration_are_dropped() -> None:
    injected = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/dev/null",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_CONFIG": "elsewhere",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_REPLACE_REF_BASE": "refs/other/",
        "GIT_PREFIX": "sub/",
        "GIT_SHALLOW_FILE": "elsewhere",
    }
    assert injected.keys().isdisjoint(git_environment(injected))


def test_replacements_grafts_and_prompts_are_off_whatever_the_caller_says() -> None:
    answer = git_environment({"GIT_GRAFT_FILE": "mine", "GIT_TERMINAL_PROMPT": "1", "LC_ALL": "de"})
    assert answer["GIT_GRAFT_FILE"] == "/dev/null"
    assert answer["GIT_NO_REPLACE_OBJECTS"] == "1"
    assert answer["GIT_TERMINAL_PROMPT"] == "0"
    assert answer["LC_ALL"] == "C"
