"""The server's own routes beside Streamlit's."""

from starlette.routing import BaseRoute

ROUTES: list[BaseRoute] = []
