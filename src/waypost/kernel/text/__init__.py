"""Text from elsewhere: checked, scrubbed of secrets, measured, and framed. No other module does it."""

from __future__ import annotations

from waypost.kernel.text.frame import (
    SECURITY_NOTICE,
    Framed,
    frame,
    frame_line,
    snippet,
    unframe,
    unframe_line,
    visible,
)
from waypost.kernel.text.measure import Accepted, Measured, accept_text, measure
from waypost.kernel.text.scrub import Scrubbed, scrub
from waypost.kernel.text.validity import check_text, is_storable, one_line

__all__ = [
    "SECURITY_NOTICE",
    "Accepted",
    "Framed",
    "Measured",
    "Scrubbed",
    "accept_text",
    "check_text",
    "frame",
    "frame_line",
    "is_storable",
    "measure",
    "one_line",
    "scrub",
    "snippet",
    "unframe",
    "unframe_line",
    "visible",
]
