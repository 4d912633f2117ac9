"""The project file: opening, migrations, backups, and rows to values and back.

The only room that knows SQL; its modules are named by their tables. `user_version` guards the
format. May import sqlite-utils, domain and paths.
"""
