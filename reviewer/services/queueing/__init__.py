"""What stands in the list of evaluations: filters, orders, queues and progress."""
