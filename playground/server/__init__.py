"""What answers HTTP: routes, sessions and share links; it knows no Streamlit."""
