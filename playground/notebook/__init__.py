"""Tokens, merge trees and trainings in Jupyter and in VS Code's notebooks: plain HTML and SVG, no script."""

from playground.notebook.drawings import Drawing, show, show_tree
from playground.notebook.training import Training, show_training

__all__ = ["Drawing", "Training", "show", "show_training", "show_tree"]
