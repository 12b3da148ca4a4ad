"""On what kind of file system a folder lies: on one of a network, locks may not hold and what is flushed may not be kept."""

from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "ocfs2", "gfs2", "davfs", "ncpfs",
     "fuse.sshfs", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs2", "fuse.rclone", "fuse.gcsfuse", "virtiofs")
)  # fmt: skip
"""Types as `mount` names them, of file systems that several machines may share."""


def shared_by_network(folder: Path) -> str:
    """The type of network file system that a folder lies on, or would, "" where it lies on none or nobody can say."""
    try:
        mounts = MOUNTS.read_text("utf-8", "replace")
    except OSError:
        return ""
    return network_type(folder.resolve(), mounts)


def network_type(folder: Path, mounts: str) -> str:
    """The same, from the lines of /proc/mounts (fstab(5): device, mount point, type, …)."""
    found, kind = Path(), ""
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:  # noqa: PLR2004 — the three that count
            continue
        point = Path(parts[1].replace("\\040", " ").replace("\\011", "\t"))
        if folder.is_relative_to(point) and len(point.parts) >= len(found.parts):
            found, kind = point, parts[2]
    return kind if kind in NETWORK else ""
