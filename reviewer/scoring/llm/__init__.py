"""The one place that talks to language models, over pydantic-ai.

Importing it takes more than a second, so it is loaded when the first call is due, never with the
window. It may import `scoring.calling`, domain, pydantic-ai and its HTTP client.
"""
