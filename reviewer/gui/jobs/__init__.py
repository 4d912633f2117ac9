"""Re-evaluations and monitors at work beside the window, and how jobs are written."""
