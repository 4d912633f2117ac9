"""Figures of the Audit page beyond the document of statistics: what people and judge reach.

Modules here read with the services beside this package and compute with `stats`; none of those
knows them.
"""
