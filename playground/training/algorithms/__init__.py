"""Every training algorithm behind one contract, `learner.Learner`; `registry.ALGORITHMS` is the table.

Each algorithm is a module with one `Algorithm` value. Views and the shell use only the contract and never ask
which algorithm they show. Begin reading in `learner`, then `bpe`.
"""
