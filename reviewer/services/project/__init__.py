"""The open project: session and labeler, rubrics, responses, who may lead."""
