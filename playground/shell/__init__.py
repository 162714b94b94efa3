"""`python -m playground`: counts, ids and texts without a browser; imports nothing of Streamlit."""
