"""Scorers, judges and bots that are functions of somebody else's package.

They may raise and give back anything; here it becomes a score, an answer or a failure.
"""
