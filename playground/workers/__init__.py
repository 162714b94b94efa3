"""Functions run in processes of their own, with limits of time and memory; `pool.run` is the door."""
