"""Build: write the functions of a tokenizer, and run them in the browser until they equal tiktoken."""

from playground.bpe import lecture
from playground.ui import page
from playground.ui.build.workbench import show_workbench

page.open_page("Build", claim="Write your own tokenizer, until it equals tiktoken.")
show_workbench()
page.show_source(lecture.get_stats, lecture.merge, lecture.train, lecture.encode)
