"""Streamlit: what every page has, controls, state and components; a folder a page."""
