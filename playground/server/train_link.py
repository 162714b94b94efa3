"""Share links of the Train page."""

from playground.server.shapes import Shape
from playground.server.share_link import CHOSEN, LinkKind

TRAIN_LINK = LinkKind(Shape(CHOSEN), large={"train.pasted": "the pasted text"})
