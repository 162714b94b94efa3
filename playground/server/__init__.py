"""What answers HTTP: guards, sessions and their actions, share links, the API; it knows no Streamlit."""
