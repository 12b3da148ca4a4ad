"""Which release this is."""


def release() -> str:
    """The version of the distribution, `0` when it is not installed as one."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 — slow to import, seldom needed

    try:
        return version("cardtrail")
    except PackageNotFoundError:
        return "0"
