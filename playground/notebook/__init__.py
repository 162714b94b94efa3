"""Tokens, merge trees and trainings in Jupyter and in VS Code's notebooks: plain HTML and SVG, no script."""

from playground.notebook.drawing import Drawing
from playground.notebook.text import show
from playground.notebook.training import Training, show_training
from playground.notebook.tree import show_tree

__all__ = ["Drawing", "Training", "show", "show_training", "show_tree"]
