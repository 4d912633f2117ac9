"""What every call of a judge or a bot needs: clients, packages, prices, no secrets, its cases.

May import `aligning` and what it stands on, `transfer`, `computer`, scoring and store;
the model library only inside functions.
"""
