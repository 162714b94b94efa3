"""Tessera's own routes, which `OwnRoutes` serves before Streamlit sees a request."""

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Match, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from playground.server.actions import session_route
from playground.server.api import API_ROUTES
from playground.server.browser_code import WEB_ROUTES
from playground.server.build_files import BUILD_ROUTES
from playground.server.compare_session import COMPARE_ACTIONS, CompareSession
from playground.server.editor.actions import EDITOR_ACTIONS
from playground.server.editor.session import EditorSession
from playground.server.expect.session import EXPECT_ACTIONS, ExpectSession
from playground.server.formats.session import FORMATS_ACTIONS, FormatSession
from playground.server.health import HEALTH_ROUTES
from playground.server.learn_poll import POLL_ROUTES
from playground.server.learn_session import LEARN_ACTIONS, LearnSession
from playground.server.merge_tree.session import MERGE_TREE_ACTIONS, MergeTreeSession
from playground.server.picker_session import PICKER_ACTIONS, PickerSession
from playground.server.protection.bodies import InParts, SentInTime
from playground.server.train.actions import TRAIN_ACTIONS
from playground.server.train.session import TrainSession
from playground.server.vocabulary_session import VOCABULARY_ACTIONS, VocabularySession
from playground.server.xray.session import XRAY_ACTIONS, XraySession

SESSION_ROUTE = session_route(
    {
        EditorSession: EDITOR_ACTIONS,
        CompareSession: COMPARE_ACTIONS,
        ExpectSession: EXPECT_ACTIONS,
        MergeTreeSession: MERGE_TREE_ACTIONS,
        FormatSession: FORMATS_ACTIONS,
        LearnSession: LEARN_ACTIONS,
        PickerSession: PICKER_ACTIONS,
        TrainSession: TRAIN_ACTIONS,
        XraySession: XRAY_ACTIONS,
        VocabularySession: VOCABULARY_ACTIONS,
    }
)
#: The most frequent first.
ROUTES: list[BaseRoute] = [
    SESSION_ROUTE,
    *API_ROUTES,
    *WEB_ROUTES,
    *POLL_ROUTES,
    *BUILD_ROUTES,
    *HEALTH_ROUTES,
]
#: The answer to a key press has about 5 KB and is sent as it is.
_MIN_GZIP_BYTES = 16_000
#: 365 KB of ids compress to 95 KB in 6 ms; at Streamlit's level 9 to 87 KB in 220 ms.
_GZIP_LEVEL = 4


class OwnRoutes:
    """Middleware that serves `ROUTES` below `server.baseUrlPath` and passes other requests on.

    As `routes` of `st.App` they would go through Streamlit's middleware, which compresses every answer at
    level 9 in the event loop.
    """

    def __init__(self, app: ASGIApp, *, base_path: str = "") -> None:
        self.app = app
        base_path = base_path.strip("/")
        self.root_path = f"/{base_path}" if base_path else ""
        router = ExceptionMiddleware(Router(ROUTES, redirect_slashes=False))
        packed = GZipMiddleware(InParts(router), minimum_size=_MIN_GZIP_BYTES, compresslevel=_GZIP_LEVEL)
        self.own = SentInTime(packed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"].startswith(f"{self.root_path}/"):
            below = {**scope, "root_path": self.root_path}
            if any(route.matches(below)[0] is Match.FULL for route in ROUTES):
                await self.own(below, receive, send)
                return
        await self.app(scope, receive, send)
