"""Files of records and tables: reading, writing, sniffing, and the mapping of unknown tables.

One module a foreign format. May import domain and paths.
"""
