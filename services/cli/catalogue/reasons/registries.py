"""Why a registry could not be walked, or an entry of it is not watched."""

from cardtrail.services.card.unusable import Why

_DOWN = "what was known stays, and the next walk tries again; tell whoever runs the registry"
_ENTRY = "tell whoever keeps the entry; the others are watched"
_YOURS = "the settings of this registry say so: [registries.NAME]"

REGISTRIES: dict[str, Why] = {
    "a-page-not-json": Why("A page of the registry is no JSON", _DOWN),
    "broken-item": Why(
        "An item of your own list cannot be read, so nothing is ended by it", "mend the item that the problem names"
    ),
    "code-not-0": Why("The registry answers that it failed", _DOWN),
    "cursor-repeated": Why("The registry sends the same page again and again", _DOWN),
    "data-not-an-object": Why("The card in an entry is no JSON object", _ENTRY),
    "document-too-large": Why("The card in an entry is larger than a card may be", _ENTRY),
    "file-unreadable": Why("The file with the list cannot be read", "may the service's account read it?"),
    "forbidden": Why(
        "The registry answers 403", "is credential under [registries.NAME] right, and allowed to read it?"
    ),
    "hidden": Why("The registry hides the entry", "nothing is to be done"),
    "id-unusable": Why("The entry's id cannot be the name of an agent", _ENTRY),
    "listed-twice": Why("Another entry names the same card", _ENTRY),
    "name-taken": Why("Another entry has this name already", _ENTRY),
    "nested-in-itself": Why("A catalog leads back to itself", _DOWN),
    "nested-too-deep": Why("Catalogs lead to catalogs without end", _DOWN),
    "no-answer": Why("The registry gave no page", _DOWN),
    "no-identifier": Why("The entry has no id", _ENTRY),
    "not-a-catalog": Why("What came is no catalog", "is it the right address, and the right kind of registry?"),
    "not-a-list": Why("What came is no list", "is it the right address, and the right kind of registry?"),
    "not-a-listing": Why(
        "What came is no page of such a registry", "is it the right address, and the right kind of registry?"
    ),
    "not-an-item": Why("An item of the list is no object", _ENTRY),
    "not-approved": Why("The registry has not approved the entry, or no longer", "nothing is to be done"),
    "not-found": Why("The registry has no such page", "is it the right address, and the right kind of registry?"),
    "page-too-large": Why("A page is larger than it may be", "narrow it by tags or tenant: [registries.NAME]"),
    "repeated-item": Why("The list has the item twice", _ENTRY),
    "spec-version-unknown": Why(
        "The catalog is of a version that is not read here", "is there a newer release of cardtrail?"
    ),
    "status-unknown": Why("The item has a status that nobody knows", _ENTRY),
    "tags-differ": Why("The entry has none of the tags that are asked for", _YOURS),
    "tenant-differs": Why("The entry is for another tenant", _YOURS),
    "tenant-unusable": Why("The entry's tenant is no text that can be used", _ENTRY),
    "throttled": Why(
        "The registry answers 429: it is asked too often", "every under [registries.NAME] asks less often"
    ),
    "too-large": Why("The pages together are larger than they may be", _YOURS),
    "too-many-entries": Why(
        "The registry has more entries than are taken", "narrow it by tags or tenant: [registries.NAME]"
    ),
    "too-many-pages": Why(
        "The registry has more pages than are read", "narrow it by tags or tenant: [registries.NAME]"
    ),
    "too-slow": Why("The walk took longer than it may", _DOWN),
    "total-differs": Why(
        "More or fewer entries came than the registry counts",
        "a page came twice or is missing: nothing is ended by such a walk",
    ),
    "unauthorized": Why("The registry answers 401", "credential under [registries.NAME] names one"),
    "url-not-absolute": Why("The entry's card has no https or http URL", _ENTRY),
    "url-or-data": Why("The entry has both a card's URL and the card, or neither", _ENTRY),
    "watched-already": Why("You watch this card yourself, under a name of your own", "nothing is to be done"),
}
