"""The Train page in Streamlit: the form that starts a run, the live component, and what to do with a result.

Begin reading in `settings.show_settings` and `view.show_run`; `results.show_results` draws the panels below.
"""
