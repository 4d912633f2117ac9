"""Writers of other tools' formats and of tables with types, one module a format or family of them.

Each declares itself as a `Writer`. May import the other modules of formats, and domain.
"""
