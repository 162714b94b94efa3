"""X-ray: what fills the context of each request of a log, and why a prompt cache missed."""

from playground.analysis.cache_diff import cache_diff
from playground.analysis.template_check import check_template
from playground.analysis.xray import examine
from playground.server.xray.session import XraySession
from playground.ui import page, picker, state
from playground.ui.xray.view import counting_model, show_template_check, xray_view

session = state.get_or_make("xray", XraySession)
bar = page.open_page("X-ray", claim="What fills the context, and why the cache missed.")
with bar.picker:
    tokenizer = picker.choose_tokenizer(label="Model of requests that name none")
session.use(counting_model(tokenizer, messages=bar.messages))
xray_view(session)
show_template_check(tokenizer)
page.show_source(examine, cache_diff, check_template)
