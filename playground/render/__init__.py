"""HTML, SVG and charts made from values; nothing about tokens is computed here.

`palette` has all colours, `merge_tree` and `building` the trees, and the `*_charts` modules those of Altair.
Begin with `token_html`, the smallest view.
"""
