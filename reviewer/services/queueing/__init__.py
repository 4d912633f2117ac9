"""What stands in the list of evaluations: filters, orders, queues and progress.

May import `project` and `computer`, and store; human scores and gaps, which the figures make, what
rests on slow libraries, and questions to people, only through `computer.deferred`.
"""
