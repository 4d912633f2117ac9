"""The database through which several people work on one project: tables, rights and rows.

The only room that talks to PostgreSQL; psycopg is imported where a connection is made. What is
sent and where it goes that is pulled is the business of `services.sharing`. May import domain and
paths.
"""
