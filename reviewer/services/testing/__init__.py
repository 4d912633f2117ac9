"""Test sets: cases without a response, in versions, with their check and their results over runs.

May import flat services modules, store, formats, scoring and domain; never re-evaluation, which
takes its cases from here.
"""
