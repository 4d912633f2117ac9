"""Queues for people in the window: made, looked over, and the verdict on a judge at the end."""
