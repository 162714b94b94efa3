"""Streamlit: pages, controls, the live editor and the server's routes."""
