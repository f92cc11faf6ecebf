"""The approvals stored at one commit, each read only when it is asked for."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from agentpolicy.gitio.lineage import Lineage
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import TREE


class StoredApprovals(Mapping[str, bytes]):
    """By path, what lies in one folder of one tree. The state it belongs to was admitted."""

    def __init__(self, objects: Objects, lineage: Lineage, tree: str, folder: str) -> None:
        """Remember where to look; nothing is read yet."""
        self._objects, self._lineage, self._tree, self._folder = objects, lineage, tree, folder

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The object id of each approval, by path."""
        entry = self._lineage.entry_at(self._tree, self._folder)
        if entry is None or entry.mode != TREE:
            return {}
        return {file.path: file.oid for file in self._objects.walk(entry.oid, self._folder)}

    def __getitem__(self, path: str) -> bytes:
        """Read one approval."""
        if "ids" in self.__dict__:
            return self._objects.blob(self.ids[path])
        entry = self._lineage.entry_at(self._tree, path)
        if entry is None or not path.startswith(f"{self._folder}/"):
            raise KeyError(path)
        return self._objects.blob(entry.oid)

    def __contains__(self, path: object) -> bool:
        """Say whether there is such an approval, without reading it."""
        if not isinstance(path, str) or not path.startswith(f"{self._folder}/"):
            return False
        return self._lineage.entry_at(self._tree, path) is not None

    def __iter__(self) -> Iterator[str]:
        """List the paths, in git's order."""
        return iter(self.ids)

    def read_all(self) -> Mapping[str, bytes]:
        """Read all of them, for when git is not there to ask any more."""
        return dict(zip(self.ids, self._objects.blobs(self.ids.values()), strict=True))

    def __len__(self) -> int:
        """Count the approvals."""
        return len(self.ids)
