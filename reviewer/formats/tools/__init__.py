"""The files of other tools: a module a tool, which declares its formats and reads them.

A reader makes our records of one item of the file at a time, checks each by `record.checked`, and
keeps in `meta` what carries a value and has no field of ours. It reads what it needs by content,
never by a file's name. May import formats and domain.
"""
