"""Files of records and tables: reading, writing, sniffing, and the mapping of unknown tables.

Each format declares itself in its own module and is named in `registry`; our own record is checked
as `domain.record` declares it. May import confined, domain and paths.
"""
