"""The process that keeps a shared project in step, as the window follows it."""
