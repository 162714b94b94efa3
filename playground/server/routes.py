"""The server's own routes beside Streamlit's."""

from starlette.routing import BaseRoute

from playground.server.api import API_ROUTES
from playground.server.compare import COMPARE_ROUTES
from playground.server.editor_routes import EDITOR_ROUTES
from playground.server.forest import FOREST_ROUTES

ROUTES: list[BaseRoute] = [*API_ROUTES, *EDITOR_ROUTES, *COMPARE_ROUTES, *FOREST_ROUTES]
