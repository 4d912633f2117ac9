"""Work on what strangers wrote, in processes with limits of time and memory.

Templates and regular expressions of a rubric, a mapping or a file of somebody's can ask for a
minute or for ten gigabytes with a dozen letters, in C code that nothing in the same process can
stop. Functions of packages are called in the same kind of process. May import domain.
"""
