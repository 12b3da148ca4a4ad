"""The verbatim text of one value inside a document, so that a card in an envelope is kept as it was sent."""

import json

from cardtrail.services.card.document import Document

_DECODER = json.JSONDecoder()


def carve(document: Document, path: str) -> bytes:
    """The bytes of the value at a JSON path that exists in the document, UTF-8, without what stands around it."""
    line, column = document.place(path)
    start = sum(len(text) + 1 for text in document.text.split("\n")[: line - 1]) + column - 1
    _, end = _DECODER.raw_decode(document.text, start)
    return document.text[start:end].encode()
