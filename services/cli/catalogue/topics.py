"""The topics of `cardtrail help`: what holds for every command."""

from pathlib import Path

EXIT_CODES: tuple[tuple[int, str], ...] = (
    (0, "fine: the work was done and, for a gate, the policy holds"),
    (
        1,
        "the answer is no: a gate (check, --fail-on) failed, or what was asked is not so (can-i-delegate, doctor, verify-log, …)",
    ),
    (2, "usage or configuration: an option, a file, a setting that is wrong"),
    (3, "input refused: a card, lock, key set, signature or event that cannot be used"),
    (4, "unreachable: an agent or the broker does not answer, or what keeps the log does not do its part"),
    (70, "a defect in cardtrail itself"),
    (130, "interrupted (Ctrl-C)"),
    (141, "whoever read the output has closed it"),
)
_ENVIRONMENT = """
Every option can be set by a variable: CARDTRAIL_ and its long name, as CARDTRAIL_FAIL_ON=review.
The command line wins over the variable, the variable over cardtrail.toml, the file over the default.

NO_COLOR         any value: no colour        CLICOLOR=0  no colour on a terminal
CLICOLOR_FORCE   any value but 0: colour     NATS_URL    the broker of the live commands
GITHUB_ACTIONS   set by the runner: no line of output can be read as a command to it
"""
_FORMATS = """
--format picks what stdout gets, --out FORMAT=FILE writes further ones from the same run:
  cardtrail check trip.lock.json card.json --format text --out sarif=a.sarif --out junit=b.xml

text      for people                    json      one document, its schema by: cardtrail schema check
markdown  a step summary or comment     junit     GitLab, Jenkins: a test case per rule
sarif     code scanning (SARIF 2.1.0)   github    annotations of a workflow run
gitlab    Code Quality report

The place of a finding is the lock line it breaks. The same input gives the same bytes. Files are named relative to the folder
that the command runs in: run it at the root of the repository.

A run that fails once its arguments are understood (a card is missing, an agent does not answer) writes every one of them all the
same, with the error: SARIF says executionSuccessful false, JUnit an error, GitHub ::error, GitLab a blocker, JSON what stands on
stdout with --json. The exit code is that of the error. Of several cards, one that cannot be had is unknown, with its error; the
others are judged all the same, and the highest exit code counts.
"""
_SIGNATURES = """
A signature stands over bytes, and a card can be written as bytes in several ways. A2A 1.0 (8.4.1) names one; signers use five,
and verify tries them all. form says which one fits:

spec_present       the members as they are served, empty ones left out unless A2A requires them (RFC 8785 order)
spec_filled        the same, with required members that are absent filled in as empty
sdk_pruned         as the SDKs sign: every empty value left out, at every depth
sdk_python_legacy  the same in the JSON of a2a-python up to 1.1.3
raw                every member as it is served; the only form of cards from before 1.0

not covered names members that the signed bytes do not hold. Whoever stands between can add, change or take away these, and the
signature still fits: members that A2A 1.0 does not know, and, under the two sdk forms, empty values. Schemes and demands with
something in them are signed; an anonymous or mTLS alternative is written with empty values, and could be added or taken away
(securitySchemes, securityRequirements). A card without empty values has the same bytes in several forms: all that fit count, so
also under spec_present these values are not covered where sdk_pruned fits. All are read the same, and a change of them alone is
told: cardtrail rules CT212.

verified says that the card is the signer's, not that it is true. invalid: a key that is trusted says that it was changed.
unverifiable: no key is held to judge it. absent: not signed. cardtrail sign --form FORM signs in one of them.
"""
_BUNDLES = """
A bundle is a folder, or a tar of it: manifest.json (format cardtrail.bundle/1, scope, digests), facts.jsonl (each fact as it
lies on the log, with its sequence, the broker's time and its hash in the tree), bodies.jsonl, and tree.jsonl, which with the
signed head in the manifest proves the facts: cardtrail verify-log BUNDLE.

Unless --full is given, these members of facts are replaced by a word that is the same for the same text within the bundle:
  agent-tracked by, credential, registry_metadata.*      agent-untracked by, reason      body-redacted by, reason
  card-fetched address, headers.*     card-refused address, detail     change-acknowledged by, reason
  change-decided owner, channel       lockfile-pinned by, lockfile.owner, lockfile.channel, lockfile.person
  lockfile-released by, reason        owner-notified channel, problem  policy-declared by      probe-recorded detail
  registry-scanned problem            runtime-error-observed detail, report
  and paths of our machines in agent-tracked target.value, card-fetched location, card-refused target

With --since, every fact that its decisions rest on comes along, marked as context: explain says there what it says here.

Left out: what other principals than those named see (default public), and extended cards. Kept: agents, workflows, principals,
URLs, cards, rules, severities, verdicts. A redacted fact keeps its place in the proof; its text is not proven.
"""


def exit_codes() -> str:
    """The table of exit codes."""
    rows = "\n".join(f"{number:>4}  {meaning}" for number, meaning in EXIT_CODES)
    return f"{rows}\n\nScripts go by error.code of --json: other A2A tools give 3 and 4 other meanings."


TOPICS: dict[str, str] = {
    "exit-codes": exit_codes(),
    "environment": _ENVIRONMENT.strip(),
    "formats": _FORMATS.strip(),
    "signatures": _SIGNATURES.strip(),
    "bundles": _BUNDLES.strip(),
    "settings": Path(__file__).with_name("cardtrail.toml").read_text("utf-8").strip(),
}
