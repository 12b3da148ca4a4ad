"""A provider's keys, as `sign` uses them: one read from a file, one made; the private half is never shown."""

from pathlib import Path

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.card.jwk import read_jwk
from cardtrail.services.card.parse import parse
from cardtrail.services.card.sign import new_key
from cardtrail.services.cli.outputs.sign import NewSigningKeyOutput
from cardtrail.services.cli.shell.console import Console, as_json
from cardtrail.services.cli.shell.inputs import read_file
from cardtrail.services.secret_file import new_secret_file


def private_key(file: str) -> dict[str, object]:
    """The JWK in a file.

    Raises:
        UsageError: `file-unreadable`, `key-unfit`.
    """
    try:
        value = parse(read_file(file).data).value
    except InputRefused as error:
        raise UsageError("key-unfit", "no JSON", hint="a private key as a JWK is wanted", file=file) from error
    if not isinstance(value, dict):
        raise UsageError("key-unfit", "a JWK is an object", file=file)
    return value


def make_key(console: Console, file: str, kid: str, alg: str) -> None:
    """A new key: its private half into the file, the key set to publish to stdout.

    Raises:
        UsageError: `alg-not-allowed`, `output-unwritable`.
    """
    private = new_key(alg, kid)
    new_secret_file(Path(file), as_json(private))
    public = read_jwk(private)
    jwks = {"keys": [{**public.jwk, "kid": public.kid, "alg": public.alg, "use": "sig"}]}
    if console.json:
        made = NewSigningKeyOutput(
            format="cardtrail.signing-key/1", file=file, kid=public.kid, alg=public.alg, jwks=jwks
        )
        console.document(made.model_dump(mode="json"))
        return
    console.hint(f"the private key is in {file}; publish the key set where your clients look for it")
    console.lines(*as_json(jwks).splitlines())
