"""JSON pointers (RFC 6901): the names positions are kept under."""


def child(pointer: str, key: str) -> str:
    """Give the pointer of an entry of the mapping at `pointer`."""
    if "~" in key or "/" in key:
        key = key.replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{key}"


def keys_of(pointer: str) -> tuple[str, ...]:
    """Split a pointer into the keys and indices it goes through."""
    if not pointer:
        return ()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
