"""The open project: session and labeler, rubrics, responses, who may lead.

Beneath all other packages of services but `computer`. May import `computer`, formats, paths,
scoring, stats and store.
"""
