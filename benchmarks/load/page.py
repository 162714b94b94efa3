"""A page as a browser holds it: Streamlit's socket, the widgets that a run drew, what is pressed and chosen.

What a page's own code posts beside the socket is in `typing_visitor`.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import websockets
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

#: Nobody waits longer than this for a run of a page.
PATIENCE = 300.0
_XSRF = "_streamlit_xsrf"


class PageError(Exception):
    """A page shows an error: a sentence, or a traceback."""


@dataclass
class Page:
    """An open page: the ids of the widgets that its runs drew, by label, and the data of each component."""

    host: str
    socket: websockets.ClientConnection
    name: str
    widgets: dict[str, str] = field(default_factory=dict)
    components: dict[str, dict[str, Any]] = field(default_factory=dict)
    _states: dict[str, WidgetState] = field(default_factory=dict)
    _refreshes: dict[str, float] = field(default_factory=dict)
    _hashes: set[str] = field(default_factory=set)
    _n_finished: int = 0
    _heard: asyncio.Event = field(default_factory=asyncio.Event)
    _session_id: str = ""
    _errors: list[str] = field(default_factory=list)
    _urls: dict[str, Any] = field(default_factory=dict)
    _uploaded: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._listening = asyncio.create_task(self._listen())
        self._listening.add_done_callback(lambda _task: self._heard.set())

    @classmethod
    async def open(cls, host: str, name: str = "", *, query: str = "") -> "Page":
        """Open a page by its path; back once its script has run."""
        socket = await websockets.connect(
            f"ws://{host}/_stcore/stream",
            subprotocols=[websockets.Subprotocol("streamlit")],
            origin=websockets.Origin(f"http://{host}"),
            max_size=None,
            open_timeout=PATIENCE,
            ping_timeout=PATIENCE,
        )
        page = cls(host, socket, name)
        await page.run(query=query)
        return page

    async def close(self) -> None:
        """Close the tab."""
        self._listening.cancel()
        await self.socket.close()

    async def run(self, *, query: str = "", trigger: WidgetState | None = None, fragment: str = "") -> None:
        """Run the script, or one fragment of it, with all widgets as they stand; back when it has run.

        Raises PageError where the page shows an error.
        """
        self._errors.clear()
        if not fragment:
            self._refreshes.clear()
        message = BackMsg()
        run = message.rerun_script
        run.page_name, run.query_string = self.name, query
        run.fragment_id, run.is_auto_rerun = fragment, bool(fragment)
        run.cached_message_hashes.extend(self._hashes)
        run.widget_states.widgets.extend([*self._states.values(), *([trigger] if trigger else [])])
        n_finished = self._n_finished
        await self.socket.send(message.SerializeToString())
        await self._wait(lambda: self._n_finished > n_finished)
        if self._errors:
            raise PageError(f"the page {self.name!r} shows an error: {self._errors[0]}")

    async def go(self, name: str) -> None:
        """Go to another page of the app, in the same tab."""
        self.name = name
        self.widgets.clear()
        await self.run()

    async def choose(self, label: str, option: str) -> None:
        """Choose an option of a select box, or put a text into a field."""
        self._states[label] = WidgetState(id=self.widgets[label], string_value=option)
        await self.run()

    async def pick(self, label: str, option: str) -> None:
        """Choose an option of a segmented control."""
        state = WidgetState(id=self.widgets[label])
        state.string_array_value.data.append(option)
        self._states[label] = state
        await self.run()

    async def press(self, label: str) -> None:
        """Press a button."""
        await self.run(trigger=WidgetState(id=self.widgets[label], trigger_value=True))

    async def tell(self, component: str, event: str) -> None:
        """A trigger of a component, as its JavaScript sets one."""
        told = json.dumps([{"event": event, "value": self._n_finished}])
        widget = f"$$STREAMLIT_INTERNAL_KEY_{self.widgets[component]}__events"
        await self.run(trigger=WidgetState(id=widget, json_trigger_value=told))

    async def upload(
        self, label_start: str, file_name: str, content: bytes, *, is_only: bool = False
    ) -> None:
        """Put a file into the uploader whose label begins so; where `is_only`, in the place of the last."""
        label = next((label for label in self.widgets if label.startswith(label_start)), None)
        if label is None:
            raise PageError(f"no uploader is called {label_start!r}; there are {', '.join(self.widgets)}")
        asked = BackMsg()
        asked.file_urls_request.request_id = file_name
        asked.file_urls_request.file_names.append(file_name)
        asked.file_urls_request.session_id = self._session_id
        await self.socket.send(asked.SerializeToString())
        await self._wait(lambda: file_name in self._urls)
        urls = self._urls[file_name]
        async with httpx.AsyncClient(base_url=f"http://{self.host}", timeout=PATIENCE) as client:
            await client.get("/_stcore/health")  # it sets the cookie
            headers = {"X-Xsrftoken": client.cookies[_XSRF]}
            if is_only and label in self._uploaded:
                deleted = await client.delete(self._uploaded[label].delete_url, headers=headers)
                deleted.raise_for_status()
            answer = await client.put(urls.upload_url, files={"file": (file_name, content)}, headers=headers)
        answer.raise_for_status()
        self._uploaded[label] = urls
        state = WidgetState(id=self.widgets[label])
        uploaded = state.file_uploader_state_value.uploaded_file_info.add()
        uploaded.file_id, uploaded.name, uploaded.size = urls.file_id, file_name, len(content)
        uploaded.file_urls.CopyFrom(urls)
        self._states[label] = state
        await self.run()

    @property
    def is_refreshing(self) -> bool:
        """Whether a fragment asks to be run again and again."""
        return bool(self._refreshes)

    async def refresh(self) -> None:
        """Run each fragment that asks to be run again and again, once."""
        for fragment in list(self._refreshes):
            if fragment in self._refreshes:  # the one before may have had the whole page run
                await self.run(fragment=fragment)

    async def _wait(self, is_done: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_done():
                if self._listening.done():
                    raise ConnectionError(f"the server closed the page {self.name!r}")
                self._heard.clear()
                await self._heard.wait()

    async def _listen(self) -> None:
        async for raw in self.socket:
            assert isinstance(raw, bytes)
            self._take(ForwardMsg.FromString(raw))
            self._heard.set()

    def _take(self, message: ForwardMsg) -> None:
        if message.metadata.cacheable:
            self._hashes.add(message.hash)
        match message.WhichOneof("type"):
            case "new_session":
                self._session_id = message.new_session.initialize.session_id
            case "script_finished" if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._refreshes.clear()  # the run that follows tells of them anew
            case "script_finished":
                self._n_finished += 1
            case "auto_rerun":
                self._refreshes[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            case "file_urls_response":
                answer = message.file_urls_response
                self._urls[answer.response_id] = answer.file_urls[0]
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                self._take_element(message.delta.new_element)

    def _take_element(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        drawn = getattr(element, kind or "empty")
        if kind == "exception" or (kind == "alert" and drawn.format == Alert.ERROR):
            self._errors.append(str(drawn))
        elif kind == "bidi_component":
            name = drawn.component_name.rpartition("tessera_")[2]
            data = json.loads(drawn.json or drawn.mixed.json or "null")
            if "url" in (data or ()) or name not in self.components:  # the one that talks with the server
                self.widgets[name], self.components[name] = drawn.id, data
        elif label := getattr(drawn, "label", ""):
            self.widgets[label] = drawn.id
