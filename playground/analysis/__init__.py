"""Questions about texts, tokens and vocabularies, answered as plain values; nothing is drawn here.

`live_document.LiveDocument` keeps a text that is being edited and its tokens in step, and `live_comparison`
does so for several tokenizers. Begin with `live_document`, which most pages use.
"""
