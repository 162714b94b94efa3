"""The lessons of Learn, one module each: it computes the figure's data, and the question with its answer.

`registry.LESSONS` lists them and `lesson.Lesson` defines their parts. Begin with `letters`, the smallest one.
"""
