"""The command line: one command per file, one line per command in COMMANDS; `shell/` is what all of them share.

Importing this package imports no command: `--help` reads this list, and a command imports only itself.
"""


class Entry:  # no NamedTuple: the way in imports this, and `typing` would take a third of the time it has to answer Ctrl-C
    """One command: its name, the module of this package that holds it as `run`, its group in the help, one sentence."""

    def __init__(self, name: str, module: str, group: str, summary: str) -> None:
        """Take the four."""
        self.name, self.module, self.group, self.summary = name, module, group, summary


OFFLINE = "Offline: a card is a file, - or a URL"
LIVE = "Live: the tracker at work"
AUDIT = "Audit: the log as evidence"
ANALYSIS = "Analysis: which providers keep their word"
CATALOGUES = "Catalogues"
SHELL = "Shell"
COMMANDS: tuple[Entry, ...] = (
    Entry("check", "check", OFFLINE, "Judge cards against a lockfile: may the workflow still rely on the agent?"),
    Entry("diff", "diff", OFFLINE, "Judge a new card for a workflow that needs everything the old one offered."),
    Entry("lint", "lint", OFFLINE, "Say what is wrong with a card, and where."),
    Entry("compile", "compile", OFFLINE, "Print the effective profile of a card for one client."),
    Entry("pin", "pin", OFFLINE, "Propose the smallest lockfile for what a workflow needs of a card."),
    Entry("sign", "sign", OFFLINE, "Sign a card with a private key."),
    Entry("verify", "verify", OFFLINE, "Verify the signatures of a card with keys you trust."),
    Entry(
        "scan",
        "scan",
        OFFLINE,
        "Walk a registry now: what each entry would become as a watched agent, and why others would not.",
    ),
    Entry(
        "demo",
        "demo",
        LIVE,
        "Run a worked example: a travel planner's lock and an agent that changes its card, or how a planner finds its agent.",
    ),
    Entry("up", "up", LIVE, "Run the whole tracker in one process group."),
    Entry("run", "run", LIVE, "Run one service of the tracker, as a container does."),
    Entry("track", "track", LIVE, "Watch an agent from now on; with --lock, judge it by what a workflow needs."),
    Entry("untrack", "untrack", LIVE, "Watch an agent no more."),
    Entry("refresh", "refresh", LIVE, "Look at an agent now, instead of when it is due."),
    Entry("probe", "probe", LIVE, "Put an agent's claims to the test now; exit 1 where one is contradicted."),
    Entry("agents", "agents", LIVE, "List who is watched, how it stands, and how many locks depend on it."),
    Entry(
        "show",
        "show",
        LIVE,
        "Show what is known of an agent: how it stands, its profile, evidence, and the locks on it.",
    ),
    Entry(
        "candidates",
        "candidates",
        LIVE,
        "Choose among the agents that are watched: hard filters with their reasons, then the order of those that pass.",
    ),
    Entry(
        "can-i-delegate",
        "can_i_delegate",
        LIVE,
        "Say whether a workflow may delegate now, to whom, and why not to others.",
    ),
    Entry(
        "impact",
        "impact",
        LIVE,
        "Say which workflows depend on an agent, whose they are, and what would stop without it or under another card.",
    ),
    Entry("status", "status", LIVE, "Say where each lock stands: verdict, since when, what is open."),
    Entry("watch", "watch", LIVE, "Print changes as they are decided, until Ctrl-C."),
    Entry("history", "history", LIVE, "Tell what happened to an agent, in stream order, newest last, times in UTC."),
    Entry("ack", "ack", LIVE, "Accept open findings, while the same change stands and no longer."),
    Entry("release", "release", LIVE, "Withdraw a workflow's locks: the one on AGENT, or all of them."),
    Entry("redact", "redact", LIVE, "Delete the stored bytes of a card for good."),
    Entry(
        "accounts",
        "accounts",
        LIVE,
        "Print the accounts of a NATS server: the services' own, and for each principal one in which its planners see no more.",
    ),
    Entry("replay", "replay", LIVE, "Rebuild every projection from the log and compare it with what is kept."),
    Entry(
        "doctor",
        "doctor",
        LIVE,
        "Look the tracker over: broker, log, services, agents, locks, keys; each trouble with its fix.",
    ),
    Entry("healthy", "healthy", LIVE, "Ask one service whether it lives."),
    Entry(
        "blame",
        "blame",
        AUDIT,
        "Say for each value a capability ever had which fact brought it, in which window, and what it brought.",
    ),
    Entry(
        "explain",
        "explain",
        AUDIT,
        "Explain a decision: each finding with its rule, before and now, since when, and the facts it rests on.",
    ),
    Entry(
        "export",
        "export",
        AUDIT,
        "Export a slice of the log with the bodies it names and the proofs of its facts, in a bundle of JSON lines.",
    ),
    Entry(
        "import",
        "import_",
        AUDIT,
        "Import a bundle into an empty log, under the sequences and times it had: blame, explain and history answer as there.",
    ),
    Entry(
        "seal",
        "seal",
        AUDIT,
        "Sign the head of the log now, and print it to be kept where nobody who can alter the log can alter it.",
    ),
    Entry(
        "prove",
        "prove",
        AUDIT,
        "Prove that a fact stands in the log under its newest signed head, in a file that anybody can check without the log.",
    ),
    Entry(
        "verify-log",
        "verify_log",
        AUDIT,
        "Verify that the log is the one that was sealed: every fact, every signed head, those kept elsewhere too.",
    ),
    Entry(
        "backup",
        "backup",
        AUDIT,
        "Back up the log, the bodies and the reports, while the tracker runs, as NATS itself writes streams.",
    ),
    Entry(
        "restore",
        "restore",
        AUDIT,
        "Restore a backup where there is no log: sequences, times and bodies are those they were.",
    ),
    Entry("sql", "sql", ANALYSIS, "Ask the archive in SQL (DuckDB), whether the tracker runs or not."),
    Entry(
        "archive",
        "archive",
        ANALYSIS,
        "Write the history as Parquet, a file for each day and kind of fact, with a manifest of rows and digests.",
    ),
    Entry(
        "report",
        "report",
        ANALYSIS,
        "Say which providers keep their word: availability, claims, errors, changes, notice, recovery, latency.",
    ),
    Entry("rules", "rules", CATALOGUES, "List and explain the rules, the diagnostics and the error codes."),
    Entry("events", "events", CATALOGUES, "List the event types that make up the log."),
    Entry(
        "schema", "schema", CATALOGUES, "Print JSON Schemas of events, lockfiles and outputs, or the AsyncAPI document."
    ),
    Entry("completion", "completion", SHELL, "Print the completion script of a shell."),
    Entry("help", "help", SHELL, "Explain a command or a topic."),
)
