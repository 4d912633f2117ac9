"""What answers test cases again: question lists, models, HTTP services and local commands.

A failure to answer is data: it becomes the response's `error`. May import domain, its neighbours
in scoring and the HTTP client; models only through a client that is handed in.
"""
