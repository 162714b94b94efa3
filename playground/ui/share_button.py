"""The Share button of the bar; the component that knows what the page shows does what it says."""

from playground.ui import component

_component = component.define(
    "share_button",
    html="share_button/share_button.html",
    module="share_button/share_button.js",
    styles=("share_button/share_button.css",),
)


def share_button() -> None:
    """Mount it. A component on the page answers with `onShare` of `web/shared/sharing.js`."""
    _component(key="share-button", data=None)
