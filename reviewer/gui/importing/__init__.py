"""The import dialog: look at files, decide, watch them come in, see what was refused."""
