"""The project file: opening, migrations, backups, and rows to values and back.

The only room that knows SQL. May import sqlite-utils, domain and paths.
"""
