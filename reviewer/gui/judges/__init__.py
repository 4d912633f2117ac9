"""Judges, endpoints, keys, prices, prompts and bots of a project, as dialogs and widgets.

Owns no rule: what may be stored is decided in `services.judging`, `services.bots` and
`services.computer.secrets`. May import what every page may, and no page.
"""
