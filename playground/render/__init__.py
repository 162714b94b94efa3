"""HTML, SVG and charts made from values; computes nothing about tokens itself."""
