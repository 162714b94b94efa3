"""The server's own routes beside Streamlit's."""

from starlette.routing import BaseRoute

from playground.ui.compare_session import COMPARE_ROUTES
from playground.ui.editor_routes import EDITOR_ROUTES
from playground.ui.forest_session import FOREST_ROUTES
from playground.ui.http_api import API_ROUTES

ROUTES: list[BaseRoute] = [*API_ROUTES, *EDITOR_ROUTES, *COMPARE_ROUTES, *FOREST_ROUTES]
