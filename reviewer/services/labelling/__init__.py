"""Labels as people enter them, and undo.

    key ─▶ gui.review.acts ─▶ labelling.commit   the place read once, the value held to its scale
             ─▶ project.writing                    one transaction: label, state, journal
             ─▶ session.publish(LabelChanged)
                  ├─ tallying.live                    moves one count; figures are true first
                  └─ the page                         one row of the queue, the view, the cards
        ◀─ the change

A press asks the file at most 24 statements, none of them twice before it is written; a test holds
that. May import `transfer`, whose imports are undone, too, `project` and store.
"""
