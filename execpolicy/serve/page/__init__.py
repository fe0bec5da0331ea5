"""The page: files that are served as they are, and nothing from elsewhere."""

import os

from starlette.responses import JSONResponse, Response

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def response(name: str) -> Response:
    """A file of the page by its name."""
    kind = TYPES.get(os.path.splitext(name)[1])
    if kind is None or name not in _names():
        return JSONResponse({"error": "there is no such file"}, 404)
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        return Response(file.read(), media_type=kind)


def _names() -> "list[str]":
    return os.listdir(os.path.dirname(__file__))
