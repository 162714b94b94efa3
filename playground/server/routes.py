"""The server's own routes beside Streamlit's."""

from starlette.routing import BaseRoute, Mount, Route

from playground.server.actions import session_route
from playground.server.api import API_ROUTES
from playground.server.browser_code import WEB_ROUTES
from playground.server.compare_session import COMPARE_ACTIONS, CompareSession
from playground.server.editor.actions import EDITOR_ACTIONS
from playground.server.editor.session import EditorSession
from playground.server.forest.session import FOREST_ACTIONS, ForestSession
from playground.server.learn_session import LEARN_ACTIONS, LearnSession
from playground.server.memory_session import MEMORY_ACTIONS, MemorySession

SESSION_ROUTE = session_route(
    {
        EditorSession: EDITOR_ACTIONS,
        CompareSession: COMPARE_ACTIONS,
        ForestSession: FOREST_ACTIONS,
        LearnSession: LEARN_ACTIONS,
        MemorySession: MEMORY_ACTIONS,
    }
)
ROUTES: list[BaseRoute] = [*API_ROUTES, SESSION_ROUTE, *WEB_ROUTES]


def routes_below(base_path: str) -> list[BaseRoute]:
    """All routes below `server.baseUrlPath`, which Streamlit puts before its own paths only.

    One by one: a mount at the base path would keep Streamlit's own routes from being found.

    >>> routes_below("tools/tokens/")[-1].path
    '/tools/tokens/web'
    """
    base_path = base_path.strip("/")
    return [_below(f"/{base_path}", route) for route in ROUTES] if base_path else ROUTES


def session_route_below(base_path: str) -> BaseRoute:
    """The route of all sessions below `server.baseUrlPath`."""
    base_path = base_path.strip("/")
    return _below(f"/{base_path}", SESSION_ROUTE) if base_path else SESSION_ROUTE


def _below(prefix: str, route: BaseRoute) -> BaseRoute:
    if isinstance(route, Route):
        return Route(prefix + route.path, route.endpoint, methods=route.methods and list(route.methods))
    assert isinstance(route, Mount), route
    return Mount(prefix + route.path, app=route.app)
