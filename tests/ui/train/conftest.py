"""The Train page through Streamlit's test runner, with a session of its own for each test."""

import pytest
from streamlit.testing.v1 import AppTest

from playground.server.train.session import TrainSession
from playground.ui.train import view
from tests.ui.visits import visit

PASTE, UPLOAD, TYPED = "Paste a text", "Upload files", "my own expression"
CATS = "the cat sat on the mat, the cat that sat there\n" * 300


class TrainPage:
    """A visit: `app` is the page, `session` the one that its component would use."""

    def __init__(self, app: AppTest, session: TrainSession) -> None:
        self.app, self.session = app, session

    def set(self, **values: object) -> "TrainPage":
        """Fill in fields by their names without "train."; values are sent with the next press."""
        app = self.app
        fields = [
            *app.number_input, *app.text_area, *app.text_input, *app.selectbox, *app.slider, *app.toggle,
            *app.button_group, *app.multiselect, *app.radio,
        ]  # fmt: skip
        for name, value in values.items():
            next(field for field in fields if field.key == f"train.{name}").set_value(value)
        return self

    def press(self, label: str) -> "TrainPage":
        next(button for button in self.app.button if button.label == label).click().run()
        assert list(self.app.exception) == []
        return self

    def upload(self, *files: tuple[str, bytes]) -> "TrainPage":
        self.app.selectbox(key="train.corpus").set_value(UPLOAD).run()
        self.app.file_uploader(key="train-files").set_value([(*file, "") for file in files]).run()
        return self

    def learn(self, text: str, **values: object) -> "TrainPage":
        """Paste a text, press Start, let the run end, and run the page as its component requests."""
        self.app.selectbox(key="train.corpus").set_value(PASTE).run()
        self.set(**{"pasted": text} | values)
        return self.press("Start").finish()

    def finish(self) -> "TrainPage":
        assert self.session.run is not None
        self.session.run.wait()
        self.app.run()
        assert list(self.app.exception) == []
        return self

    def panel(self, name: str) -> "TrainPage":
        self.app.button_group(key="train.panel").set_value(name).run()
        assert list(self.app.exception) == []
        return self

    @property
    def errors(self) -> list[str]:
        return [error.value.replace("\\", "") for error in self.app.error]

    @property
    def captions(self) -> list[str]:
        return [caption.value.replace("\\", "") for caption in self.app.caption]


@pytest.fixture
def page(monkeypatch):
    session = TrainSession()
    monkeypatch.setattr(view, "train_session", lambda: session)
    opened = TrainPage(visit("train", {"train.vocab_size": 300}), session)
    opened.set(pattern="none").app.run()
    yield opened
    session.close()
