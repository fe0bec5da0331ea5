from execpolicy.catalogue.scripts import Effect


def effects(text: str) -> list[Effect]:
    return [("unknown", "what the jq text does is not known", None)]
