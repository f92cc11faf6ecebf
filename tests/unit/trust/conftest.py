from pathlib import Path

import pytest
from tests.ssh_keys import Key, keys_of_every_kind


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="session")
def keys(key_folder: Path) -> dict[str, Key]:
    return keys_of_every_kind(key_folder)
