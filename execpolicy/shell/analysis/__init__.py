"""What a text tells about variables, functions, pipelines and the output of commands."""
