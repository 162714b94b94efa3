"""The Train page on the server, without Streamlit: a visitor's runs and what the browser asks about them.

`session.TrainSession` holds the runs; `actions.TRAIN_ACTIONS` are the routes by which the browser follows
them and asks how they cut a text. Begin reading in `session.py`.
"""
