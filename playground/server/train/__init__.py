"""The Train page on the server, without Streamlit: a visitor's runs and what the browser asks about them.

`session.TrainSession` holds the runs, `session.TRAIN_ACTIONS` are the routes of its transport buttons and of
its polled view, and `film` turns the learned merges of a short text into JSON. Begin reading in `session.py`.
"""
