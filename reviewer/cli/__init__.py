"""The command line: the services of the window as commands, exit codes, console progress.

One module a group of commands; `main` finds the command and turns errors into sentences. May
import services and domain, and from gui only what opens the window or paints it.
"""
